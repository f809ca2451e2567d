#pragma once

#include <filesystem>

#include "db/store/store.hpp"
#include "definition/library/library.hpp"

namespace tilewright::bench {

// A new folder below the system's temporary one. The destructor removes it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::filesystem::path template_folder();
std::filesystem::path space_folder();  // definitions whose spaces other tuners publish
const Library& templates();            // the definitions that come with tilewright

Device device();                    // the limits of an H200
Problem square(std::int64_t size);  // gemm
SweepKey sweep_of(std::int64_t size);

// A measured trial of gemm/tiled. Each `index` gives a different configuration.
Trial trial(std::int64_t index);

// Adds finished sweeps of gemm with the sizes first, 2 · first, …
void fill(Store& store, std::int64_t first, int sweeps, int trials_each);

// A new database of such sweeps with the sizes 16, 32, …, for many trials. All sweeps but the first
// are copied inside the database, because that is faster.
void fill_in_bulk(const std::filesystem::path& file, int sweeps, int trials_each);

}  // namespace tilewright::bench
