// What a database makes possible later: kernels by their stored names, larger budgets, and records
// of GPUs that nobody has swept.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/copy_kernel.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/support/gzip.hpp"

namespace tilewright::test {
namespace {

constexpr const char* kCache = R"({"device_name": "X", "kernel_name": "copy",
"tune_params_keys": ["BLOCK"], "cache": {
"32": {"BLOCK": 32, "time": 1.5}, "64": {"BLOCK": 64, "time": 1.25}}})";

class Stored : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = write_copy_kernel(kernels_.path(),
                              {{"values = [32, 64]", "values = [32, 64, 128, 256, 512]"}})
                .string();
    write_text(home_ / "cache.json", kCache);
  }
  Finished run(const std::vector<std::string>& words) const {
    return run_tilewright(home_.path(), words);
  }
  Finished sweep(std::vector<std::string> words) const {
    words.insert(words.begin(), {"sweep", file_, "--device", "host"});
    return run(words);
  }

  TemporaryFolder home_;
  TemporaryFolder kernels_;
  std::string file_;
};

TEST_F(Stored, AKernelIsKnownByItsNameWhileItsManifestIsThere) {
  ASSERT_EQ(run({"best", "copy", "--device", "host"}).status, 2);
  ASSERT_EQ(sweep({"--budget", "2"}).status, 0);
  const Finished best = run({"best", "copy/plain", "n=4096", "--device", "host"});
  EXPECT_EQ(best.status, 0) << best.err;
  EXPECT_NE(best.out.find("copy n=4096 | "), std::string::npos) << best.out;
  const Finished show = run({"show", "copy", "--device", "host"});
  EXPECT_EQ(show.status, 0) << show.err;
  const Finished explained = run({"explain", "copy/plain", "n=4096", "BLOCK=64"});
  EXPECT_EQ(explained.status, 0) << explained.err;
  const Finished bundled =
      run({"bundle", "copy", "--arch", "host", "--output", home_ / "copy.bundle"});
  EXPECT_EQ(bundled.status, 0) << bundled.err;
  const auto id = nlohmann::json::parse(run({"results", "--json"}).out)
                      .at("sweeps")
                      .at(0)
                      .at("sweep")
                      .get<std::string>();
  EXPECT_EQ(run({"show", "--trial", id.substr(0, 6) + "/1"}).status, 0);
  const Finished imported =
      run({"import", home_ / "cache.json", "--as", "copy/plain", "n=64", "--device", "host"});
  EXPECT_EQ(imported.status, 0) << imported.err;
  EXPECT_EQ(run({"best", "copy/other", "--device", "host"}).status, 2);

  // Paths stay at home, and those of others are not read.
  const std::string exported = run({"export"}).out;
  EXPECT_EQ(exported.find(kernels_.path()), std::string::npos);
  auto document = nlohmann::json::parse(exported);
  for (auto& one : document["sweeps"])
    if (one["report"].is_object()) {
      one["report"]["manifests"] = {file_};
      one["report"]["named_manifests"] = {file_};
    }
  const TemporaryFolder elsewhere;
  write_text(elsewhere / "theirs.json", document.dump());
  ASSERT_EQ(run_tilewright(elsewhere.path(), {"import", elsewhere / "theirs.json"}).status, 0);
  EXPECT_EQ(run_tilewright(elsewhere.path(), {"best", "copy", "--device", "host"}).status, 2);
  const TemporaryFolder third;  // a report that is a text, with its key in disguise
  for (auto& one : document["sweeps"])
    one["report"] = "{\"named_manifest\\u0073\": [" + nlohmann::json(file_).dump() + "]}";
  write_text(third / "theirs.json", document.dump());
  ASSERT_EQ(run_tilewright(third.path(), {"import", third / "theirs.json"}).status, 0);
  EXPECT_EQ(run_tilewright(third.path(), {"best", "copy", "--device", "host"}).status, 2);

  write_text(file_, "schema = 1\nnonsense = 2\n");
  EXPECT_NE(run({"best", "copy", "--device", "host"}).err.find("nonsense"), std::string::npos);
  EXPECT_EQ(run({"results"}).status, 0);
  std::filesystem::remove(file_);
  EXPECT_NE(run({"best", "copy", "--device", "host"}).err.find("no operation 'copy'"),
            std::string::npos);
  EXPECT_NE(run({"results"}).err.find("no rate of copy: "), std::string::npos);
}

TEST_F(Stored, AnExportedHeaderHasAKernelThatIsKnownByItsName) {
  ASSERT_EQ(sweep({"--budget", "2"}).status, 0);
  const std::string name = "\nnamespace copy {\n";
  const Finished one = run({"export", "copy", "--format", "header"});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_NE(one.out.find(name), std::string::npos);
  EXPECT_NE(run({"export", "--format", "header"}).out.find(name), std::string::npos);
  std::filesystem::remove(file_);
  EXPECT_EQ(run({"export", "copy", "--format", "header"}).status, 2);
}

TEST_F(Stored, AKernelThatIsKnownFromAnImportIsFoundWhereTheUserSaidThatItIs) {
  ASSERT_EQ(sweep({"--budget", "2"}).status, 0);
  const TemporaryFolder elsewhere;
  const std::string exported = elsewhere / "copy.json";
  ASSERT_EQ(run({"export", "copy", "--output", exported}).status, 0);
  const auto there = [&](const std::vector<std::string>& words) {
    return run_tilewright(elsewhere.path(), words);
  };
  const Finished missing = there({"import", exported, "--manifest", elsewhere / "none.toml"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("none.toml"), std::string::npos) << missing.err;
  const Finished imported = there({"import", exported, "--manifest", file_});
  ASSERT_EQ(imported.status, 0) << imported.err;
  const Finished best = there({"best", "copy", "n=4096", "--device", "host"});
  EXPECT_EQ(best.status, 0) << best.err;
  EXPECT_NE(best.out.find("copy n=4096 | "), std::string::npos) << best.out;
  // The path stays at home.
  EXPECT_EQ(there({"export", "copy"}).out, content_of(exported));
}

TEST_F(Stored, AKernelIsKnownFromTheRecordsOfAnotherTuner) {
  const Finished imported =
      run({"import", home_ / "cache.json", "--as", file_, "n=64", "--device", "host"});
  ASSERT_EQ(imported.status, 0) << imported.err;
  EXPECT_EQ(run({"best", "copy", "n=64", "--device", "host"}).status, 0);
  EXPECT_EQ(run({"export"}).out.find(kernels_.path()), std::string::npos);
  EXPECT_EQ(run({"import", home_ / "cache.json", "--as", file_, "--manifest", file_}).status, 2);
}

TEST_F(Stored, RecordsOfAnotherTunerThatWereCutAreNotFinished) {
  const std::string whole = kCache;
  const std::string cut = whole.substr(0, whole.find(", \"64\"") + 12);
  write_text(home_ / "cut.json", cut);
  write_text(home_ / "cut.json.gz", gzip(whole).substr(0, gzip(whole).size() - 4));
  for (const auto& [name, count] : {std::pair("cut.json", 1), std::pair("cut.json.gz", 2)}) {
    const TemporaryFolder elsewhere;
    const auto there = [&](const std::vector<std::string>& words) {
      return run_tilewright(elsewhere.path(), words);
    };
    const Finished imported =
        there({"import", home_ / name, "--as", file_, "n=64", "--device", "host"});
    EXPECT_EQ(imported.status, 0) << imported.err;
    const std::string file = home_ / name;
    EXPECT_TRUE(imported.err.starts_with(file + ": its device is 'X'; taken for ")) << imported.err;
    EXPECT_TRUE(imported.err.ends_with(
        '\n' + file +
        ": ends early, because it was cut or is still being written; whole configurations: " +
        std::to_string(count) + "; their sweep is not finished\n"))
        << imported.err;
    const auto stored = nlohmann::json::parse(there({"results", "--all", "--json"}).out);
    EXPECT_EQ(stored.at("sweeps").at(0).at("finished"), 0) << stored;
  }
}

TEST_F(Stored, ALargerBudgetGoesOnWithTheTrialsThatAreThere) {
  const auto tried = [](const Finished& swept) {
    return nlohmann::json::parse(swept.out).at("report").at("tried").get<int>();
  };
  ASSERT_EQ(tried(sweep({"--budget", "2", "--json"})), 2);
  const Finished more = sweep({"--budget", "4", "--json"});
  EXPECT_EQ(more.status, 0);
  EXPECT_NE(more.err.find("going on from an earlier sweep: 2 trials kept"), std::string::npos)
      << more.err;
  EXPECT_EQ(tried(more), 2);
  EXPECT_EQ(nlohmann::json::parse(more.out).at("report").at("seen"), 4);
  const Finished less = sweep({"--budget", "3", "--json"});  // begins with the two
  EXPECT_EQ(tried(less), 1) << less.err;
  const Finished all = sweep({"--budget", "all", "--json"});
  EXPECT_EQ(tried(all), 1) << all.err;
  EXPECT_EQ(tried(sweep({"--budget", "2", "--json", "--fresh"})), 2);
  // Other inputs are other trials.
  const Finished other = sweep({"--budget", "4", "--json", "--seed", "7"});
  EXPECT_EQ(tried(other), 4) << other.err;
  EXPECT_EQ(other.err.find("kept"), std::string::npos) << other.err;
}

TEST_F(Stored, RecordsOfAGpuThatNobodySweptAreImported) {
  const auto import = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"import", home_ / "cache.json", "--as", file_, "n=4096"});
    return run(words);
  };
  const Finished unknown = import({"--device", "NVIDIA A4000"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("--arch sm_86"), std::string::npos) << unknown.err;
  EXPECT_EQ(import({"--device", "cuda:0", "--arch", "sm_86"}).status, 2);
  EXPECT_EQ(import({"--device", "NVIDIA A4000", "--arch", "sm_1"}).status, 2);
  EXPECT_EQ(import({"--device", "NVIDIA A4000", "--sm-count", "48"}).status, 2);
  EXPECT_EQ(import({"--device", "A", "--arch", "sm_86", "--sm-count", "0"}).status, 2);
  EXPECT_EQ(import({"--device", "A", "--arch", "sm_86", "--sm-count", "9999999"}).status, 2);
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  const std::vector<std::string> described = {"--device", "NVIDIA A4000", "--arch",
                                              "sm_86",    "--sm-count",   "48"};
  const Finished imported = import(described);
  EXPECT_EQ(imported.status, 0) << imported.err;
  EXPECT_NE(import(described).out.find("0 of 1"), std::string::npos);
  EXPECT_EQ(import({"--device", "A4000"}).status, 0);  // is on record now
  const Finished best = run({"best", file_, "n=4096", "--device", "A4000", "--format", "json"});
  ASSERT_EQ(best.status, 0) << best.err;
  const auto json = nlohmann::json::parse(best.out);
  EXPECT_EQ(json.at("configuration").at("BLOCK"), 64);
  EXPECT_EQ(json.at("result").at("device").at("sm_count"), 48);
}

}  // namespace
}  // namespace tilewright::test
