#include "definition/problem.hpp"

#include <algorithm>
#include <cmath>

#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

// A sequence of points in [0, 1)ⁿ without clusters or gaps: the additive recurrence of M. Roberts,
// "The unreasonable effectiveness of quasirandom sequences" (2018), whose ratio is the root above 1
// of x^(n+1) = x + 1.
class EvenPoints {
 public:
  explicit EvenPoints(std::size_t dimensions) {
    for (int i = 0; i < 60; ++i)
      ratio_ = std::pow(1 + ratio_, 1 / static_cast<double>(dimensions + 1));
  }

  double at(std::size_t index, std::size_t dimension) const {
    const double step = std::pow(ratio_, -static_cast<double>(dimension + 1));
    const double along = 0.5 + static_cast<double>(index + 1) * step;
    return along - std::floor(along);
  }

 private:
  double ratio_ = 2;
};

// REQUIRES a multiple of the step between the ends.
std::int64_t size_at(const Workload::Range& range, double share) {
  const auto from = static_cast<double>(range.from);
  const double size = from * std::pow(static_cast<double>(range.to) / from, share);
  const std::int64_t least = range.from / range.step + (range.from % range.step != 0 ? 1 : 0);
  const std::int64_t most = range.to / range.step;
  const double steps = std::round(size / static_cast<double>(range.step));
  if (steps <= static_cast<double>(least)) return least * range.step;
  if (steps >= static_cast<double>(most)) return most * range.step;
  return static_cast<std::int64_t>(steps) * range.step;
}

std::int64_t size_on_host(const Operation& operation, const Workload::Range& range,
                          std::int64_t size) {
  const Dimension* const dimension = find_named(operation.dimensions, range.dimension);
  if (dimension == nullptr || dimension->computed_default ||
      dimension->host_default >= dimension->default_value || dimension->host_default < 1)
    return size;
  const double share =
      static_cast<double>(dimension->host_default) / static_cast<double>(dimension->default_value);
  const auto smaller = static_cast<std::int64_t>(static_cast<double>(size) * share);
  const std::int64_t whole = smaller / range.step * range.step;
  const std::int64_t least = std::max(range.step, dimension->minimum);
  return whole < least ? std::min(size, least) : whole;
}

}  // namespace

std::vector<Workload> workloads_of(const Operation& operation) {
  if (!operation.workloads.empty()) return operation.workloads;
  Workload all{"all", "", {}, {}};
  for (const Dimension& dimension : operation.dimensions) {
    const std::int64_t usual = dimension.default_value;
    if (dimension.role != ProblemRole::distance || dimension.computed_default || usual < 1)
      continue;
    const std::int64_t least = std::max<std::int64_t>(dimension.minimum, 1);
    all.sizes.push_back({dimension.name, std::max(least, usual / 8),
                         usual > dimension.maximum / 8 ? dimension.maximum : 8 * usual});
  }
  return {all};
}

Settings drawn(const Operation& operation, const Workload& workload, std::size_t index,
               DeviceKind kind) {
  const EvenPoints points(workload.sizes.size() + workload.choices.size());
  Settings settings;
  std::size_t dimension = 0;
  for (const Workload::Range& range : workload.sizes) {
    const std::int64_t size = size_at(range, points.at(index, dimension++));
    settings[range.dimension] = runs_on_cpu(kind) ? size_on_host(operation, range, size) : size;
  }
  for (const Choice& choice : operation.choices) {
    if (!is_among(choice.name, workload.choices)) continue;
    const double share = points.at(index, dimension++);
    settings[choice.name] =
        choice.labels[static_cast<std::size_t>(share * static_cast<double>(choice.labels.size()))];
  }
  return settings;
}

}  // namespace tilewright
