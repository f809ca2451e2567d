// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "db/ladder/portable_rung.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <tuple>

namespace tilewright {
namespace {

// What is near is least.
auto farness(const Device& device, const Device& asked) {
  const auto apart = [](std::int64_t one, std::int64_t other) {
    return std::abs(std::log(static_cast<double>(std::max<std::int64_t>(one, 1))) -
                    std::log(static_cast<double>(std::max<std::int64_t>(other, 1))));
  };
  return std::tuple(device != asked, std::abs(device.compute_capability - asked.compute_capability),
                    apart(device.sm_count, asked.sm_count), apart(device.l2_bytes, asked.l2_bytes));
}

const Implementation* implementation_of(const LadderQuestion& question, const PortableRow& row) {
  for (const Implementation* one : question.implementations)
    if (one->full_name() == row.implementation && one->epoch == row.epoch) return one;
  return nullptr;
}

// Code for one architecture, and a block's memory, say nothing where they were not tried.
bool runs_on(const Device& device, const PortableRow& row, const Implementation& implementation) {
  if (row.device == device) return true;
  const bool is_bound = !implementation.requires_architecture.empty();
  return (!is_bound || row.device.compute_capability == device.compute_capability) &&
         (device.shared_bytes_per_block == 0 || row.shared_bytes <= device.shared_bytes_per_block);
}

// Of the standing default on the device; infinite where it was not measured.
double ratio_of_default(const std::vector<const PortableRow*>& rows, const Device& device,
                        const std::optional<LadderAnswer>& standing) {
  if (standing)
    for (const PortableRow* row : rows)
      if (row->device == device && row->configuration == standing->configuration &&
          row->implementation == standing->implementation->full_name() &&
          row->epoch == standing->implementation->epoch)
        return row->mean_ratio;
  return std::numeric_limits<double>::infinity();
}

}  // namespace

std::optional<LadderAnswer> portable_answer(const LadderQuestion& question,
                                            const std::vector<PortableRow>& rows,
                                            const std::optional<LadderAnswer>& standing) {
  if (!question.device) return std::nullopt;
  const Device& here = *question.device;
  std::vector<const PortableRow*> nearest;
  for (const PortableRow& row : rows) nearest.push_back(&row);
  std::ranges::stable_sort(nearest, {},
                           [&here](const PortableRow* row) { return farness(row->device, here); });
  for (const PortableRow* row : nearest) {
    const Implementation* implementation = implementation_of(question, *row);
    if (implementation == nullptr || !runs_on(here, *row, *implementation)) continue;
    if (row->mean_ratio >= ratio_of_default(nearest, row->device, standing)) continue;
    if (!may_serve(question, *implementation, row->configuration, Rung::portable)) continue;
    return LadderAnswer{Rung::portable,
                        implementation,
                        row->configuration,
                        std::nullopt,
                        0,
                        standing ? standing->reason : "no default fits",
                        *row,
                        standing ? standing->passed_over : ""};
  }
  return std::nullopt;
}

}  // namespace tilewright
