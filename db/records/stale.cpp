// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "db/records/stale.hpp"

namespace tilewright {
namespace {

// tilewright's own version is no reason to doubt a result.
bool is_present(const Environment& stored, const Environment& present) {
  const auto agrees = [](const std::string& one, const std::string& here) {
    return here.empty() || one == here;
  };
  return agrees(stored.driver, present.driver) && agrees(stored.runtime, present.runtime) &&
         agrees(stored.compiler, present.compiler);
}

}  // namespace

bool is_stale(const BestRow& row, const Environment& present) {
  if (is_present(row.environment, present)) return false;
  return row.confirmed == 0 || !is_present(row.confirmed_environment, present);
}

}  // namespace tilewright
