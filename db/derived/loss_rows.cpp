#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "db/derived/derive.hpp"
#include "db/records/border.hpp"
#include "db/tables/rows.hpp"

namespace tilewright {
namespace {

// Oldest epochs first, because later rows replace earlier ones. Those that we have measured come
// after all that were only imported.
constexpr const char* kImplementations =
    "SELECT i.id, i.name, i.epoch FROM best b JOIN implementation i ON i.id = b.implementation "
    "JOIN problem p ON p.id = b.problem JOIN trial t ON t.id = b.trial "
    "JOIN sweep s ON s.id = t.sweep WHERE p.operation = ? AND b.device = ? "
    "GROUP BY i.id ORDER BY max(s.origin = 'own'), i.epoch";

// The fastest of each problem and policy comes first, and our own before imported ones.
constexpr const char* kWinners =
    "SELECT b.problem, b.policy, s.origin, b.power_limit_w, b.implementation, t.configuration, "
    "t.median_us, {} "
    "FROM best b JOIN trial t ON t.id = b.trial JOIN sweep s ON s.id = t.sweep "
    "JOIN problem p ON p.id = b.problem JOIN policy y ON y.id = b.policy "
    "WHERE p.operation = ? AND b.device = ? AND b.superseded = 0 AND b.definition = 0 "
    "ORDER BY b.problem, b.policy, s.origin = 'own' DESC, "
    "t.median_us * ifnull(t.warm_median_us, t.median_us), b.implementation";

constexpr const char* kSweeps =
    "SELECT s.id, ifnull(e.power_limit_w, 0) FROM sweep s JOIN environment e "
    "ON e.id = s.environment WHERE s.problem = ? AND s.policy = ? AND s.device = ? "
    "AND s.origin = ? AND s.finished IS NOT NULL "
    "ORDER BY CASE s.origin WHEN 'own' THEN s.id END, s.finished, s.id";

constexpr const char* kTrials =
    "SELECT t.implementation, t.configuration, t.stage = 'final', t.median_us, t.warm_median_us, "
    "t.shared_bytes, t.configuration = si.default_configuration FROM trial t JOIN "
    "sweep_implementation si "
    "ON si.sweep = t.sweep AND si.implementation = t.implementation "
    "WHERE t.sweep = ? AND (t.outcome = 'measured' OR t.stage = 'final')";

struct AnsweredRows {
  std::int64_t problem = 0;
  std::int64_t policy = 0;
  std::string origin;
  std::int64_t power_limit_w = 0;  // of the winner; 0: not known
};

// One trial of the sweep being read.
struct ReadTime {
  std::size_t configuration = 0;
  bool is_final = false;
  std::optional<double> median_us;  // none: it failed
  std::optional<double> warm_us;    // of a robust sweep
};

// Null if the configuration was not tried in this stage.
const ReadTime* find_time(const std::vector<ReadTime>& times, std::size_t configuration,
                          bool is_final) {
  for (const ReadTime& time : times)
    if (time.configuration == configuration && time.is_final == is_final) return &time;
  return nullptr;
}

// Of a time that was measured, the worse of its ratios to the winner's.
double ratio_to(const ReadTime* winner, double stored_us, const ReadTime& time) {
  const double winner_us = winner == nullptr ? stored_us : winner->median_us.value_or(stored_us);
  double ratio = *time.median_us / winner_us;
  if (winner != nullptr && winner->warm_us && time.warm_us)
    ratio = std::max(ratio, *time.warm_us / *winner->warm_us);
  return std::max(1.0, ratio);
}

class LossReader {
 public:
  LossReader(Database& database, std::int64_t device)
      : database_(database),
        device_(device),
        sweeps_(database, kSweeps),
        trials_(database, kTrials) {}

  LossTable read(const std::string& operation) {
    read_implementations(operation);
    read_winners(operation);
    for (std::size_t problem = 0; problem < answered_.size(); ++problem) read_problem(problem);
    return std::move(table_);
  }

 private:
  void read_implementations(const std::string& operation) {
    Statement select(database_, kImplementations, {operation, device_});
    while (select.step()) {
      const std::string name = select.text(1);
      std::erase_if(implementations_,
                    [&](const auto& known) { return known.second.first == name; });
      implementations_.emplace(select.integer(0), std::pair(name, select.integer(2)));
    }
  }

  void read_winners(const std::string& operation) {
    Statement select(
        database_,
        fmt::format(kWinners, columns_sql<Problem>("p") + ", " + columns_sql<Policy>("y")),
        {operation, device_});
    while (select.step()) {
      Columns columns(select);
      AnsweredRows rows;
      std::int64_t implementation = 0;
      read_cells(columns, rows.problem, rows.policy, rows.origin, rows.power_limit_w,
                 implementation);
      const bool is_known = !answered_.empty() && answered_.back().problem == rows.problem &&
                            answered_.back().policy == rows.policy;
      if (is_known || !implementations_.contains(implementation)) continue;
      try {
        table_.problems.push_back(read_tuned(columns, implementation));
        answered_.push_back(std::move(rows));
      } catch (const BadRow& row) {
        database_.leave_out(row);
      }
    }
  }

  TunedProblem read_tuned(Columns& columns, std::int64_t implementation) {
    TunedProblem tuned;
    std::string configuration;
    read_cells(columns, configuration, tuned.best_us, tuned.problem, tuned.policy);
    read_row(database_, [&] { require_possible_time("median_us", tuned.best_us); });
    tuned.winner = index_of(implementation, configuration);
    return tuned;
  }

  void read_problem(std::size_t problem) {
    const AnsweredRows& rows = answered_[problem];
    std::vector<std::pair<std::int64_t, bool>> sweeps;  // whether it has the winner's power limit
    sweeps_.bind({rows.problem, rows.policy, device_, rows.origin});
    while (sweeps_.step())
      sweeps.emplace_back(sweeps_.integer(0), sweeps_.integer(1) == rows.power_limit_w);
    ratios_.clear();
    for (const auto& [sweep, has_its_limit] : sweeps)
      add_sweep(read_sweep(sweep), table_.problems[problem], has_its_limit);
    for (const auto& [configuration, ratio] : ratios_)
      table_.times[configuration].push_back({problem, ratio});
  }

  std::vector<ReadTime> read_sweep(std::int64_t sweep) {
    std::vector<ReadTime> times;
    trials_.bind({sweep});
    while (trials_.step()) {
      const std::int64_t implementation = trials_.integer(0);
      if (!implementations_.contains(implementation)) continue;
      ReadTime time;
      time.configuration = index_of(implementation, trials_.text(1));
      time.is_final = trials_.integer(2) != 0;
      if (is_possible_time(trials_.real(3))) time.median_us = trials_.real(3);
      if (is_possible_time(trials_.real(4))) time.warm_us = trials_.real(4);
      TriedConfiguration& tried = table_.configurations[time.configuration];
      if (!trials_.is_null(5))
        tried.shared_bytes = std::max(tried.shared_bytes, trials_.integer(5));
      if (trials_.integer(6) != 0) tried.is_default = true;
      times.push_back(time);
    }
    // Times of the final come last, because later ones overrule earlier ones.
    std::ranges::stable_sort(times, {}, &ReadTime::is_final);
    return times;
  }

  // Under another power limit, only a time beside the winner's can be compared.
  void add_sweep(const std::vector<ReadTime>& times, const TunedProblem& tuned,
                 bool has_its_limit) {
    const ReadTime* const screened = find_time(times, tuned.winner, false);
    const ReadTime* const in_final = find_time(times, tuned.winner, true);
    for (const ReadTime& time : times) {
      const ReadTime* const winner = time.is_final ? in_final : screened;
      if (!has_its_limit && (winner == nullptr || !winner->median_us)) continue;
      if (time.median_us)
        ratios_[time.configuration] = ratio_to(winner, tuned.best_us, time);
      else
        ratios_.erase(time.configuration);
    }
  }

  std::size_t index_of(std::int64_t implementation, const std::string& configuration) {
    const auto [at, is_new] =
        indices_.try_emplace({implementation, configuration}, table_.configurations.size());
    if (is_new) {
      const auto& [name, epoch] = implementations_.at(implementation);
      table_.configurations.push_back({name, epoch, configuration, false, -1});
      table_.times.emplace_back();
    }
    return at->second;
  }

  Database& database_;
  const std::int64_t device_;
  Statement sweeps_;
  Statement trials_;
  std::map<std::int64_t, std::pair<std::string, std::int64_t>> implementations_;  // name, epoch
  std::map<std::pair<std::int64_t, std::string>, std::size_t> indices_;
  std::vector<AnsweredRows> answered_;    // by problem of the table
  std::map<std::size_t, double> ratios_;  // of the problem being read, by configuration
  LossTable table_;
};

}  // namespace

LossTable read_losses(Database& database, const std::string& operation, std::int64_t device) {
  return LossReader(database, device).read(operation);
}

}  // namespace tilewright
