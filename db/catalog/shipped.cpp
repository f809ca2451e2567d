#include "db/catalog/shipped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "db/exchange/winners.hpp"
#include "db/records/device_name.hpp"
#include "definition/text/suggest.hpp"
#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"

namespace tilewright {

namespace fs = std::filesystem;

namespace {

auto order_of(const BestRow& row) {
  const Device& device = row.device;
  return std::tuple(canonical_json(row.problem.values), device.kind, device.name,
                    device.compute_capability, device.partition, device.sm_count, device.l2_bytes,
                    row.policy.cache != CachePolicy::warm, row.policy.cache == CachePolicy::cold,
                    row.policy.submission, row.implementation, row.superseded);
}

bool is_of_one_subject(const BestRow& one, const BestRow& other) {
  return one.problem == other.problem && one.device == other.device && one.policy == other.policy;
}

}  // namespace

std::vector<fs::path> shipped_files(const fs::path& place, std::string& why) {
  std::error_code error;
  if (!fs::is_directory(place, error)) return {place};
  std::vector<fs::path> files;
  try {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(place))
      if (entry.path().extension() == ".json") files.push_back(entry.path());
  } catch (const fs::filesystem_error& failure) {
    if (why.empty())
      why = fmt::format("{} cannot be read: {}", place.string(), failure.code().message());
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool is_stored_before(const BestRow& one, const BestRow& other) {
  return order_of(one) < order_of(other);
}

ShippedResults::ShippedResults(std::vector<fs::path> places) : places_(std::move(places)) {}

void ShippedResults::read_all() {
  if (is_read_) return;
  is_read_ = true;
  for (const fs::path& place : places_) {
    for (const fs::path& file : shipped_files(place, why_)) {
      try {
        for (BestRow& row : import_winners(read_text_file(file, kResultsFile), file.string())) {
          row.shipped = true;
          parts_[row.problem.operation].rows.push_back(std::move(row));
        }
      } catch (const InputError& error) {
        if (why_.empty()) why_ = error.what();
      }
    }
  }
  for (auto& [operation, part] : parts_) {
    std::stable_sort(part.rows.begin(), part.rows.end(), is_stored_before);
    for (std::size_t i = 0; i < part.rows.size(); ++i) part.first.emplace(part.rows[i].problem, i);
  }
}

NearbySubjects& ShippedResults::neighbours(Part& part, const Operation& operation,
                                           DeviceKind kind) {
  const auto known = part.neighbours.find(kind);
  if (known != part.neighbours.end()) return known->second;
  SubjectList list;
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    const BestRow& row = part.rows[i];
    const auto is_listed = [&](const SubjectList::Row& one) {
      return is_of_one_subject(part.rows[static_cast<std::size_t>(one.problem_id)], row);
    };
    if (row.device.kind != kind || std::ranges::any_of(list.rows, is_listed)) continue;
    const auto device = std::ranges::find(list.devices, row.device) - list.devices.begin();
    list.rows.push_back({canonical_json(row.problem.values), static_cast<std::size_t>(device),
                         static_cast<std::int64_t>(i)});
    if (list.rows.back().device == list.devices.size()) list.devices.push_back(row.device);
  }
  return part.neighbours.emplace(kind, NearbySubjects(operation, std::move(list))).first->second;
}

RowsRead<const BestRow*> ShippedResults::rows(const LadderQuestion& question) {
  const std::lock_guard lock(mutex_);
  read_all();
  RowsRead<const BestRow*> found{{}, why_};
  const auto part = parts_.find(question.operation->name);
  if (part == parts_.end()) return found;
  const Device& device = *question.device;
  const std::vector<BestRow>& all = part->second.rows;
  const auto asked = names_of(question.implementations, &Implementation::full_name);
  // The rows beside this one, of its problem.
  const auto take = [&](std::size_t first, const auto& is_wanted) {
    for (std::size_t i = first; i < all.size() && all[i].problem == all[first].problem; ++i)
      if (is_wanted(all[i]) && is_among(all[i].implementation, asked))
        found.rows.push_back(&all[i]);
  };
  if (const auto exact = part->second.first.find(question.problem);
      exact != part->second.first.end())
    take(exact->second, [&](const BestRow& row) { return row.device == device; });
  NearbySubjects& known = neighbours(part->second, *question.operation, device.kind);
  for (const SubjectList::Row& near : known.near(*question.operation, question.problem, device)) {
    const auto first = static_cast<std::size_t>(near.problem_id);
    take(first, [&](const BestRow& row) { return is_of_one_subject(row, all[first]); });
  }
  return found;
}

std::vector<BestRow> ShippedResults::rows_of(const std::string& operation) {
  const std::lock_guard lock(mutex_);
  read_all();
  const auto part = parts_.find(operation);
  return part == parts_.end() ? std::vector<BestRow>{} : part->second.rows;
}

std::vector<Device> ShippedResults::devices() {
  const std::lock_guard lock(mutex_);
  read_all();
  std::vector<Device> devices;
  for (const auto& [operation, part] : parts_)
    for (const BestRow& row : part.rows) add_device(devices, row.device);
  return devices;
}

void ShippedResults::require_readable() {
  const std::lock_guard lock(mutex_);
  read_all();
  if (!why_.empty()) throw InputError("shipped results: " + why_);
}

}  // namespace tilewright
