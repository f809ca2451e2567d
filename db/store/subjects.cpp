#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "db/records/border.hpp"
#include "db/store/store.hpp"
#include "db/tables/rows.hpp"
#include "tilewright/catalog.hpp"

namespace tilewright {
namespace {

// Position by row id, in the order in which equally near rows answer.
using Ranks = std::map<std::int64_t, std::size_t>;

Ranks read_devices(Database& database, DeviceKind kind, std::vector<Device>& devices) {
  Statement select(database,
                   fmt::format("SELECT d.id, {0} FROM device d WHERE d.kind = ? ORDER BY {0}",
                               columns_sql<Device>("d")),
                   {to_cell(kind)});
  Ranks ranks;
  while (select.step()) {
    Columns columns(select);
    ranks.emplace(columns.integer(), devices.size());
    devices.push_back(read_fields<Device>(columns));
  }
  return ranks;
}

Ranks read_policies(Database& database) {
  Statement select(database, "SELECT id FROM policy ORDER BY cache DESC, submission");
  Ranks ranks;
  while (select.step()) ranks.emplace(select.integer(0), ranks.size());
  return ranks;
}

// REQUIRES that the rows of each problem are adjacent.
void order_within_problems(std::vector<SubjectList::Row>& rows, const Ranks& policies) {
  const auto rank = [&policies](const SubjectList::Row& row) {
    return std::tuple(row.device, policies.at(row.policy_id));
  };
  for (auto first = rows.begin(); first != rows.end();) {
    const auto last = std::find_if(first, rows.end(), [&first](const SubjectList::Row& row) {
      return row.problem_id != first->problem_id;
    });
    std::ranges::sort(first, last, {}, rank);
    first = last;
  }
}

// Whether the rows differ only in the implementation.
bool is_same(const SubjectList::Row& one, const SubjectList::Row& other) {
  return one.problem_id == other.problem_id && one.device_id == other.device_id &&
         one.policy_id == other.policy_id;
}

void require_possible_question(const Wanted& wanted) {
  require_possible(wanted.subject.problem.values);
  require_possible(wanted.subject.device);
  require_in_range("hits", wanted.hits, 1, kLargestSize);
  require_in_range("rung", wanted.rung, static_cast<std::int64_t>(Rung::other_policy),
                   static_cast<std::int64_t>(Rung::none));
  require_possible_moment("last_asked", wanted.last_asked);
}

Wanted read_wanted(Columns& columns) {
  Wanted wanted;
  read_cells(columns, wanted.subject.problem, wanted.subject.device, wanted.subject.policy,
             wanted.hits, wanted.rung, wanted.last_asked);
  read_row(columns.database(), [&] {
    at_place("a problem that was looked up", [&] { require_possible_question(wanted); });
  });
  return wanted;
}

}  // namespace

SubjectList Store::subjects(const std::string& operation, DeviceKind kind) const {
  SubjectList list;
  const Ranks devices = read_devices(*database_, kind, list.devices);
  const Ranks policies = read_policies(*database_);
  // Both tables are read from their indices alone, the problems in the order of their settings.
  Statement select(*database_,
                   "SELECT p.settings, b.problem, b.device, b.policy FROM problem p "
                   "CROSS JOIN best b ON b.problem = p.id WHERE p.operation = ? "
                   "ORDER BY p.settings, b.device, b.policy",
                   {operation});
  while (select.step()) {
    Columns columns(select);
    SubjectList::Row row{columns.text(), 0, columns.integer(), columns.integer(),
                         columns.integer()};
    const auto device = devices.find(row.device_id);
    const bool is_meant = device != devices.end() && policies.contains(row.policy_id);
    if (!is_meant || (!list.rows.empty() && is_same(list.rows.back(), row))) continue;
    row.device = device->second;
    list.rows.push_back(std::move(row));
  }
  order_within_problems(list.rows, policies);
  return list;
}

void Store::add_wanted(const std::vector<Wanted>& wanted) {
  Transaction transaction(*database_);
  for (const Wanted& one : wanted)
    database_->run(
        "INSERT INTO wanted (problem, device, policy, hits, rung, last_asked) "
        "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (problem, device, policy) DO UPDATE SET "
        "hits = min(hits, ?7 - excluded.hits) + excluded.hits, rung = excluded.rung, "
        "last_asked = excluded.last_asked",
        {intern(*database_, one.subject.problem), intern(*database_, one.subject.device),
         intern(*database_, one.subject.policy), one.hits, one.rung, one.last_asked, kLargestSize});
  transaction.commit();
}

void Store::remove_wanted(const std::vector<Wanted>& wanted) {
  Transaction transaction(*database_);
  for (const Wanted& one : wanted) {
    const std::vector<Cell> key = {intern(*database_, one.subject.problem),
                                   intern(*database_, one.subject.device),
                                   intern(*database_, one.subject.policy)};
    std::vector<Cell> cells = {one.hits};
    cells.insert(cells.end(), key.begin(), key.end());
    database_->run(
        "UPDATE wanted SET hits = hits - ? WHERE problem = ? AND device = ? AND policy = ?", cells);
  }
  database_->execute("DELETE FROM wanted WHERE hits <= 0");
  transaction.commit();
}

std::vector<Wanted> Store::wanted(const std::string& operation) const {
  return rows_of(
      Statement(*database_,
                fmt::format("SELECT {}, {}, {}, w.hits, w.rung, w.last_asked FROM wanted w "
                            "JOIN problem p ON p.id = w.problem JOIN device d ON d.id = w.device "
                            "JOIN policy y ON y.id = w.policy WHERE (?1 = '' OR p.operation = ?1) "
                            "AND NOT EXISTS (SELECT 1 FROM sweep s WHERE s.problem = w.problem "
                            "AND s.device = w.device AND s.policy = w.policy "
                            "AND s.origin = 'own' AND s.finished >= w.last_asked) "
                            "ORDER BY w.hits DESC, p.operation, p.settings",
                            columns_sql<Problem>("p"), columns_sql<Device>("d"),
                            columns_sql<Policy>("y")),
                {operation}),
      read_wanted);
}

}  // namespace tilewright
