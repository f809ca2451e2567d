#include "db/derived/derive.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "db/derived/choose.hpp"
#include "db/tables/rows.hpp"

namespace tilewright {

namespace {

using AnswerKey = std::vector<Cell>;  // row ids: implementation, device, problem, policy

// The trial, the runner-up, that of the default, how many were measured, and whether it is a tie;
// nothing if there is no answer.
std::vector<Cell> answer_of(Database& database, std::int64_t sweep, const Cell& implementation,
                            const Configuration& default_configuration) {
  Statement select(
      database,
      "SELECT t.id, " + trial_columns() +
          " FROM trial t JOIN implementation i ON i.id = t.implementation WHERE "
          "t.sweep = ? AND t.implementation = ? AND (t.outcome = 'measured' OR t.stage = 'final') "
          "ORDER BY t.id",
      {sweep, implementation});
  std::vector<std::int64_t> ids;
  std::vector<Trial> trials;
  for (auto& [id, trial] : rows_of(select, [](Columns& columns) {
         const std::int64_t id = columns.integer();
         return std::pair(id, read_trial(columns));
       })) {
    ids.push_back(id);
    trials.push_back(std::move(trial));
  }
  const auto winner = choose(trials, default_configuration);
  if (!winner) return {};
  const auto id_of = [&ids](std::optional<std::size_t> i) {
    return i ? Cell{ids[*i]} : Cell{nullptr};
  };
  return {ids[winner->winner], id_of(winner->runner_up), id_of(winner->default_trial),
          to_cell(winner->measured), to_cell(winner->tie)};
}

using DefinitionHashes = std::pair<std::string, std::string>;  // of the source and of the space

// A sweep, and the implementation in question as it saw it.
struct SweepOfSubject {
  std::int64_t id = 0;
  std::int64_t power_limit_w = 0;  // 0: not known
  std::int64_t rigour = 0;
  DefinitionHashes hashes;
  Configuration usual;
};

SweepOfSubject read_sweep_of_subject(Columns& columns) {
  SweepOfSubject sweep;
  read_cells(columns, sweep.id, sweep.power_limit_w, sweep.rigour, sweep.hashes.first,
             sweep.hashes.second, sweep.usual);
  return sweep;
}

// The sweep that answers comes first. The newest of ours has the highest id: a clock that was once
// in the future would make later sweeps look old for ever. The ids of imported sweeps follow the
// order of the imports, so they are ordered by date and uuid.
std::vector<SweepOfSubject> sweeps_of(Database& database, const AnswerKey& subject) {
  return rows_of(
      Statement(database,
                "SELECT s.id, ifnull(e.power_limit_w, 0), s.rigour, si.source_hash, "
                "si.space_hash, si.default_configuration FROM sweep s "
                "JOIN sweep_implementation si ON si.sweep = s.id "
                "JOIN environment e ON e.id = s.environment "
                "WHERE si.implementation = ? AND s.device = ? AND s.problem = ? "
                "AND s.policy = ? AND s.finished IS NOT NULL "
                "ORDER BY s.origin = 'own' DESC, s.rigour DESC, s.budget = 0 DESC, s.budget DESC, "
                "CASE s.origin WHEN 'own' THEN s.id END DESC, s.finished DESC, s.uuid DESC",
                subject),
      read_sweep_of_subject);
}

// The sweeps of one definition that have answered so far.
struct AnsweredDefinition {
  std::int64_t number = 0;
  std::set<std::int64_t> limits = {};
  std::int64_t least_rigour = 0;
};

// One row for each definition and power limit. Definitions are numbered in the order of their first
// answers. The first row of a definition supersedes its others. A sweep gives way to a more
// rigorous one whose limit is not known, because that may have been the same.
void derive(Database& database, const AnswerKey& subject) {
  database.run(
      "DELETE FROM best WHERE implementation = ? AND device = ? AND problem = ? "
      "AND policy = ?",
      subject);
  std::map<DefinitionHashes, AnsweredDefinition> known;
  for (const SweepOfSubject& sweep : sweeps_of(database, subject)) {
    const auto at = known.find(sweep.hashes);
    if (at != known.end() &&
        (at->second.limits.contains(sweep.power_limit_w) || sweep.rigour < at->second.least_rigour))
      continue;
    const auto answer = answer_of(database, sweep.id, subject.front(), sweep.usual);
    if (answer.empty()) continue;
    const auto number = static_cast<std::int64_t>(known.size());
    AnsweredDefinition& own =
        known.try_emplace(sweep.hashes, AnsweredDefinition{number}).first->second;
    std::vector<Cell> cells = subject;
    cells.insert(cells.end(), {own.number, sweep.power_limit_w, to_cell(!own.limits.empty())});
    cells.insert(cells.end(), answer.begin(), answer.end());
    database.run(insert_sql("best", {"implementation", "device", "problem", "policy", "definition",
                                     "power_limit_w", "superseded", "trial", "runner_up",
                                     "default_trial", "measured", "tie"}),
                 cells);
    own.limits.insert(sweep.power_limit_w);
    if (sweep.power_limit_w == 0) own.least_rigour = sweep.rigour;
  }
}

// Derives the rows of the finished sweeps that satisfy the condition.
void derive_where(Database& database, const Condition& condition) {
  std::vector<AnswerKey> subjects;
  Statement select(database,
                   "SELECT DISTINCT si.implementation, s.device, s.problem, s.policy FROM sweep s "
                   "JOIN sweep_implementation si ON si.sweep = s.id "
                   "WHERE s.finished IS NOT NULL AND " +
                       condition.sql,
                   condition.cells);
  while (select.step())
    subjects.push_back(
        {select.integer(0), select.integer(1), select.integer(2), select.integer(3)});
  for (const AnswerKey& subject : subjects) derive(database, subject);
}

}  // namespace

void close_sweep(Database& database, std::int64_t sweep, std::int64_t finished,
                 const std::string& report) {
  database.run(
      "UPDATE sweep SET finished = ?, report = ?, rigour = CASE WHEN filter <> '' OR "
      "instr(strategy, '=') THEN 0 "
      "WHEN EXISTS (SELECT 1 FROM trial t WHERE t.sweep = sweep.id AND t.stage = 'final' "
      "AND t.outcome = 'measured') THEN 2 ELSE 1 END WHERE id = ?",
      {finished, report, sweep});
  database.run("DELETE FROM claim WHERE sweep = ?", {sweep});
}

void derive_best(Database& database, std::int64_t sweep) {
  Condition condition;
  condition.add("s.id = ?", sweep);
  derive_where(database, condition);
}

namespace {

constexpr std::size_t kKept = 32;  // of each implementation

// The logarithms of all times of a problem.
struct ProblemTimes {
  bool counts = true;
  double slowest_default = -1;  // below 0: none was measured
  std::vector<double> all;
};

double middle(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Rounds, so that sums in another order give the same result.
double rounded(double logarithm) {
  return std::round(logarithm * 1e9) / 1e9;
}

std::vector<ProblemTimes> times_by_problem(const LossTable& losses, const Problem* left_out) {
  std::vector<ProblemTimes> problems(losses.problems.size());
  for (std::size_t i = 0; i < problems.size(); ++i)
    problems[i].counts = left_out == nullptr || losses.problems[i].problem != *left_out;
  for (std::size_t i = 0; i < losses.times.size(); ++i)
    for (const TimedPair& pair : losses.times[i]) {
      ProblemTimes& problem = problems[pair.problem];
      const double logarithm = std::log(pair.ratio);
      problem.all.push_back(logarithm);
      if (losses.configurations[i].is_default)
        problem.slowest_default = std::max(problem.slowest_default, logarithm);
    }
  return problems;
}

// The logarithm for a configuration without a time, by problem; 0 for problems that do not count.
std::vector<double> stand_ins(const std::vector<ProblemTimes>& problems) {
  std::vector<double> result;
  for (const ProblemTimes& problem : problems)
    result.push_back(!problem.counts                ? 0
                     : problem.slowest_default >= 0 ? problem.slowest_default
                                                    : middle(problem.all));
  return result;
}

constexpr const char* kInsert =
    "INSERT INTO portable (operation, device, position, implementation, configuration, mean_ratio, "
    "measured, tuned, shared_bytes) VALUES (?, ?, ?, (SELECT id FROM implementation "
    "WHERE name = ? AND epoch = ?), ?, ?, ?, ?, ?)";

void derive(Database& database, const std::string& operation, std::int64_t device) {
  database.run("DELETE FROM portable WHERE operation = ? AND device = ?", {operation, device});
  const LossTable losses = read_losses(database, operation, device);
  const auto tuned = static_cast<std::int64_t>(losses.problems.size());
  std::int64_t position = 0;
  Statement insert(database, kInsert);
  for (const RankedConfiguration& ranked : keep_portable(losses, rank_portable(losses))) {
    const TriedConfiguration& tried = losses.configurations[ranked.configuration];
    insert.bind({operation, device, position++, tried.implementation, tried.epoch,
                 tried.configuration, ranked.mean_ratio, static_cast<std::int64_t>(ranked.measured),
                 tuned, tried.shared_bytes});
    insert.run();
  }
}

}  // namespace

std::vector<RankedConfiguration> rank_portable(const LossTable& losses, const Problem* left_out) {
  const std::vector<ProblemTimes> problems = times_by_problem(losses, left_out);
  const auto tuned = std::ranges::count_if(problems, &ProblemTimes::counts);
  if (tuned < static_cast<std::ptrdiff_t>(kLeastTuned)) return {};
  const std::vector<double> stand_in = stand_ins(problems);
  double of_nothing = 0;
  for (const double logarithm : stand_in) of_nothing += logarithm;
  std::vector<RankedConfiguration> ranking;
  for (std::size_t i = 0; i < losses.times.size(); ++i) {
    RankedConfiguration ranked{i, 1, 0};
    double sum = of_nothing;
    for (const TimedPair& pair : losses.times[i]) {
      if (!problems[pair.problem].counts) continue;
      sum += std::log(pair.ratio) - stand_in[pair.problem];
      ++ranked.measured;
    }
    ranked.mean_ratio = std::exp(rounded(std::max(0.0, sum) / static_cast<double>(tuned)));
    if (ranked.measured > 0) ranking.push_back(ranked);
  }
  std::ranges::sort(ranking, {}, [&](const RankedConfiguration& ranked) {
    const TriedConfiguration& tried = losses.configurations[ranked.configuration];
    return std::tie(ranked.mean_ratio, tried.implementation, tried.configuration);
  });
  return ranking;
}

std::vector<RankedConfiguration> keep_portable(const LossTable& losses,
                                               const std::vector<RankedConfiguration>& ranking) {
  std::map<std::string, std::size_t> kept;
  std::vector<RankedConfiguration> result;
  for (const RankedConfiguration& ranked : ranking) {
    const TriedConfiguration& tried = losses.configurations[ranked.configuration];
    if (++kept[tried.implementation] <= kKept || tried.is_default) result.push_back(ranked);
  }
  return result;
}

void derive_portable(Database& database, std::int64_t sweep) {
  Statement select(database, "SELECT operation, device FROM sweep WHERE id = ?", {sweep});
  if (select.step()) derive(database, select.text(0), select.integer(1));
}

void derive_all_portable(Database& database) {
  database.execute("DELETE FROM portable");
  std::vector<std::pair<std::string, std::int64_t>> all;
  Statement select(database,
                   "SELECT DISTINCT p.operation, b.device FROM best b "
                   "JOIN problem p ON p.id = b.problem ORDER BY p.operation, b.device");
  while (select.step()) all.emplace_back(select.text(0), select.integer(1));
  for (const auto& [operation, device] : all) derive(database, operation, device);
}

void derive_all(Database& database) {
  database.execute("DELETE FROM best");
  derive_where(database, {});
  derive_all_portable(database);
}

}  // namespace tilewright
