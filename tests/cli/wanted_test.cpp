#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"

namespace tilewright::test {
namespace {

class WantedBy : public ::testing::Test {
 protected:
  Finished run(const std::vector<std::string>& words) const {
    return run_tilewright(home_.path(), words);
  }
  std::string file(const std::string& name) const { return (home_ / name).string(); }
  nlohmann::json list(const std::string& database) const {
    return nlohmann::json::parse(run({"wanted", "--db", file(database), "--json"}).out)
        .at("wanted");
  }
  // A product of this size, asked for so many times.
  static Wanted asked(std::int64_t size, std::int64_t hits, const Device& device) {
    Wanted wanted{{sample_problem(), device, {CachePolicy::warm, "call"}}, hits, 7, 1'700'000'000};
    for (const char* name : {"M", "N", "K", "lda", "ldb", "ldc"})
      wanted.subject.problem.values[name] = size;
    for (const char* name : {"stride_a", "stride_b", "stride_c"})
      wanted.subject.problem.values[name] = size * size;
    return wanted;
  }

  TemporaryFolder home_;
};

TEST_F(WantedBy, ADatabaseThatIsNotThereIsNamed) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"wanted"}, {"sweep", "gemm", "--wanted", "--device", "host"}}) {
    std::vector<std::string> command = words;
    command.insert(command.end(), {"--db", file("none.db")});
    const Finished finished = run(command);
    EXPECT_EQ(finished.status, 1);
    EXPECT_NE(finished.err.find("there is no database " + file("none.db")), std::string::npos)
        << finished.err;
  }
}

TEST_F(WantedBy, ProcessesIsGatheredOnce) {
  const Device device = sample_device();
  Store(file("rank0.db")).add_wanted({asked(64, 3, device), asked(512, 2, device)});
  Store(file("rank1.db")).add_wanted({asked(64, 4, device)});
  for (int i = 0; i < 2; ++i) {
    const Finished gathered =
        run({"wanted", file("rank0.db"), file("rank1.db"), "--into", file("best.db")});
    EXPECT_EQ(gathered.status, 0) << gathered.err;
    EXPECT_EQ(gathered.out, i == 0 ? "3 questions gathered\n" : "0 questions gathered\n");
  }
  const auto all = list("best.db");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all.at(0).at("problem").at("M"), 512) << "few large products cost more";
  EXPECT_EQ(all.at(1).at("asked"), 7);
  EXPECT_EQ(run({"wanted", "--db", file("rank0.db")}).status, 1);
  const Finished shown = run({"wanted", "--db", file("best.db")});
  EXPECT_NE(shown.out.find("K=512"), std::string::npos) << shown.out;
}

TEST_F(WantedBy, NobodyIsRefused) {
  EXPECT_EQ(run({"wanted"}).status, 1);
  EXPECT_EQ(run({"wanted", file("a.db")}).status, 2);
  Store(file("unasked.db"));
  const Finished nothing = run({"wanted", "--db", file("unasked.db")});
  EXPECT_EQ(nothing.status, 1);
  EXPECT_NE(nothing.err.find("runtime.store_wanted()"), std::string::npos) << nothing.err;
  const Finished none = run({"wanted", file("a.db"), "--into", file("b.db")});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("there is no database"), std::string::npos) << none.err;
  Store(file("a.db")).add_wanted({asked(64, 3, sample_device())});
  EXPECT_EQ(run({"wanted", file("a.db"), "--into", file("a.db")}).status, 2);
  EXPECT_EQ(list("a.db").size(), 1U);
}

TEST_F(WantedBy, ABadFileLeavesAllAsTheyAre) {
  Store(file("a.db")).add_wanted({asked(64, 3, sample_device())});
  write_text(home_ / "bad.db", "garbage");
  write_text(home_ / "empty.db", "");
  for (const auto& [name, status] : {std::pair("none.db", 2), {"bad.db", 3}, {"empty.db", 3}}) {
    const Finished refused = run({"wanted", file("a.db"), file(name), "--into", file("all.db")});
    EXPECT_EQ(refused.status, status) << refused.err;
    EXPECT_EQ(list("a.db").size(), 1U) << name;
    EXPECT_FALSE(std::filesystem::exists(home_ / "all.db")) << name;
  }
  EXPECT_EQ(content_of(home_ / "empty.db"), "");
}

// Applications ask on the host, a nightly sweep answers.
TEST_F(WantedBy, AnApplicationIsSweptTheMostValuableFirst) {
  const std::vector<std::string> common = {"--device", "host", "--budget",
                                           "2",        "--db", file("best.db")};
  const auto sweep = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"sweep", "gemm/naive"});
    words.insert(words.end(), common.begin(), common.end());
    return run(words);
  };
  ASSERT_EQ(sweep({"M=N=K=16"}).status, 0);
  Store store(file("best.db"));
  const Device host = store.sweeps({}).front().key.device;
  store.add_wanted({asked(8, 5, host), asked(24, 5, host), asked(32, 1'000, sample_device())});
  const Finished both = sweep({"--wanted"});
  EXPECT_EQ(both.status, 0) << both.err;
  const std::size_t larger = both.out.find("K=24");
  ASSERT_NE(larger, std::string::npos) << both.out;
  EXPECT_LT(larger, both.out.find("K=8")) << both.out;
  EXPECT_EQ(sweep({"--wanted"}).status, 1) << "those of another device are left to it";
  EXPECT_EQ(list("best.db").size(), 1U);

  std::vector<Wanted> many;  // nobody sweeps so many in a second
  for (int size = 33; size < 93; ++size) many.push_back(asked(size, 1, host));
  store.add_wanted(many);
  const Finished limited = sweep({"--wanted", "--time-limit", "1s"});
  EXPECT_EQ(limited.status, 0) << limited.err;
  EXPECT_NE(limited.out.find("K=92"), std::string::npos) << limited.out;
  EXPECT_EQ(limited.out.find("K=33"), std::string::npos) << limited.out;
  EXPECT_NE(limited.err.find("for another time"), std::string::npos) << limited.err;
}

}  // namespace
}  // namespace tilewright::test
