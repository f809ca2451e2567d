// What is too deep, too large, endless, or not a file (docs/security.md).
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/copy_kernel.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

std::string repeated(std::size_t count, const std::string& text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

std::string nested(std::size_t levels) {
  return repeated(levels, "[") + repeated(levels, "]");
}

class BadInputSize : public ::testing::Test {
 protected:
  // One sentence that begins with the file or has it in quotes, and status 2.
  void expect_refused(const std::vector<std::string>& words, const fs::path& file,
                      const std::string& reason) const {
    const Finished finished = run_tilewright(home_.path(), words);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    EXPECT_NE(finished.err.find(file.string()), std::string::npos) << finished.err;
    EXPECT_NE(finished.err.find(reason), std::string::npos) << finished.err;
  }

  // An export of a sample sweep whose report is `report`.
  fs::path export_with(const nlohmann::ordered_json& report) const {
    add_sample_sweep(home_ / "some.db");
    const fs::path file = home_ / "export.json";
    run_tilewright(home_.path(), {"export", "--output", file, "--db", home_ / "some.db"});
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(content_of(file));
    json.at("sweeps").at(0).at("report") = report;
    write_text(file, json.dump());
    return file;
  }

  fs::path make_pipe() const {
    const fs::path pipe = home_ / "pipe";
    EXPECT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    return pipe;
  }

  TemporaryFolder home_;
  TemporaryFolder kernel_;
};

TEST_F(BadInputSize, DeepManifests) {
  const fs::path file = kernel_ / "deep.toml";
  for (const std::string& deep :
       {"a" + repeated(30'000, ".a") + " = 1", "a = " + nested(30'000),
        "[a" + repeated(100'000, ".a") + ']', "a = " + repeated(30'000, "{a = ")}) {
    write_text(file, "schema = 1\n" + deep + '\n');
    expect_refused({"sweep", file, "--device", "host"}, file, "nests deeper than 100 levels");
  }
}

TEST_F(BadInputSize, DeepExports) {
  const fs::path file = export_with("DEEP");
  std::string text = content_of(file);
  text.replace(text.find("\"DEEP\""), 6, nested(75'000));
  write_text(file, text);
  for (const char* command : {"import", "diff", "replay"}) {
    std::vector<std::string> words = {command, file};
    if (words.front() == "diff") words.push_back(file);
    expect_refused(words, file.filename(), "nests deeper than 100 levels");
  }
}

TEST_F(BadInputSize, DeepCachesOfOtherTuners) {
  const fs::path file = home_ / "cache.json";
  write_text(file, R"({"tune_params_keys": ["a"], "cache": {"1": {"a": )" + nested(100'000) +
                       R"(, "time": 1}}})");
  expect_refused({"replay", file}, file.filename(), "nests deeper than 100 levels");
}

// A text may hold JSON of any depth. It stays a text, so that the export can be read again.
TEST_F(BadInputSize, DeepReportsThatAreTexts) {
  for (const std::size_t levels : {std::size_t{99}, std::size_t{75'000}}) {
    const fs::path file = export_with(nested(levels));
    const fs::path database = home_ / (std::to_string(levels) + ".db");
    const fs::path again = home_ / "again.json";
    EXPECT_EQ(run_tilewright(home_.path(), {"import", file, "--db", database}).status, 0);
    for (const char* option : {"--all", "--json"})
      EXPECT_EQ(run_tilewright(home_.path(), {"results", option, "--db", database}).status, 0);
    EXPECT_EQ(run_tilewright(home_.path(), {"export", "--output", again, "--db", database}).status,
              0);
    EXPECT_EQ(nlohmann::json::parse(content_of(again)).at("sweeps").at(0).at("report"),
              nested(levels));
    const Finished back = run_tilewright(home_.path(), {"import", again, "--db", home_ / "new.db"});
    EXPECT_EQ(back.status, 0) << back.err;
  }
}

TEST_F(BadInputSize, WhatIsNotAFile) {
  const fs::path pipe = make_pipe();
  const fs::path sparse = home_ / "sparse.json";
  write_text(sparse, "{");
  fs::resize_file(sparse, std::uintmax_t{1} << 40);
  for (const char* command : {"import", "replay"}) {
    expect_refused({command, "/dev/zero"}, "/dev/zero", "is neither a regular file nor a pipe");
    expect_refused({command, pipe}, pipe, "is an empty pipe");
    expect_refused({command, home_.path()}, home_.path(), "is a folder; give a file");
    expect_refused({command, sparse}, sparse, "is larger than 512 MiB");
  }
  expect_refused({"sweep", "gemm/naive", "--shapes", "/dev/zero", "--device", "host"}, "/dev/zero",
                 "is neither");
  const fs::path manifest = kernel_ / "pipe.toml";
  ASSERT_EQ(mkfifo(manifest.c_str(), 0600), 0);
  expect_refused({"sweep", manifest}, manifest, "is not a regular file");
}

TEST_F(BadInputSize, APipeIsReadOnce) {
  const std::string text = content_of(export_with("{}"));
  const fs::path pipe = make_pipe();
  std::thread writer([&] {
    const int out = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
    EXPECT_EQ(write(out, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    std::this_thread::sleep_for(std::chrono::seconds(5));
    close(out);
  });
  const Finished finished = run_tilewright(home_.path(), {"import", pipe});
  writer.join();
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(finished.out, "1 of 1 sweeps are new\n");
}

TEST_F(BadInputSize, DatabasesThatAreNotFiles) {
  const fs::path pipe = make_pipe();
  for (const std::string& file : {std::string("/dev/zero"), pipe.string()}) {
    const Finished finished = run_tilewright(home_.path(), {"results", "--db", file});
    EXPECT_EQ(finished.status, 3);
    EXPECT_NE(finished.err.find("database '" + file + "' is not a regular file"), std::string::npos)
        << finished.err;
  }
}

TEST_F(BadInputSize, DatabasesWhoseTablesAreViews) {
  const fs::path file = home_ / "view.db";
  add_sample_sweep(file);
  execute(file,
          "DROP TRIGGER trial_is_append_only; ALTER TABLE trial RENAME TO t0; CREATE VIEW Trial AS "
          "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
          "SELECT t0.* FROM t0, n");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"results", "--db", file},
                                             {"import", file},
                                             {"merge", file, "--into", home_ / "b.db"}}) {
    const Finished finished = run_tilewright(home_.path(), words);
    EXPECT_EQ(finished.status, 3);
    EXPECT_NE(finished.err.find("has the table 'best', which is not tilewright's"),
              std::string::npos)
        << finished.err;
  }
}

TEST_F(BadInputSize, MoreProblemsThanOneSweepTakes) {
  const fs::path file = home_ / "shapes.txt";
  std::string lines;
  for (int i = 1; i <= 200'000; ++i) lines += "M=" + std::to_string(i) + '\n';
  write_text(file, lines);
  expect_refused({"sweep", "gemm/naive", "N=K=16", "--shapes", file, "--device", "host"}, file,
                 "shapes.txt:10001: more than 10000 problems; divide them");
}

TEST_F(BadInputSize, MoreValuesThanAParameterTakes) {
  for (const auto& [count, reason] :
       {std::pair(1'000'000, "is larger than 1 MiB"), std::pair(5000, "'values' has 50")}) {
    std::string values = "values = [32, 64";
    for (int i = 0; i < count; ++i) values += ", " + std::to_string(100 + i);
    const fs::path file = write_copy_kernel(kernel_.path(), {{"values = [32, 64", values}});
    expect_refused({"sweep", file, "--device", "host"}, file, reason);
  }
}

}  // namespace
}  // namespace tilewright::test
