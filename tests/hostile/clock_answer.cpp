#include "tests/hostile/clock_answer.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "db/store/store.hpp"
#include "db/tables/sqlite.hpp"

namespace tilewright::test {
namespace {

std::string without_unused(Configuration configuration) {
  configuration.values.erase("UNUSED");
  return to_text(configuration.values);
}

void add_trials(const std::vector<Trial>& trials, ClockAnswer& answer) {
  std::set<std::pair<std::string, Stage>> distinct;
  for (const Trial& trial : trials) {
    ++answer.rows;
    const std::string name = to_text(trial.configuration.values);
    distinct.emplace(name, trial.stage);
    if (trial.stage == Stage::final) {
      answer.finals[name] = trial.timing.value_or(Timing{}).median_us;
    } else {
      ++answer.configurations[name];
      answer.twins[without_unused(trial.configuration)].insert(std::string(to_text(trial.outcome)));
    }
  }
  answer.distinct_rows += distinct.size();
}

}  // namespace

std::map<std::string, ClockAnswer> clock_answers(const std::filesystem::path& database) {
  EXPECT_EQ(Database(database, Database::Mode::read_only, std::chrono::milliseconds(0))
                .text("SELECT group_concat(integrity_check) FROM pragma_integrity_check"),
            "ok");
  std::map<std::string, ClockAnswer> answers;
  const Store store(database, Store::Mode::read_only);
  for (const SweepRecord& sweep : store.sweeps({})) {
    ClockAnswer& answer = answers[to_text(sweep.key.problem.values)];
    ++answer.sweeps;
    answer.is_finished = sweep.finished > 0;
    answer.is_own = !sweep.imported;
    add_trials(store.trials(sweep.id), answer);
  }
  for (const BestRow& row : store.best({}))
    answers[to_text(row.problem.values)].winner = to_text(row.configuration.values);
  return answers;
}

void expect_same(const ClockAnswer& answer, const ClockAnswer& undisturbed) {
  EXPECT_EQ(answer.sweeps, 1U);
  EXPECT_TRUE(answer.is_finished);
  EXPECT_TRUE(answer.is_own);
  EXPECT_EQ(answer.rows, answer.distinct_rows);
  EXPECT_EQ(answer.configurations, undisturbed.configurations);
  for (const auto& [name, outcomes] : undisturbed.twins)
    EXPECT_EQ(answer.twins.at(name), outcomes) << name;
  EXPECT_EQ(answer.finals, undisturbed.finals);
  EXPECT_EQ(answer.winner, undisturbed.winner);
}

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr || *text == '\0' ? otherwise : std::stoull(text);
}

}  // namespace tilewright::test
