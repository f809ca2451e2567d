#include "db/derived/portable.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace tilewright {
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
  Statement(database, "DELETE FROM portable WHERE operation = ? AND device = ?",
            {operation, device})
      .run();
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

}  // namespace tilewright
