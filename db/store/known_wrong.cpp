#include <fmt/format.h>

#include <array>
#include <set>
#include <utility>

#include "db/store/store.hpp"
#include "db/tables/identity.hpp"
#include "db/tables/rows.hpp"

namespace tilewright {
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
                            problem_columns("p"), kIsWrong, kIsUncorrected),
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
