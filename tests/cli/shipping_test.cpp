#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"

namespace tilewright::test {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A cache of Kernel Tuner for gemm/naive under other names, with a constant of its own.
std::string naive_cache() {
  nlohmann::json entries;
  for (const int x : {16, 32, 64, 7})
    entries[std::to_string(x)] = {{"bx", x},
                                  {"BLOCK_Y", 8},
                                  {"constant", 3},
                                  {"time", 0.001 * x},
                                  {"timestamp", "2024-05-06 07:08:09.5+00:00"}};
  return nlohmann::ordered_json({{"device_name", "Some GPU"},
                                 {"kernel_name", "sgemm"},
                                 {"tune_params_keys", {"bx", "BLOCK_Y", "constant"}},
                                 {"cache", entries}})
      .dump();
}

TEST(ShippedDevices, AnswerForOperationsThatOnlyOthersHaveResultsOf) {
  const TemporaryFolder home;
  const Finished best =
      run_tilewright(home.path(), {"best", "stencil3d", "steps=2", "--device", "H200"});
  EXPECT_EQ(best.status, 0) << best.err;
  EXPECT_TRUE(has(best.out, "| NVIDIA H200 | near device")) << best.out;
}

TEST(ShippedDevices, ANameThatNothingHasIsRefusedWithoutADatabaseToo) {
  const TemporaryFolder home;
  for (const char* command : {"best", "show"}) {
    const Finished refused = run_tilewright(
        home.path(), {command, "gemm/naive", "--device", "banana", "--shipped", "none"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(refused.out, "");
    EXPECT_TRUE(
        has(refused.err, "--device 'banana': there are no results of gemm; give cuda:N or host"))
        << refused.err;
  }
}

class Shipping : public ::testing::Test {
 protected:
  Finished run(const std::vector<std::string>& words) const {
    return run_tilewright(home_.path(), words);
  }
  std::vector<std::string> import_naive() const {
    return {"import",
            elsewhere_ / "cache.json",
            "--as",
            "gemm/naive",
            "M=N=K=512",
            "--device",
            "9000",
            "--rename",
            "bx=BLOCK_X",
            "--db",
            elsewhere_ / "results.db"};
  }
  TemporaryFolder home_;
  TemporaryFolder elsewhere_;
};

TEST_F(Shipping, AnH200IsServedWithoutADatabase) {
  const std::vector<std::string> question = {"best", "gemm", "M=N=K=4096", "--device", "H200"};
  const Finished text = run(question);
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_TRUE(has(text.out, "gemm/blocked") && has(text.out, "shipped")) << text.out;
  std::vector<std::string> without = question;
  without.insert(without.end(), {"--shipped", "none"});
  EXPECT_EQ(run(without).status, 2) << "nothing describes an H200";
  std::vector<std::string> as_json = question;
  as_json.insert(as_json.end(), {"--format", "json", "--require", "device"});
  const auto json = nlohmann::json::parse(run(as_json).out);
  EXPECT_EQ(json.at("rung"), 2);
  EXPECT_EQ(json.at("result").at("shipped"), true);
  EXPECT_TRUE(is_untouched(home_.path()));
}

TEST_F(Shipping, WinnersAreShippedAndServed) {
  add_sample_sweep(elsewhere_ / "results.db");
  const std::string file = elsewhere_ / "winners.json";
  ASSERT_EQ(run({"export", "--format", "winners", "--about", "a test", "--output", file, "--db",
                 elsewhere_ / "results.db"})
                .status,
            0);
  const Finished best = run({"best", "gemm", "M=N=K=512", "--device", "9000", "--shipped", file});
  EXPECT_TRUE(has(best.out, "BLOCK_X=128") && has(best.out, "exact")) << best.out << best.err;
  EXPECT_TRUE(has(best.out, "default 2.0x slower")) << best.out;
  const Finished piped = run_tilewright_within(
      home_.path(), {"sh", "-c", "cat '" + file + "' | \"$0\" \"$@\" --shipped /dev/stdin"},
      {"best", "gemm", "M=N=K=512", "--device", "9000"});
  EXPECT_EQ(piped.out, best.out) << piped.err;
  const Finished import = run({"import", file});
  EXPECT_EQ(import.status, 2);
  EXPECT_TRUE(has(import.err, "winners without their sweeps")) << import.err;
}

TEST_F(Shipping, MacrosAreChosenByTheDevice) {
  const Finished defines = run({"export", "gemm", "M=N=K=4096", "--format", "defines"});
  ASSERT_EQ(defines.status, 0) << defines.err;
  for (const char* part :
       {"if defined(TILEWRIGHT_DEVICE_NVIDIA_H200)\n", "#define BLOCK_M 128\n",
        "#elif defined(TILEWRIGHT_COMPUTE_CAPABILITY) && TILEWRIGHT_COMPUTE_CAPABILITY == 90\n",
        "#define TILEWRIGHT_IMPLEMENTATION \"gemm/blocked\"\n", "#error"})
    EXPECT_TRUE(has(defines.out, part)) << part << " in\n" << defines.out;
  EXPECT_EQ(run({"export", "gemm", "--format", "defines", "--shipped", "none"}).status, 1);
  EXPECT_EQ(run({"export", "gemm", "M=N=K=4096"}).status, 2);
}

TEST_F(Shipping, AHeaderNeedsNoDatabase) {
  const Finished header = run({"export", "gemm", "--format", "header"});
  EXPECT_EQ(header.status, 0) << header.err;
  EXPECT_TRUE(has(header.out, "namespace gemm")) << header.out.substr(0, 500);
  EXPECT_EQ(run({"export", "gemm", "--format", "header", "--shipped", "none"}).status, 1);
}

TEST_F(Shipping, AShippedFileThatCannotBeReadIsNotPassedOver) {
  const std::string broken = elsewhere_ / "broken.json";
  write_text(broken, R"({"format": "tilewright-winners", "version": 1})");
  const std::string none = elsewhere_ / "none.json";
  const std::string output = elsewhere_ / "output";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"export", "gemm", "--format", "header"},
        {"export", "gemm", "M=N=K=64", "--format", "defines"},
        {"bundle", "gemm", "--arch", "host"}})
    for (const std::string& file : {broken, none}) {
      std::vector<std::string> line = words;
      line.insert(line.end(), {"--shipped", file, "--output", output});
      const Finished refused = run(line);
      EXPECT_EQ(refused.status, 2) << words[0];
      EXPECT_TRUE(has(refused.err, file.c_str())) << refused.err;
    }
  EXPECT_FALSE(std::filesystem::exists(output));
  EXPECT_EQ(run({"best", "gemm", "--shipped", none}).status, 2);
  EXPECT_EQ(run({"best", "gemm", "--shipped", broken}).status, 2);
  EXPECT_EQ(run({"sweep", "gemm/naive", "M=8", "--device", "host", "--shipped", broken}).status, 2);
  EXPECT_EQ(run({"best", "gemm", "--shipped", "none", "--shipped", broken}).err,
            "tilewright: --shipped none: give it alone, without other places\n");
}

TEST_F(Shipping, DatabasesAreMergedAndCompared) {
  const std::string one = elsewhere_ / "one.db";
  const std::string other = elsewhere_ / "other.db";
  add_sample_sweep(one);
  const Finished merged = run({"import", one, "--db", other});
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_TRUE(has(run({"import", one, "--db", other}).out, "0 of 1 sweeps are new"));
  EXPECT_TRUE(has(run({"results", "--db", other}).out, "imported"));
  const Finished lone = run({"import", one, "--policy", "cold", "--db", other});
  EXPECT_EQ(lone.status, 2);
  EXPECT_TRUE(has(lone.err, "--policy describes a file of another tuner")) << lone.err;
  const Finished same = run({"diff", one, other});
  EXPECT_EQ(same.status, 0) << same.out << same.err;
  EXPECT_TRUE(has(same.out, "1 the same")) << same.out;

  add_sample_sweep(other, sample_device("NVIDIA Test 9001"));
  const Finished more = run({"diff", one, other, "--json"});
  EXPECT_EQ(more.status, 1) << more.err;
  const auto json = nlohmann::json::parse(more.out);
  EXPECT_EQ(json.at("changes").size(), 1U);
  EXPECT_TRUE(json.at("changes")[0].at("first").is_null());
  ASSERT_EQ(run({"export", "--output", elsewhere_ / "all.json", "--db", other}).status, 0);
  EXPECT_EQ(run({"diff", other, elsewhere_ / "all.json"}).status, 0);
  EXPECT_EQ(run({"diff", one}).status, 2);
  EXPECT_EQ(run({"diff", one, elsewhere_ / "none.db"}).status, 2);
}

TEST_F(Shipping, ADifferenceGoesFromTheFirstToTheSecond) {
  const std::string fast = elsewhere_ / "fast.db";
  const std::string slow = elsewhere_ / "slow.db";
  add_sample_sweep(fast);
  std::filesystem::copy_file(fast, slow);
  set_times(slow, "median_us = 100", std::vector<double>(6, 140));
  const Finished slower = run({"diff", fast, slow});
  EXPECT_TRUE(has(slower.out, "  100 µs → 140 µs, 1.4x slower, intervals apart\n"))
      << slower.out << slower.err;
  const Finished faster = run({"diff", slow, fast});
  EXPECT_TRUE(has(faster.out, "  140 µs → 100 µs, 1.4x faster, intervals apart\n")) << faster.out;
}

TEST_F(Shipping, MergingInAnyOrderGivesTheSameAnswers) {
  const std::string one = elsewhere_ / "one.db";
  const std::string other = elsewhere_ / "other.db";
  add_sample_sweep(one);
  add_sample_sweep(other);
  add_sample_sweep(other, sample_device("NVIDIA Test 9001"));
  const std::string ahead = elsewhere_ / "ahead.db";
  const std::string back = elsewhere_ / "back.db";
  const Finished merged = run({"merge", one, other, "--into", ahead});
  ASSERT_EQ(merged.status, 0) << merged.err;
  EXPECT_TRUE(has(merged.out, "3 of 3 sweeps are new")) << merged.out;
  ASSERT_EQ(run({"merge", other, "--into", back}).status, 0);
  ASSERT_EQ(run({"merge", one, other, "--into", back}).status, 0);  // some of it once more
  EXPECT_EQ(run({"export", "--db", ahead}).out, run({"export", "--db", back}).out);
  for (const char* device : {"9000", "9001"}) {
    const auto best = [&](const std::string& database) {
      return run({"best", "gemm", "M=N=K=512", "--device", device, "--db", database, "--format",
                  "defines"});
    };
    EXPECT_EQ(best(ahead).status, 0);
    EXPECT_EQ(best(ahead).out, best(back).out);
  }
}

TEST_F(Shipping, MergingNeedsBothEnds) {
  const std::string into = elsewhere_ / "all.db";
  EXPECT_EQ(run({"merge", "--into", into}).status, 2);
  EXPECT_EQ(run({"merge", elsewhere_ / "none.db", "--into", into}).status, 2);
  EXPECT_FALSE(std::filesystem::exists(into));
  const Finished nowhere = run({"merge", elsewhere_ / "none.db"});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_TRUE(has(nowhere.err, "--into DATABASE is missing")) << nowhere.err;
}

TEST_F(Shipping, AnotherTunersRecordIsImportedAndMarked) {
  write_text(elsewhere_ / "cache.json", naive_cache());
  add_sample_sweep(elsewhere_ / "results.db", sample_device("NVIDIA Test 9000 B"));
  const Finished import = run(import_naive());
  ASSERT_EQ(import.status, 0) << import.err;
  EXPECT_TRUE(has(import.out, "1 of 1 sweeps are new")) << import.out;
  EXPECT_TRUE(has(import.err, "1 of 4 configurations")) << import.err;
  EXPECT_TRUE(has(run(import_naive()).out, "0 of 1"));
  const std::string db = elsewhere_ / "results.db";
  const Finished mine = run({"best", "gemm", "M=N=K=512", "--device", "9000", "--db", db});
  EXPECT_TRUE(has(mine.out, "BLOCK_X=128")) << mine.out;  // verified, though not the fastest
  std::vector<std::string> unnamed = import_naive();
  std::erase_if(unnamed,
                [](const std::string& word) { return has(word, "bx=") || word == "--rename"; });
  const Finished refused = run(unnamed);
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(has(refused.err, "'bx'")) << refused.err;
}

}  // namespace
}  // namespace tilewright::test
