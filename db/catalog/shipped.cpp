// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "db/catalog/shipped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "db/exchange/winners.hpp"
#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"

namespace tilewright {

namespace fs = std::filesystem;

namespace {

// The place itself, or the files below it, in the order of their names.
std::vector<fs::path> files_at(const fs::path& place, std::vector<std::string>& reasons) {
  std::error_code error;
  if (!fs::is_directory(place, error)) return {place};
  std::vector<fs::path> files;
  try {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(place))
      if (entry.path().extension() == ".json") files.push_back(entry.path());
  } catch (const fs::filesystem_error& failure) {
    reasons.push_back(
        fmt::format("{} cannot be read: {}", place.string(), failure.code().message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<Subject> subjects_of(const std::vector<BestRow>& rows, DeviceKind kind) {
  std::vector<Subject> subjects;
  for (const BestRow& row : rows) {
    Subject subject{row.problem, row.device, row.policy};
    if (row.device.kind == kind &&
        std::find(subjects.begin(), subjects.end(), subject) == subjects.end())
      subjects.push_back(std::move(subject));
  }
  return subjects;
}

NearbySubjects nearby_of(const Operation& operation, const std::vector<Subject>& subjects) {
  std::vector<Device> devices;
  std::vector<NearbySubjects::Measured> measured;
  for (const Subject& subject : subjects) {
    const auto known = std::find(devices.begin(), devices.end(), subject.device);
    measured.push_back({canonical_json(subject.problem.values),
                        static_cast<std::size_t>(known - devices.begin())});
    if (known == devices.end()) devices.push_back(subject.device);
  }
  return {operation, std::move(devices), std::move(measured)};
}

// As a store orders what it has answers of, so that of two equally near ones the same is served.
auto order_of(const BestRow& row) {
  const Device& device = row.device;
  return std::tuple(canonical_json(row.problem.values), device.kind, device.name,
                    device.compute_capability, device.partition, device.sm_count, device.l2_bytes,
                    row.policy.cache == CachePolicy::cold, row.policy.submission,
                    row.implementation);
}

bool is_of(const BestRow& row, const Subject& subject) {
  return row.problem == subject.problem && row.device == subject.device &&
         row.policy == subject.policy;
}

}  // namespace

ShippedResults::ShippedResults(std::vector<fs::path> places) : places_(std::move(places)) {}

void ShippedResults::read(const fs::path& file) {
  for (BestRow& row : import_winners(read_text_file(file), file.string())) {
    row.shipped = true;
    parts_[row.problem.operation].rows.push_back(std::move(row));
  }
}

void ShippedResults::read_all() {
  if (is_read_) return;
  is_read_ = true;
  std::vector<std::string> reasons;
  for (const fs::path& place : places_) {
    for (const fs::path& file : files_at(place, reasons)) {
      try {
        read(file);
      } catch (const InputError& error) {
        reasons.emplace_back(error.what());
      }
    }
  }
  for (auto& [operation, part] : parts_)
    std::stable_sort(part.rows.begin(), part.rows.end(),
                     [](const BestRow& a, const BestRow& b) { return order_of(a) < order_of(b); });
  if (!reasons.empty()) why_ = reasons.front();
}

ShippedResults::Neighbours& ShippedResults::neighbours(Part& part, const Operation& operation,
                                                       DeviceKind kind) {
  const auto known = part.neighbours.find(kind);
  if (known != part.neighbours.end()) return known->second;
  std::vector<Subject> subjects = subjects_of(part.rows, kind);
  NearbySubjects nearby = nearby_of(operation, subjects);
  return part.neighbours.emplace(kind, Neighbours{std::move(subjects), std::move(nearby)})
      .first->second;
}

std::vector<BestRow> ShippedResults::rows(const Operation& operation, const Problem& problem,
                                          const Device& device, std::string& why) {
  const std::lock_guard lock(mutex_);
  read_all();
  why = why_;
  const auto part = parts_.find(operation.name);
  if (part == parts_.end()) return {};
  const std::vector<BestRow>& all = part->second.rows;
  Neighbours& known = neighbours(part->second, operation, device.kind);
  std::vector<BestRow> found;
  std::copy_if(all.begin(), all.end(), std::back_inserter(found),
               [&](const BestRow& row) { return row.problem == problem && row.device == device; });
  for (const std::size_t i : known.nearby.near(operation, problem, device, kMostNear))
    std::copy_if(all.begin(), all.end(), std::back_inserter(found),
                 [&](const BestRow& row) { return is_of(row, known.subjects[i]); });
  return found;
}

std::vector<BestRow> ShippedResults::rows_of(const std::string& operation) {
  const std::lock_guard lock(mutex_);
  read_all();
  const auto part = parts_.find(operation);
  return part == parts_.end() ? std::vector<BestRow>{} : part->second.rows;
}

void ShippedResults::require_readable() {
  const std::lock_guard lock(mutex_);
  read_all();
  if (!why_.empty()) throw InputError("shipped results: " + why_);
}

}  // namespace tilewright
