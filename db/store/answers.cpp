#include "db/store/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <stdexcept>
#include <utility>

#include "db/derived/choose.hpp"
#include "db/records/border.hpp"
#include "db/tables/rows.hpp"

namespace tilewright {

namespace {

// {0}: columns; {1}: condition; {2}: the confirmation to read; {3}: the device's columns, because
// row ids differ between stores with the same answers. The conditions on the sweep's problem,
// device and policy are redundant, but they let SQLite begin with the row. Of one implementation,
// our own rows come first, then those of newer epochs.
constexpr const char* kSelect =
    "SELECT {0} FROM best b "
    "JOIN trial t ON t.id = b.trial JOIN implementation i ON i.id = b.implementation "
    "JOIN sweep s ON s.id = t.sweep AND s.problem = b.problem AND s.device = b.device "
    "AND s.policy = b.policy "
    "JOIN sweep_implementation si ON si.sweep = s.id AND si.implementation = i.id "
    "JOIN problem p ON p.id = b.problem JOIN device d ON d.id = b.device "
    "JOIN policy y ON y.id = b.policy JOIN environment e ON e.id = s.environment "
    "LEFT JOIN trial t0 ON t0.id = b.default_trial LEFT JOIN trial t2 ON t2.id = b.runner_up "
    "LEFT JOIN confirmation c ON c.id = {2} LEFT JOIN environment ce ON ce.id = c.environment "
    "WHERE {1} ORDER BY p.operation, p.settings, {3}, y.cache DESC, y.submission, i.name, "
    "s.origin = 'own' DESC, i.epoch DESC, b.definition, b.superseded, b.power_limit_w";

// A row of `best`, and what it is the answer of.
struct Answered {
  BestRow row;
  std::array<std::int64_t, 3> subject = {};     // problem, device, policy
  std::array<std::int64_t, 2> definition = {};  // implementation, definition

  bool is_beside(const Answered& other) const {
    return subject == other.subject && row.implementation == other.row.implementation;
  }
};

// Of the rows for one implementation and subject, which follow each other, those of one definition:
// the first one that `is_present`, else that of the first row.
std::vector<BestRow> of_one_definition(std::vector<Answered> all, const IsPresent& is_present) {
  std::vector<BestRow> rows;
  for (auto first = all.begin(); first != all.end();) {
    const auto last =
        std::find_if(first, all.end(), [&](const Answered& one) { return !one.is_beside(*first); });
    const auto is_other = [&](const Answered& one) { return one.definition != first->definition; };
    auto chosen = first;
    if (is_present && std::any_of(first, last, is_other))
      chosen = std::find_if(first, last, [&](const Answered& one) { return is_present(one.row); });
    const auto definition = (chosen == last ? first : chosen)->definition;
    for (; first != last; ++first)
      if (first->definition == definition) rows.push_back(std::move(first->row));
  }
  return rows;
}

Answered read_answered(Columns& columns) {
  Answered answered;
  BestRow& row = answered.row;
  row.trial = read_trial(columns);
  row.implementation = row.trial.implementation;
  row.configuration = row.trial.configuration;
  read_cells(columns, row.default_median_us, row.runner_up_median_us, row.measured, row.tie,
             row.superseded, row.sweep_uuid, row.finished, row.imported, row.epoch, row.source_hash,
             row.problem, row.device, row.policy, row.environment, row.trial_id, row.runner_up,
             row.default_configuration);
  for (std::int64_t& id : answered.subject) id = columns.integer();
  for (std::int64_t& id : answered.definition) id = columns.integer();
  read_cells(columns, row.confirmed_sources, row.confirmed, row.confirmed_environment);
  read_row(columns.database(), [&] {
    at_place("an answer of sweep " + row.sweep_uuid, [&] { require_possible(row); });
  });
  return answered;
}

// An expression over the confirmations of the trial that confirms().
std::string confirming_sql(const std::string& expression) {
  return fmt::format(
      "(SELECT {} FROM confirmation n WHERE n.trial = b.trial AND n.verdict IN ('{}', '{}'))",
      expression, to_text(Verdict::holds), to_text(Verdict::same_code));
}

std::string select_sql(const std::string& condition) {
  const std::string columns = fmt::format(
      "{}, ifnull(t0.median_us, 0), ifnull(t2.median_us, 0), b.measured, b.tie, "
      "b.superseded, s.uuid, s.finished, s.origin = 'import', i.epoch, si.source_hash, {}, {}, {}, "
      "{}, t.id, t2.configuration, t0.configuration, b.problem, b.device, b.policy, "
      "b.implementation, b.definition, "
      "ifnull({}, ''), ifnull(c.at, 0), {}",
      trial_columns(), columns_sql<Problem>("p"), columns_sql<Device>("d"),
      columns_sql<Policy>("y"), columns_sql<Environment>("e"),
      confirming_sql("group_concat(DISTINCT n.source_hash)"), columns_sql<Environment>("ce"));
  return fmt::format(kSelect, columns, condition, confirming_sql("max(n.id)"),
                     columns_sql<Device>("d"));
}

PortableRow read_portable_row(Columns& columns) {
  PortableRow row;
  read_cells(columns, row.implementation, row.epoch, row.configuration, row.mean_ratio,
             row.measured, row.tuned, row.shared_bytes, row.device);
  read_row(columns.database(), [&] { require_possible(row); });
  return row;
}

}  // namespace

std::vector<BestRow> Store::best(const Query& query, const IsPresent& is_present) const {
  auto condition = condition_of(*database_, query);
  if (!condition) return {};
  if (!query.implementation.empty()) condition->add("i.name = ?", query.implementation);
  return of_one_definition(
      rows_of(Statement(*database_, select_sql(condition->sql), condition->cells), read_answered),
      is_present);
}

Store::Rivals Store::rivals(std::int64_t trial) const {
  const auto rival = [&](const char* column) {
    Statement select(*database_,
                     fmt::format("SELECT {} FROM trial w JOIN sweep s ON s.id = w.sweep "
                                 "JOIN best b ON b.problem = s.problem AND b.device = s.device "
                                 "AND b.policy = s.policy AND b.trial = w.id "
                                 "JOIN trial t ON t.id = b.{} AND t.id <> w.id "
                                 "JOIN implementation i ON i.id = t.implementation WHERE w.id = ?",
                                 trial_columns(), column),
                     {trial});
    return first_row(rows_of(select, read_trial));
  };
  return {rival("runner_up"), rival("default_trial")};
}

std::vector<BestRow> Store::best_of(const std::vector<SubjectList::Row>& subjects,
                                    const IsPresent& is_present) const {
  std::vector<BestRow> rows;
  if (subjects.empty()) return rows;
  // One statement for all, because preparing it takes longer than reading a row.
  Statement select(*database_, select_sql("b.problem = ? AND b.device = ? AND b.policy = ?"));
  for (const SubjectList::Row& subject : subjects) {
    select.bind({subject.problem_id, subject.device_id, subject.policy_id});
    std::ranges::move(of_one_definition(rows_of(select, read_answered), is_present),
                      std::back_inserter(rows));
  }
  return rows;
}

std::vector<BestRow> Store::unfinished(const Query& query) const {
  std::vector<BestRow> rows;
  auto condition = condition_of(*database_, query);
  if (!condition) return rows;
  condition->sql += " AND s.finished IS NULL";
  for (const SweepRecord& sweep : read_sweeps(*database_, *condition, "s.id DESC"))
    std::ranges::move(rows_so_far(sweep, trials(sweep.id)), std::back_inserter(rows));
  return rows;
}

std::vector<PortableRow> Store::portable(const std::string& operation, DeviceKind kind) const {
  return rows_of(Statement(*database_,
                           fmt::format("SELECT i.name, i.epoch, r.configuration, r.mean_ratio, "
                                       "r.measured, r.tuned, r.shared_bytes, {0} FROM portable r "
                                       "JOIN implementation i ON i.id = r.implementation "
                                       "JOIN device d ON d.id = r.device "
                                       "WHERE r.operation = ? AND d.kind = ? "
                                       "ORDER BY {0}, r.position",
                                       columns_sql<Device>("d")),
                           {operation, to_cell(kind)}),
                 read_portable_row);
}

void Store::add_confirmation(const Confirmation& confirmation) {
  Transaction transaction(*database_);
  if (!Statement(*database_, "SELECT 1 FROM trial WHERE id = ?", {confirmation.trial}).step())
    throw std::logic_error(fmt::format("there is no trial {} to confirm", confirmation.trial));
  std::vector<Cell> cells = {confirmation.trial,
                             intern(*database_, confirmation.environment),
                             confirmation.at == 0 ? seconds_since_1970() : confirmation.at,
                             to_cell(confirmation.verdict),
                             confirmation.message,
                             confirmation.code_hash};
  if (const auto& time = confirmation.time) {
    cells.insert(cells.end(),
                 {time->median_us, time->interval_low_us, time->interval_high_us, time->sm_mhz});
  } else {
    cells.insert(cells.end(), 4, Cell{nullptr});
  }
  cells.push_back(confirmation.source_hash.empty() ? Cell{nullptr}
                                                   : Cell{confirmation.source_hash});
  database_->run(insert_sql("confirmation", {"trial", "environment", "at", "verdict", "message",
                                             "code_hash", "median_us", "interval_low_us",
                                             "interval_high_us", "sm_mhz", "source_hash"}),
                 cells);
  transaction.commit();
}

namespace {

// As in the index trial_known_wrong. Outcomes that may be the machine's fault do not count, such as
// timed_out.
constexpr const char* kIsWrong = "outcome IN ('wrong_answer', 'wrote_out_of_bounds', 'faulted')";

// Of trials `t` and sweeps `s`: no sweep that began later, on a device of this kind, has measured
// the configuration for the problem. A clock may be wrong, so ids order sweeps of our own.
constexpr const char* kIsUncorrected =
    "NOT EXISTS (SELECT 1 FROM sweep n JOIN device nd ON nd.id = n.device "
    "JOIN trial r ON r.sweep = n.id AND r.implementation = t.implementation "
    "AND r.configuration = t.configuration AND r.outcome = 'measured' "
    "WHERE n.problem = s.problem AND nd.kind = d.kind AND CASE WHEN n.origin = 'own' "
    "AND s.origin = 'own' THEN n.id > s.id ELSE n.started > s.started END)";

// With the row ids of its implementation, problem and device.
using Found = std::pair<KnownWrong, std::array<std::int64_t, 3>>;

Found read_found(Columns& columns) {
  Found found;
  auto& [wrong, ids] = found;
  read_cells(columns, ids[0], ids[1], ids[2], wrong.implementation, wrong.epoch, wrong.source_hash,
             wrong.configuration, wrong.outcome, wrong.problem, wrong.kind, wrong.device);
  return found;
}

// Each configuration of the operation once for each problem and device.
std::vector<Found> read_all(Database& database, const std::string& operation) {
  return rows_of(
      Statement(database,
                fmt::format("SELECT t.implementation, s.problem, s.device, i.name, i.epoch, "
                            "si.source_hash, t.configuration, t.outcome, {}, d.kind, d.name, "
                            "max(s.id) FROM trial t JOIN sweep s ON s.id = t.sweep "
                            "JOIN implementation i ON i.id = t.implementation "
                            "JOIN sweep_implementation si ON si.sweep = s.id "
                            "AND si.implementation = t.implementation "
                            "JOIN problem p ON p.id = s.problem JOIN device d ON d.id = s.device "
                            "WHERE t.{} AND (?1 = '' OR s.operation = ?1) AND {} "
                            "GROUP BY t.implementation, t.configuration, s.problem, s.device",
                            columns_sql<Problem>("p"), kIsWrong, kIsUncorrected),
                {operation}),
      read_found);
}

}  // namespace

std::vector<KnownWrong> Store::known_wrong(const std::string& operation) const {
  std::vector<KnownWrong> all;
  std::set<std::array<std::int64_t, 3>> known;
  // Reads to the first right one, which is often the first.
  Statement count(*database_,
                  fmt::format("SELECT count(DISTINCT t.configuration), count(DISTINCT CASE WHEN "
                              "t.{0} THEN t.configuration END) {1} AND t.outcome NOT IN ('pruned', "
                              "'duplicate') AND NOT EXISTS (SELECT 1 {1} AND t.outcome = "
                              "'measured')",
                              kIsWrong,
                              "FROM sweep s JOIN trial t ON t.sweep = s.id AND t.implementation = "
                              "?1 WHERE s.problem = ?2 AND s.device = ?3"));
  for (auto& [wrong, ids] : read_all(*database_, operation)) {
    all.push_back(wrong);
    if (!known.insert(ids).second) continue;
    count.bind({ids[0], ids[1], ids[2]});
    count.step();
    if (count.integer(0) == 0) continue;
    wrong.configuration.reset();
    wrong.tried = static_cast<std::size_t>(count.integer(0));
    wrong.wrong = static_cast<std::size_t>(count.integer(1));
    all.push_back(std::move(wrong));
  }
  return all;
}

}  // namespace tilewright
