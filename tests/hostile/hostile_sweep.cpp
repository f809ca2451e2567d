#include "tests/hostile/hostile_sweep.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "db/store/store.hpp"
#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRight = "none";
constexpr std::size_t kRightOnes = 5;  // values of BLOCK

// TILEWRIGHT_TEST_SOURCE: where the tests run on another machine than they were built on.
fs::path hostile_folder() {
  const char* const source = std::getenv("TILEWRIGHT_TEST_SOURCE");
  const bool is_given = source != nullptr && *source != '\0';
  return fs::path(is_given ? source : TILEWRIGHT_SOURCE_DIR) / "tests" / "hostile";
}

struct Expectation {
  std::string outcome;
  std::string rule;
};

// By fault. A kind without a column of its own is judged by that of `host`.
std::map<std::string, Expectation> expectations(const std::string& kind) {
  std::ifstream file(hostile_folder() / "expected.json");
  std::map<std::string, Expectation> result;
  for (const auto& row : nlohmann::json::parse(file)) {
    const auto& column = row.at(row.contains(kind) ? kind : "host");
    result[row.at("fault")] = {column.at("outcome"), column.value("rule", "")};
  }
  return result;
}

struct Swept {
  Finished program;
  std::vector<SweepRecord> sweeps;
  std::vector<Trial> trials;  // of the only sweep
  std::vector<BestRow> best;
};

// Limits are short, but long enough for a machine that is busy.
Swept sweep(const fs::path& home, const std::string& device, const std::string& name,
            const std::vector<std::string>& more) {
  const fs::path database = home / (name + ".db");
  std::vector<std::string> words = {"sweep",
                                    (hostile_folder() / "hostile.toml").string(),
                                    "--device",
                                    device,
                                    "--db",
                                    database.string(),
                                    "--compile-limit",
                                    "20s",
                                    "--compile-memory",
                                    "1G",
                                    "--load-limit",
                                    "10s",
                                    "--verify-limit",
                                    "6s",
                                    "--sample-limit",
                                    "6s"};
  words.insert(words.end(), more.begin(), more.end());
  Swept swept;
  swept.program = run_tilewright(home, words);
  if (!fs::exists(database)) return swept;
  const Store store(database, Store::Mode::read_only);
  swept.sweeps = store.sweeps({});
  if (!swept.sweeps.empty()) swept.trials = store.trials(swept.sweeps.front().id);
  swept.best = store.best({});
  return swept;
}

std::string fault_of(const Configuration& configuration) {
  return std::get<std::string>(configuration.values.at("FAULT"));
}

void expect_finished(const Swept& swept) {
  EXPECT_EQ(swept.program.status, 0) << swept.program.err;
  ASSERT_EQ(swept.sweeps.size(), 1U) << swept.program.err;
  EXPECT_GT(swept.sweeps.front().finished, 0);
}

void expect_outcome(const Trial& trial, const Expectation& expected) {
  const std::string what = to_text(trial.configuration.values) + ": " + trial.message;
  EXPECT_EQ(to_text(trial.outcome), expected.outcome) << what;
  EXPECT_EQ(trial.rule, expected.rule) << what;
  EXPECT_EQ(trial.message.empty(), trial.outcome == Outcome::measured) << what;
  EXPECT_EQ(trial.timing.has_value(), trial.outcome == Outcome::measured) << what;
}

// What a configuration's neighbours must not change.
using Result = std::tuple<Outcome, std::int64_t, std::int64_t, double>;
std::map<std::string, Result> results_of_right_ones(const std::vector<Trial>& trials) {
  std::map<std::string, Result> results;
  for (const Trial& trial : trials) {
    if (fault_of(trial.configuration) != kRight || trial.stage != Stage::screen) continue;
    const Verification checked = trial.verification.value_or(Verification{});
    results[to_text(trial.configuration.values)] = {trial.outcome, checked.outputs_checked,
                                                    checked.outputs_total, checked.worst_error};
  }
  return results;
}

}  // namespace

void expect_survival(const std::string& device, const std::string& kind) {
  const TemporaryFolder home;
  const auto expected = expectations(kind);
  const Swept all = sweep(home.path(), device, "all", {});
  expect_finished(all);
  std::set<std::string> seen;
  std::set<std::pair<std::string, Stage>> rows;
  for (const Trial& trial : all.trials) {
    const std::string fault = fault_of(trial.configuration);
    ASSERT_TRUE(expected.contains(fault)) << fault << " is not in expected.json";
    expect_outcome(trial, expected.at(fault));
    EXPECT_TRUE(rows.emplace(to_text(trial.configuration.values), trial.stage).second)
        << to_text(trial.configuration.values) << " has two rows of one stage";
    seen.insert(fault);
  }
  EXPECT_EQ(seen.size(), expected.size());
  ASSERT_EQ(all.best.size(), 1U);
  EXPECT_EQ(expected.at(fault_of(all.best.front().configuration)).outcome, "measured");
  EXPECT_EQ(all.best.front().trial.stage, Stage::final);

  const Swept right = sweep(home.path(), device, "right", {"--where", "FAULT == 'none'"});
  expect_finished(right);
  const auto results = results_of_right_ones(all.trials);
  EXPECT_EQ(results.size(), kRightOnes);
  EXPECT_EQ(results, results_of_right_ones(right.trials));
}

}  // namespace tilewright::test
