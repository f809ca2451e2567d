// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "db/catalog/neighbours.hpp"

#include <algorithm>
#include <utility>

namespace tilewright {
namespace {

struct Near {
  const Subject* subject = nullptr;
  double distance = 0;
};

void append_nearest(std::vector<Near> found, std::size_t most, std::vector<Subject>& nearest) {
  std::stable_sort(found.begin(), found.end(), [](const Near& one, const Near& other) {
    return one.distance < other.distance;
  });
  if (found.size() > most) found.resize(most);
  for (const Near& one : found) nearest.push_back(*one.subject);
}

}  // namespace

NearbySubjects::NearbySubjects(const Operation& operation, std::vector<Subject> subjects) {
  for (Subject& subject : subjects) {
    auto place = Place::of(operation, subject.problem, subject.device);
    if (!place) continue;
    Standpoint standpoint{*std::move(place), subject.device};
    known_.push_back({std::move(subject), std::move(standpoint)});
  }
}

std::vector<Subject> NearbySubjects::near(const Operation& operation, const Problem& problem,
                                          const Device& device, std::size_t most) const {
  std::vector<Subject> nearest;
  auto place = Place::of(operation, problem, device);
  if (!place) return nearest;
  const Standpoint here{*std::move(place), device};
  std::vector<Near> on_this_device;
  std::vector<Near> on_others;
  for (const Known& known : known_) {
    if (const auto distance = distance_between(known.standpoint, here))
      (known.subject.device == device ? on_this_device : on_others)
          .push_back({&known.subject, *distance});
  }
  append_nearest(std::move(on_this_device), most, nearest);
  append_nearest(std::move(on_others), most, nearest);
  return nearest;
}

std::vector<BestRow> exact_rows(const Store& store, const Problem& problem, const Device& device) {
  return store.best({problem.operation, {}, problem, device, {}});
}

std::vector<BestRow> near_rows(const Store& store, const NearbySubjects& neighbours,
                               const Operation& operation, const Problem& problem,
                               const Device& device) {
  std::vector<BestRow> rows;
  for (const Subject& subject : neighbours.near(operation, problem, device, kMostNear))
    for (BestRow& row :
         store.best({operation.name, {}, subject.problem, subject.device, subject.policy}))
      rows.push_back(std::move(row));
  return rows;
}

RowSource rows_of(const Store& store) {
  return {[&store](const LadderQuestion& question) {
            if (!question.device) return std::vector<BestRow>{};
            return exact_rows(store, question.problem, *question.device);
          },
          [&store](const LadderQuestion& question) {
            const Operation& operation = *question.operation;
            const NearbySubjects neighbours(operation,
                                            store.subjects(operation.name, question.device->kind));
            return near_rows(store, neighbours, operation, question.problem, *question.device);
          },
          {},
          [&store](const LadderQuestion& question) {
            return store.portable(question.operation->name, question.device->kind);
          }};
}

}  // namespace tilewright
