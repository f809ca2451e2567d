#include "db/records/staleness.hpp"

#include <fmt/format.h>

namespace tilewright {
namespace {

bool agrees(const std::string& stored, const std::string& here) {
  return here.empty() || stored == here;
}

bool has_software(const Environment& stored, const Environment& present) {
  return agrees(stored.driver, present.driver) && agrees(stored.runtime, present.runtime) &&
         agrees(stored.compiler, present.compiler);
}

// An evaluator does without the compiler, and nobody knows what it depends on.
Environment counting_for(const BestRow& row, Environment present) {
  if (row.policy.submission == kTimedByAuthor) present.compiler.clear();
  return present;
}

bool is_present(const Environment& stored, const Environment& present) {
  return has_software(stored, present) &&
         !is_other_limit(stored.power_limit_w, present.power_limit_w);
}

}  // namespace

std::string other_limit_text(const std::optional<int>& measured,
                             const std::optional<int>& present) {
  if (!is_other_limit(measured, present)) return "";
  return fmt::format("measured at {} W; this GPU is limited to {} W", *measured, *present);
}

std::string software_text(const Environment& environment) {
  const std::string& driver = environment.driver;
  return (driver.empty() ? "" : "driver " + driver + ", ") + environment.compiler;
}

bool is_stale(const BestRow& row, const Environment& here) {
  const Environment present = counting_for(row, here);
  return !is_present(row.environment, present) &&
         (row.confirmed == 0 || !is_present(row.confirmed_environment, present));
}

std::string why_stale(const BestRow& row, const Environment& here) {
  const Environment present = counting_for(row, here);
  if (!is_stale(row, present)) return "";
  std::string why = other_limit_text(row.environment.power_limit_w, present.power_limit_w);
  if (!has_software(row.environment, present))
    why += (why.empty() ? "" : "; ") + ("the software is now " + software_text(present));
  return why;
}

}  // namespace tilewright
