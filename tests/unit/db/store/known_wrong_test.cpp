#include <gtest/gtest.h>

#include "db/exchange/exchange.hpp"
#include "db/store/store.hpp"
#include "tests/unit/db/samples.hpp"

namespace tilewright {
namespace {

using test::environment;
using test::failed;
using test::finished;
using test::measured;
using test::sweep_key;
using test::tile;
using Start = Store::Start;

class KnownWrongRows : public ::testing::Test {
 protected:
  // Those of one configuration.
  std::vector<Configuration> wrong() const {
    std::vector<Configuration> all;
    for (const KnownWrong& one : store_.known_wrong("gemm"))
      if (one.configuration) all.push_back(*one.configuration);
    return all;
  }

  test::Folder folder_;
  Store store_{folder_ / "s.db"};
};

TEST_F(KnownWrongRows, AreThoseThatTheCodeIsToBlameFor) {
  finished(store_, sweep_key(),
           {measured(1, 9), failed(2, Outcome::wrong_answer), failed(3, Outcome::faulted),
            failed(4, Outcome::wrote_out_of_bounds), failed(5, Outcome::timed_out),
            failed(6, Outcome::compile_failed), failed(7, Outcome::launch_failed)});
  EXPECT_EQ(wrong(), (std::vector{tile(2), tile(3), tile(4)}));
  const KnownWrong first = store_.known_wrong("gemm").at(0);
  EXPECT_EQ(first.implementation, "gemm/tiled");
  EXPECT_EQ(first.source_hash, "cc");
  EXPECT_EQ(first.problem, test::cube(1024));
  EXPECT_EQ(first.device, test::h200().name);
  EXPECT_EQ(first.outcome, Outcome::wrong_answer);
  EXPECT_EQ(store_.known_wrong(""), store_.known_wrong("gemm"));
  EXPECT_TRUE(store_.known_wrong("conv1d").empty());
}

TEST_F(KnownWrongRows, SayIfNoneWasRight) {
  const auto sweep = store_.begin_sweep(sweep_key(), environment(), Start::fresh);
  store_.add_trials(sweep.id, {failed(2, Outcome::wrong_answer), failed(3, Outcome::timed_out),
                               failed(4, Outcome::pruned), failed(5, Outcome::duplicate)});
  const auto all = store_.known_wrong("gemm");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].configuration, std::nullopt);
  EXPECT_EQ(all[1].wrong, 1U);
  EXPECT_EQ(all[1].tried, 2U);
  store_.add_trials(sweep.id, {measured(6, 9)});
  EXPECT_EQ(store_.known_wrong("gemm").size(), 1U);
}

TEST_F(KnownWrongRows, ANewerSweepThatMeasuresItCorrectsThem) {
  finished(store_, sweep_key(), {measured(2, 9), measured(3, 9), measured(4, 9)});
  finished(store_, sweep_key(),
           {failed(2, Outcome::wrong_answer), measured(3, 9),
            failed(3, Outcome::faulted, Stage::final)});
  EXPECT_EQ(wrong(), (std::vector{tile(2), tile(3)})) << "found later, and in the same sweep";
  finished(store_, sweep_key(512), {measured(2, 9)});
  EXPECT_EQ(wrong().size(), 2U) << "another problem";
  finished(store_, sweep_key(), {measured(2, 9)});
  EXPECT_EQ(wrong(), std::vector{tile(3)});
}

TEST_F(KnownWrongRows, ImportedSweepsCount) {
  Store elsewhere(folder_ / "elsewhere.db");
  finished(elsewhere, sweep_key(), {failed(2, Outcome::wrong_answer)});
  store_.import_sweeps(import_json(export_json(elsewhere, {}), "x.json"));
  EXPECT_EQ(wrong(), std::vector{tile(2)});
}

}  // namespace
}  // namespace tilewright
