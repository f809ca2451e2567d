// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// The rules of the ladder of answers (docs/catalog.md). The library compiles them here, and every
// exported header contains the body of this namespace. So it is C++17 and needs only the standard
// library. `Device` is each side's own type, with is_same() and is_same_kind() beside it.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include "definition/cycles.hpp"

namespace tilewright::ladder {

// At most this many measured problems of each sort are considered. More would help only if none of
// these fits.
constexpr int most_near = 4;

// Beyond this, twenty times the size in all, no measured problem or device stands in for another.
// At 4.16 a winner was worse than the default on an H200. That nearer ones are good enough is a
// judgement (docs/benchmarks/ladder.md).
constexpr double farthest = 3;

// A size below 1 counts as 1.
inline double logarithm(long long size) {
  return std::log(static_cast<double>(size > 1 ? size : 1));
}

inline double apart(long long a, long long b) {
  return std::abs(logarithm(a) - logarithm(b));
}

// Nothing: results of one device say nothing about the other.
template <class Device>
std::optional<double> distance_between(const Device& there, const Device& here) {
  if (is_same(there, here)) return 0;
  if (!is_same_kind(there, here) || there.compute_capability == 0 ||
      there.compute_capability != here.compute_capability)
    return std::nullopt;
  return apart(there.sm_count, here.sm_count) + apart(there.l2_bytes, here.l2_bytes) +
         apart(there.shared_bytes_per_sm, here.shared_bytes_per_sm);
}

// Between two problems of one class, by the logarithms of their sizes.
inline double distance_between(const double* there, const double* here, int sizes) {
  double sum = 0;
  for (int i = 0; i < sizes; ++i) sum += std::abs(there[i] - here[i]);
  return sum;
}

// The nearest subjects, nearest first; of equally near ones the first.
struct Nearest {
  int subject[most_near] = {};
  double distance[most_near] = {};
  int count = 0;

  bool has_place(double away) const { return count < most_near || away < distance[count - 1]; }

  // REQUIRES has_place(away).
  void add(int which, double away) {
    int at = count < most_near ? count++ : count - 1;
    for (; at > 0 && away < distance[at - 1]; --at) {
      subject[at] = subject[at - 1];
      distance[at] = distance[at - 1];
    }
    subject[at] = which;
    distance[at] = away;
  }
};

// Finds the subjects (measured problems on a device) that may stand in for the question. `nearest`
// has one element for each sort that `subjects` tells apart.
template <class Subjects>
void find_nearest(const Subjects& subjects, Nearest* nearest) {
  for (int i = 0; i < subjects.count(); ++i) {
    const std::optional<double> between = subjects.device_distance(i);
    if (!between) continue;
    const double away = *between + subjects.problem_distance(i);
    Nearest& sort = nearest[subjects.sort(i)];
    if (away <= farthest && sort.has_place(away) && subjects.is_same_class(i)) sort.add(i, away);
  }
}

// 0: the policy that was asked for. Of the others robust comes first, then cold: times with cold
// operands are the better guide if nobody knows what the caches hold.
template <class Cache>
constexpr int policy_distance(Cache asked, Cache measured) {
  if (measured == asked) return 0;
  if (measured == Cache::robust) return 1;
  return measured == Cache::cold ? 2 : 3;
}

// Decides which of two rows answers. The least one comes first.
struct Standing {
  int rung = std::numeric_limits<int>::max();
  bool is_doubtful = false;
  double distance = 0;
  bool is_shipped = false;
  int limit_distance = 0;  // of the power limit that it was measured under; a header knows none
  int policy_distance = 0;
  double time_us = 0;  // of times under two policies the geometric mean: of two rows, the one with
                       // the lower mean has the lower ratio to the other under its worse policy

  constexpr auto order() const {
    return std::tuple(rung, is_doubtful, distance, is_shipped, limit_distance, policy_distance,
                      time_us);
  }
  constexpr bool is_before(const Standing& other) const { return order() < other.order(); }
};

// An unmeasured answer is used instead of a near one if it is expected to take less than this share
// of the near answer's cycles. A near winner has advantages that no formula knows, and they are
// greater the nearer it is. A judgement: products that were expected to take longer did so on an
// H200 (docs/benchmarks/ladder.md).
inline double allowance(double distance) {
  return 0.9 + 0.1 * (distance < farthest ? distance / farthest : 1);
}

// How far a device is from another one, related or not. Less is nearer.
template <class Device>
auto farness(const Device& there, const Device& here) {
  const int between = there.compute_capability - here.compute_capability;
  return std::tuple(!is_same(there, here), between < 0 ? -between : between,
                    apart(there.sm_count, here.sm_count), apart(there.l2_bytes, here.l2_bytes));
}

// Whether a portable row may run on this device. It may on its own device. Elsewhere code for one
// architecture needs the same one, and a block's shared memory must not exceed the device's.
template <class Rows, class Device>
bool may_run(const Rows& rows, int row, const Device& here) {
  const Device& there = rows.device(row);
  if (!is_same_kind(there, here)) return false;
  if (is_same(there, here)) return true;
  return (!rows.is_bound(row) || there.compute_capability == here.compute_capability) &&
         (here.shared_bytes_per_block == 0 ||
          rows.shared_bytes(row) <= here.shared_bytes_per_block);
}

// The mean ratio, on the row's device, of the default that would answer instead; infinite if nobody
// measured it there.
template <class Rows>
double ratio_of_default(const Rows& rows, int row) {
  for (int i = 0; i < rows.count(); ++i)
    if (rows.is_default(i) && is_same(rows.device(i), rows.device(row))) return rows.mean_ratio(i);
  return std::numeric_limits<double>::infinity();
}

// Whether the row is better than the default. If both were measured on the row's device, it must be
// better there. It must not be expected to cost more here either, because the measured problems may
// be unlike this one. If it was measured to be better, it may be expected to cost a little more.
template <class Rows>
bool is_better_than_default(const Rows& rows, int row) {
  const double usual = ratio_of_default(rows, row);
  return rows.mean_ratio(row) < usual &&
         !rows.is_expected_slower(row, std::isinf(usual) ? 1 : allowance(0));
}

// The row that answers on the portable rung; -1: none. It may run here, fits, and is better than
// the default. Of several, the first one of the nearest device answers.
template <class Rows, class Device>
int find_portable(const Rows& rows, const Device& here) {
  int best = -1;
  for (int i = 0; i < rows.count(); ++i) {
    if (!may_run(rows, i, here)) continue;
    if (best >= 0 && farness(rows.device(i), here) >= farness(rows.device(best), here)) continue;
    if (rows.fits(i) && is_better_than_default(rows, i)) best = i;
  }
  return best;
}

}  // namespace tilewright::ladder
