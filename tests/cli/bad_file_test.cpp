#include <gtest/gtest.h>

#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

class BadInputExport : public ::testing::Test {
 protected:
  void SetUp() override { add_sample_sweep(database_in(home_.path())); }

  // Status 3, the file and the reason named, nothing on standard output.
  static void expect_unwritable(const Finished& finished, const fs::path& file,
                                const std::string& reason) {
    EXPECT_EQ(finished.status, 3);
    EXPECT_EQ(finished.out, "");
    EXPECT_NE(finished.err.find(file.string() + " cannot be written: " + reason), std::string::npos)
        << finished.err;
  }

  TemporaryFolder home_;
  TemporaryFolder elsewhere_;
};

TEST_F(BadInputExport, ToAFolderThatIsNotThere) {
  const fs::path file = elsewhere_ / "absent/all.json";
  expect_unwritable(run_tilewright(home_.path(), {"export", "--output", file}), file,
                    "No such file");
  EXPECT_TRUE(fs::is_empty(elsewhere_.path()));
}

TEST_F(BadInputExport, ToAFolder) {
  expect_unwritable(run_tilewright(home_.path(), {"export", "--output", elsewhere_.path()}),
                    elsewhere_.path(), "Is a directory");
  EXPECT_TRUE(fs::is_empty(elsewhere_.path()));
}

TEST_F(BadInputExport, ToAPlaceThatMayNotBeWritten) {
  if (!can_drop_privileges()) GTEST_SKIP() << "the administrator may write every file";
  const fs::path file = elsewhere_ / "all.json";
  fs::permissions(elsewhere_.path(), fs::perms::owner_read | fs::perms::owner_exec);
  expect_unwritable(
      run_tilewright_within(home_.path(), without_privileges(), {"export", "--output", file}), file,
      "Permission denied");
  fs::permissions(elsewhere_.path(), fs::perms::owner_all);
  EXPECT_TRUE(fs::is_empty(elsewhere_.path()));
}

TEST_F(BadInputExport, ToAFullDevice) {
  expect_unwritable(run_tilewright(home_.path(), {"export", "--output", "/dev/full"}), "/dev/full",
                    "No space left");
}

TEST_F(BadInputExport, ThatDoesNotFitLeavesTheOldFileAlone) {
  const fs::path file = elsewhere_ / "all.json";
  write_text(file, "old");
  expect_unwritable(
      run_tilewright_within(home_.path(), limited_to_blocks(1), {"export", "--output", file}), file,
      "File too large");
  EXPECT_EQ(content_of(file), "old");
  fs::remove(file);
  EXPECT_TRUE(fs::is_empty(elsewhere_.path()));
}

class BadInputImport : public ::testing::Test {
 protected:
  void SetUp() override {
    add_sample_sweep(home_ / "some.db");
    ASSERT_EQ(run_tilewright(home_.path(), {"export", "--output", good_, "--db", home_ / "some.db"})
                  .status,
              0);
  }

  // Status 2, the file and the reason named, no database made.
  void expect_refused(const std::vector<std::string>& files, const std::string& reason) const {
    std::vector<std::string> words = {"import"};
    words.insert(words.end(), files.begin(), files.end());
    const Finished finished = run_tilewright(home_.path(), words);
    EXPECT_EQ(finished.status, 2);
    EXPECT_EQ(finished.out, "");
    EXPECT_NE(finished.err.find(files.back()), std::string::npos) << finished.err;
    EXPECT_NE(finished.err.find(reason), std::string::npos) << finished.err;
    EXPECT_FALSE(fs::exists(database_in(home_.path())));
  }

  std::string written(const std::string& text) const {
    write_text(home_ / "bad.json", text);
    return home_ / "bad.json";
  }

  TemporaryFolder home_;
  std::string good_ = home_ / "good.json";
};

TEST_F(BadInputImport, OfATruncatedFile) {
  const std::string whole = content_of(good_);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, whole.size() / 2, whole.size() - 2})
    expect_refused({written(whole.substr(0, size))},
                   "ends at byte " + std::to_string(size) + ", before its JSON does");
}

TEST_F(BadInputImport, OfANewerFile) {
  expect_refused({written(R"({"format": "tilewright", "version": 99, "sweeps": []})")},
                 "version 99 is not known");
}

TEST_F(BadInputImport, OfAFileThatIsNotOurs) {
  for (const char* text : {"{}", "[1, 2]", R"({"format": "other", "version": 1, "sweeps": []})"})
    expect_refused({written(text)}, "not an export of tilewright");
  expect_refused({written("sweep;best\n")},
                 "is neither a database nor what `tilewright export --format json` wrote");
}

// The device is the one that the cache names.
TEST_F(BadInputImport, OfAnotherTunersFile) {
  const std::string cache =
      R"({"device_name": "Some GPU", "kernel_name": "sgemm", "problem_size": [64, "128"],
"tune_params_keys": ["BLOCK_X", "BLOCK_Y"], "cache": {
"32,8": {"BLOCK_X": 32.0, "BLOCK_Y": 8, "time": 0.5, "GFLOP/s": NaN}}})";
  for (const std::string& text : {cache, cache.substr(0, cache.size() - 9)})
    expect_refused({written(text)},
                   "is a cache of Kernel Tuner; `tilewright import` needs --as OPERATION");
  const std::vector<std::string> as = {"--as", "gemm/naive", "M=N=K=64", "--arch", "sm_80"};
  const auto with_file = [&](const std::string& text) {
    std::vector<std::string> words = as;
    words.push_back(written(text));
    return words;
  };
  expect_refused(with_file(cache), "its 'problem_size' 64, 128 contradicts ");
  expect_refused(with_file(cache.substr(0, cache.size() - 40)), "ends at byte ");
  std::vector<std::string> words = with_file(cache);
  words.insert(words.begin(), "import");
  words[3] = "M=128";
  words.insert(words.end(), {"N=K=64"});
  const Finished finished = run_tilewright(home_.path(), words);
  EXPECT_EQ(finished.err, "");
  EXPECT_EQ(finished.out, "1 of 1 sweeps are new\n");
}

// Of a file with several problems and devices, those that are named are taken.
TEST_F(BadInputImport, OfWisdomWithoutTheProblemOrTheDevice) {
  const auto line = [](const std::string& size, const std::string& device) {
    return R"({"config": [32, 8], "problem_size": )" + size +
           R"(, "time": 0.5, "environment": {"device_name": ")" + device + "\"}}\n";
  };
  const std::string file = home_ / "sgemm.wisdom";
  write_text(file, R"({"version": "1.0", "objective": "time", "key": "sgemm", )"
                   R"("tunable_parameters": ["BLOCK_X", "BLOCK_Y"]})"
                   "\n" +
                       line("[64, 64]", "GPU A") + line("[128]", "GPU A") + line("[64]", "GPU B"));
  const auto words = [&](const std::string& size, const std::string& device) {
    return std::vector<std::string>{"--as",  "gemm/naive", "M=N=K=" + size, "--arch",
                                    "sm_80", "--device",   device,          file};
  };
  expect_refused(words("96", "GPU A"), "it has those of 64 × 64 (GPU A), 128 (GPU A), 64 (GPU B)");
  expect_refused(words("64", "GPU C"), " on GPU C; it has those of 64 × 64 (GPU A)");
  expect_refused({"--as", "gemm/naive", "M=N=K=64", "--arch", "sm_80", file},
                 "has results of several devices, and --arch describes one");
  const std::string whole = content_of(file);
  // Of several sizes that fit, that in the order of the dimensions; else it is not clear.
  const auto with = [&](const std::string& lines) {
    std::string text = content_of(file);
    write_text(file, text.substr(0, text.find('\n') + 1) + lines);
    return std::vector<std::string>{"--as",   "gemm/naive", "M=64",     "N=32",  "K=16",
                                    "--arch", "sm_80",      "--device", "GPU A", file};
  };
  expect_refused(with(line("[32, 64, 16]", "GPU A") + line("[16, 32, 64]", "GPU A")),
                 "results of several sizes fit");
  write_text(file, whole);
  std::vector<std::string> one = words("64", "GPU B");
  one.insert(one.begin(), "import");
  EXPECT_EQ(run_tilewright(home_.path(), one).out, "1 of 1 sweeps are new\n");
  EXPECT_EQ(run_tilewright(home_.path(), one).out, "0 of 1 sweeps are new\n");
  std::vector<std::string> clear =
      with(line("[32, 64, 16]", "GPU A") + line("[64, 32, 16]", "GPU A"));
  clear.insert(clear.begin(), "import");
  EXPECT_EQ(run_tilewright(home_.path(), clear).out, "1 of 1 sweeps are new\n");
}

TEST_F(BadInputImport, OfOneBadFileAmongSeveralImportsNothing) {
  expect_refused({good_, written(content_of(good_).substr(0, 200))}, "ends at byte 200");
}

TEST_F(BadInputImport, OfAFileThatCannotBeRead) {
  fs::create_symlink("/proc/self/mem", home_ / "broken.json");
  expect_refused({home_ / "broken.json"}, "cannot be read: Input/output error");
}

}  // namespace
}  // namespace tilewright::test
