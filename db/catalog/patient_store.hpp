// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "db/catalog/neighbours.hpp"
#include "db/store/store.hpp"

namespace tilewright {

// The state of a file as its metadata tells it, without opening it.
struct FileState {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t changed_ns = 0;  // since 1970
  bool operator==(const FileState&) const = default;
};
std::optional<FileState> state_of(const std::filesystem::path& file);

// The database as a look-up sees it: there, or not with a reason. Opens it when it is first
// needed, and again after a failure or when the file was replaced. Safe to use from many threads.
class PatientStore {
 public:
  PatientStore(std::filesystem::path file, std::chrono::milliseconds patience);

  const std::filesystem::path& file() const { return file_; }

  // Answers for the problem, or none, with `why` set if the database cannot be read. Without a
  // device there are none.
  std::vector<BestRow> rows(const Problem& problem, const std::optional<Device>& device,
                            std::string& why);

  // Answers for what is near; the same.
  std::vector<BestRow> near_rows(const Operation& operation, const Problem& problem,
                                 const Device& device, std::string& why);

  // What does well in general on devices of this kind; the same.
  std::vector<PortableRow> portable_rows(const std::string& operation, DeviceKind kind,
                                         std::string& why);

  // All answers for an operation; none if the database cannot be read.
  std::vector<BestRow> rows_of(const std::string& operation);

 private:
  template <class Read>
  auto try_read(const Read& read, std::string& why) -> decltype(read(std::declval<Store&>()));
  bool reopen(std::string& why);
  StoredNeighbours& neighbours(Store& store, const Operation& operation, DeviceKind kind);

  std::mutex mutex_;
  const std::filesystem::path file_;
  const StoreOptions options_;
  std::optional<Store> store_;
  std::optional<FileState> opened_;
  std::int64_t version_ = 0;  // of the store that the neighbours are of
  std::map<std::pair<std::string, DeviceKind>, StoredNeighbours> neighbours_;  // operation, kind
};

}  // namespace tilewright
