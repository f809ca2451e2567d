#include "db/derived/portable.hpp"

namespace tilewright {
namespace {

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
