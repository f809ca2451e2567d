// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "db/catalog/neighbours.hpp"
#include "db/store/store.hpp"

namespace tilewright {

// Results that came as files, not in a database: read when they are first asked for, never
// written. Safe to use from many threads.
class ShippedResults {
 public:
  // Files that export_winners() wrote, and folders of such files, `.json`, at any depth.
  explicit ShippedResults(std::vector<std::filesystem::path> places);

  // Answers for the problem on the device and for what is near it. `why` is set if a file cannot
  // be read; the others answer.
  std::vector<BestRow> rows(const Operation& operation, const Problem& problem,
                            const Device& device, std::string& why);

  // All answers for an operation, of the files that can be read.
  std::vector<BestRow> rows_of(const std::string& operation);

  // Throws InputError that names a file that cannot be read, for those who would write down less
  // than there is.
  void require_readable();

 private:
  struct Neighbours {
    std::vector<Subject> subjects;
    NearbySubjects nearby;  // of these
  };
  struct Part {
    std::vector<BestRow> rows;
    std::map<DeviceKind, Neighbours> neighbours;  // by kind of device
  };
  static Neighbours& neighbours(Part& part, const Operation& operation, DeviceKind kind);
  void read_all();
  void read(const std::filesystem::path& file);

  std::mutex mutex_;
  const std::vector<std::filesystem::path> places_;
  bool is_read_ = false;
  std::string why_;
  std::map<std::string, Part> parts_;  // by operation
};

}  // namespace tilewright
