#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"

namespace tilewright::test {
namespace {

class FingerprintOf : public ::testing::Test {
 protected:
  Finished run(const std::vector<std::string>& words,
               const std::vector<std::string>& environment = {}) const {
    return run_tilewright(home_.path(), words, environment);
  }
  std::string file(const std::string& name) const { return (home_ / name).string(); }
  std::string fingerprint(const std::string& database) const {
    const Finished finished = run({"fingerprint", "--db", file(database)});
    EXPECT_EQ(finished.status, 0) << finished.err;
    return finished.out;
  }

  TemporaryFolder home_;
};

TEST_F(FingerprintOf, DatabasesIsEqualHoweverTheyWereMerged) {
  add_sample_sweep(file("one.db"));
  add_sample_sweep(file("two.db"), sample_device("another"));
  ASSERT_EQ(run({"merge", file("one.db"), file("two.db"), "--into", file("a.db")}).status, 0);
  ASSERT_EQ(run({"merge", file("two.db"), "--into", file("b.db")}).status, 0);
  ASSERT_EQ(run({"merge", file("one.db"), "--into", file("b.db")}).status, 0);
  EXPECT_EQ(fingerprint("a.db").size(), 33U);
  EXPECT_EQ(fingerprint("a.db"), fingerprint("b.db"));
  EXPECT_NE(fingerprint("a.db"), fingerprint("one.db"));
}

TEST_F(FingerprintOf, PartsAreListed) {
  add_sample_sweep(file("one.db"));
  const Finished finished = run({"fingerprint", "--db", file("one.db"), "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto json = nlohmann::json::parse(finished.out);
  EXPECT_EQ(json.at("fingerprint").get<std::string>() + '\n', fingerprint("one.db"));
  std::string names;
  for (const auto& part : json.at("parts")) names += part.at("name").get<std::string>() + ' ';
  EXPECT_EQ(names, "tilewright definitions sources libraries overrides shipped results database ");
}

TEST_F(FingerprintOf, NothingIsRefused) {
  const Finished none = run({"fingerprint", "--db", file("missing.db")});
  EXPECT_EQ(none.status, 3);
  EXPECT_NE(none.err.find("missing.db"), std::string::npos) << none.err;
  EXPECT_EQ(run({"fingerprint", "best.db"}).status, 2);
}

TEST_F(FingerprintOf, FrozenAnswersDependOnTheDatabaseAlone) {
  add_sample_sweep(file("frozen.db"));
  std::filesystem::permissions(file("frozen.db"), std::filesystem::perms::owner_read);
  const std::vector<std::string> words = {"best",     "gemm", "M=N=K=512", "--frozen",
                                          "--format", "json", "--db",      file("frozen.db")};
  const Finished here = run(words);
  ASSERT_EQ(here.status, 0) << here.err;
  const auto json = nlohmann::json::parse(here.out);
  EXPECT_EQ(json.at("rung_name"), "exact");
  EXPECT_FALSE(json.at("result").contains("stale"));
  add_sample_sweep(file("other.db"), sample_device("another"));
  // Another machine: no compiler on the path, another database by default.
  const Finished there =
      run(words, {"PATH=/nowhere", "TILEWRIGHT_DB=" + file("other.db"), "CUDA_VISIBLE_DEVICES="});
  EXPECT_EQ(there.out, here.out) << there.err;
  std::vector<std::string> text = words;
  text.erase(text.begin() + 4, text.begin() + 6);
  const Finished shown = run(text);
  EXPECT_EQ(shown.out.find("now"), std::string::npos) << shown.out;
}

TEST_F(FingerprintOf, FrozenAnswersNeedADatabaseAndOneDevice) {
  const auto expect_refused = [this](std::vector<std::string> more, int status,
                                     const std::string& part) {
    more.insert(more.begin(), {"best", "gemm", "M=N=K=512", "--frozen"});
    const Finished finished = run(more);
    EXPECT_EQ(finished.status, status);
    EXPECT_NE(finished.err.find(part), std::string::npos) << finished.err;
  };
  add_sample_sweep(file("two.db"));
  add_sample_sweep(file("two.db"), sample_device("another"));
  expect_refused({}, 2, "--frozen needs --db");
  expect_refused({"--db", file("none.db")}, 3, "there is no database");
  expect_refused({"--db", file("two.db"), "--device", "host"}, 2, "name of a device");
  expect_refused({"--db", file("two.db")}, 2, "choose one with --device");
}

}  // namespace
}  // namespace tilewright::test
