// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "db/catalog/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "definition/json/canonical_settings.hpp"

namespace tilewright {
namespace {

// Dimensions that count as distance, sorted by name as settings are: where each stands among them.
std::map<std::string_view, std::size_t> counted_dimensions(const Operation& operation) {
  std::map<std::string_view, std::size_t> places;
  for (const Dimension& dimension : operation.dimensions)
    if (dimension.role == ProblemRole::distance) places.emplace(dimension.name, places.size());
  return places;
}

// What lacks one is infinitely far.
void append_logarithms(std::string_view settings,
                       const std::map<std::string_view, std::size_t>& dimensions,
                       std::vector<double>& logarithms) {
  const std::size_t first = logarithms.size();
  logarithms.resize(first + dimensions.size(), std::numeric_limits<double>::infinity());
  CanonicalSettings pairs(settings);
  for (const auto& [name, place] : dimensions) {
    auto pair = pairs.next();
    while (pair && pair->name != name) pair = pairs.next();
    const auto* size = pair ? std::get_if<std::int64_t>(&pair->value) : nullptr;
    if (size == nullptr) return;
    logarithms[first + place] = logarithm(*size);
  }
}

std::vector<NearbySubjects::Measured> measured_of(const std::vector<SubjectList::Row>& rows) {
  std::vector<NearbySubjects::Measured> measured;
  measured.reserve(rows.size());
  for (const SubjectList::Row& row : rows) measured.push_back({row.settings, row.device});
  return measured;
}

}  // namespace

NearbySubjects::NearbySubjects(const Operation& operation, std::vector<Device> devices,
                               std::vector<Measured> measured)
    : devices_(std::move(devices)), measured_(std::move(measured)) {
  const auto dimensions = counted_dimensions(operation);
  dimensions_ = dimensions.size();
  logarithms_.reserve(measured_.size() * dimensions_);
  for (const Measured& one : measured_) append_logarithms(one.settings, dimensions, logarithms_);
}

std::vector<std::size_t> NearbySubjects::near(const Operation& operation, const Problem& problem,
                                              const Device& device, std::size_t most) {
  std::vector<std::size_t> nearest;
  const auto place = Place::of(operation, problem, device);
  if (!place) return nearest;
  for (const Where where : {Where::here, Where::elsewhere})
    append_nearest(within_reach(*place, device, where), operation, *place, most, nearest);
  return nearest;
}

std::vector<NearbySubjects::Near> NearbySubjects::within_reach(const Place& place,
                                                               const Device& device,
                                                               Where where) const {
  std::vector<std::optional<double>> between;
  for (const Device& known : devices_)
    between.push_back((known == device) == (where == Where::here) ? distance_between(known, device)
                                                                  : std::nullopt);
  std::vector<Near> found;
  for (std::size_t i = 0; i < measured_.size(); ++i) {
    const auto& apart = between[measured_[i].device];
    if (!apart) continue;
    double distance = *apart;
    for (std::size_t k = 0; k < dimensions_; ++k)
      distance += std::abs(logarithms_[i * dimensions_ + k] - place.logarithms()[k]);
    if (distance <= kFarthest) found.push_back({i, distance});
  }
  return found;
}

void NearbySubjects::append_nearest(std::vector<Near> found, const Operation& operation,
                                    const Place& place, std::size_t most,
                                    std::vector<std::size_t>& nearest) {
  std::stable_sort(found.begin(), found.end(), [](const Near& one, const Near& other) {
    return one.distance < other.distance;
  });
  for (const Near& one : found) {
    if (most == 0) return;
    const auto& there = place_of(operation, one.measured);
    if (!there || !there->is_same_class(place)) continue;
    nearest.push_back(one.measured);
    --most;
  }
}

const std::optional<Place>& NearbySubjects::place_of(const Operation& operation,
                                                     std::size_t measured) {
  const auto [known, is_new] = places_.try_emplace(measured);
  const Measured& one = measured_[measured];
  auto settings = is_new ? settings_from_canonical(one.settings) : std::nullopt;
  if (settings)
    known->second =
        Place::of(operation, {operation.name, *std::move(settings)}, devices_[one.device]);
  return known->second;
}

std::vector<BestRow> exact_rows(const Store& store, const Problem& problem, const Device& device) {
  return store.best({problem.operation, {}, problem, device, {}});
}

StoredNeighbours::StoredNeighbours(const Operation& operation, SubjectList list)
    : rows_(std::move(list.rows)),
      nearby_(operation, std::move(list.devices), measured_of(rows_)) {}

std::vector<BestRow> StoredNeighbours::rows(const Store& store, const Operation& operation,
                                            const Problem& problem, const Device& device) {
  std::vector<SubjectList::Row> nearest;
  for (const std::size_t i : nearby_.near(operation, problem, device, kMostNear))
    nearest.push_back(rows_[i]);
  return store.best_of(nearest);
}

RowSource rows_of(const Store& store) {
  return {[&store](const LadderQuestion& question) {
            if (!question.device) return std::vector<BestRow>{};
            return exact_rows(store, question.problem, *question.device);
          },
          [&store](const LadderQuestion& question) {
            const Operation& operation = *question.operation;
            StoredNeighbours neighbours(operation,
                                        store.subjects(operation.name, question.device->kind));
            return neighbours.rows(store, operation, question.problem, *question.device);
          },
          {},
          [&store](const LadderQuestion& question) {
            return store.portable(question.operation->name, question.device->kind);
          }};
}

}  // namespace tilewright
