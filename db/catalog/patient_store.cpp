// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "db/catalog/patient_store.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <utility>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

bool is_same_file(const FileState& one, const FileState& other) {
  return one.device == other.device && one.inode == other.inode;
}

}  // namespace

std::optional<FileState> state_of(const std::filesystem::path& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0) return std::nullopt;
  return FileState{facts.st_dev, facts.st_ino, facts.st_size,
                   std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec};
}

PatientStore::PatientStore(std::filesystem::path file, std::chrono::milliseconds patience)
    : file_(std::move(file)), options_{patience} {}

// What `read` returns, or an empty result with `why` set. Never throws MachineError.
template <class Read>
auto PatientStore::try_read(const Read& read, std::string& why)
    -> decltype(read(std::declval<Store&>())) {
  const std::lock_guard lock(mutex_);
  try {
    if (reopen(why)) return read(*store_);
  } catch (const MachineError& error) {
    why = error.what();
    store_.reset();
  }
  return {};
}

bool PatientStore::reopen(std::string& why) {
  const auto state = state_of(file_);
  if (store_ && state && is_same_file(*state, *opened_)) return true;
  store_.reset();
  neighbours_.clear();
  if (file_.empty()) {
    why = "no database is given";
  } else if (!state) {
    why = fmt::format("there is no database '{}'", file_.string());
  } else {
    store_.emplace(file_, Store::Mode::read_only, options_);
    opened_ = state;
  }
  return store_.has_value();
}

StoredNeighbours& PatientStore::neighbours(Store& store, const Operation& operation,
                                           DeviceKind kind) {
  if (const std::int64_t version = store.version(); version != version_) {
    neighbours_.clear();
    version_ = version;
  }
  const auto key = std::pair(operation.name, kind);
  const auto known = neighbours_.find(key);
  if (known != neighbours_.end()) return known->second;
  return neighbours_.emplace(key, StoredNeighbours(operation, store.subjects(operation.name, kind)))
      .first->second;
}

std::vector<BestRow> PatientStore::rows(const Problem& problem, const std::optional<Device>& device,
                                        std::string& why) {
  return try_read(
      [&](const Store& store) {
        return device ? exact_rows(store, problem, *device) : std::vector<BestRow>{};
      },
      why);
}

std::vector<BestRow> PatientStore::near_rows(const Operation& operation, const Problem& problem,
                                             const Device& device, std::string& why) {
  return try_read(
      [&](Store& store) {
        return neighbours(store, operation, device.kind).rows(store, operation, problem, device);
      },
      why);
}

std::vector<PortableRow> PatientStore::portable_rows(const std::string& operation, DeviceKind kind,
                                                     std::string& why) {
  return try_read([&](const Store& store) { return store.portable(operation, kind); }, why);
}

std::vector<BestRow> PatientStore::rows_of(const std::string& operation) {
  Query query;
  query.operation = operation;
  std::string why;
  return try_read([&](const Store& store) { return store.best(query); }, why);
}

}  // namespace tilewright
