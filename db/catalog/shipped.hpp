#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "db/catalog/neighbours.hpp"
#include "db/ladder/ladder.hpp"

namespace tilewright {

// The order in which a store lists its rows. Of two equally near rows the first one answers, so
// shipped rows must have the same order.
bool is_stored_before(const BestRow& one, const BestRow& other);

// The place itself if it is a file, else the .json files below it, sorted by name. `why` gets the
// first reason why something cannot be read.
std::vector<std::filesystem::path> shipped_files(const std::filesystem::path& place,
                                                 std::string& why);

// Shipped results. The files are read at the first question and never written. Safe to use from
// many threads.
class ShippedResults {
 public:
  // Files that export_winners() wrote, and folders with such `.json` files at any depth.
  explicit ShippedResults(std::vector<std::filesystem::path> places);

  // The rows of the question's implementations for its problem on its device and for near problems,
  // from the files that can be read. They live as long as this. REQUIRES a device.
  RowsRead<const BestRow*> rows(const LadderQuestion& question);

  // All rows of an operation, from the files that can be read.
  std::vector<BestRow> rows_of(const std::string& operation);

  // All devices with rows, each once, from the files that can be read.
  std::vector<Device> devices();

  // Throws InputError that names a file that cannot be read. For exports, which must be complete.
  void require_readable();

 private:
  struct Part {
    std::vector<BestRow> rows;                        // those of a problem side by side
    std::map<Problem, std::size_t> first;             // row of each problem
    std::map<DeviceKind, NearbySubjects> neighbours;  // by kind of device
  };
  // A subject's `problem_id` is the index of a row of it.
  static NearbySubjects& neighbours(Part& part, const Operation& operation, DeviceKind kind);
  void read_all();

  std::mutex mutex_;
  const std::vector<std::filesystem::path> places_;
  bool is_read_ = false;
  std::string why_;
  std::map<std::string, Part> parts_;  // by operation
};

}  // namespace tilewright
