#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>

#include "db/store/store.hpp"
#include "tests/support/h200.hpp"

namespace tilewright::test {

// A folder of its own, removed with all in it.
class Folder {
 public:
  Folder() {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path() /
            ("tilewright-db-" + std::to_string(::getpid()) + '-' + std::to_string(++count));
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline void write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

inline std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline Configuration tile(std::int64_t width) {
  return {{{"TILE_WIDTH", width}}};
}

inline Problem cube(std::int64_t size) {
  return {"gemm", {{"M", size}, {"N", size}, {"K", size}}};
}

inline SweepKey sweep_key(std::int64_t size = 1024) {
  SweepKey key;
  key.operation = "gemm";
  key.problem = cube(size);
  key.device = h200();
  key.implementations = {{"gemm/naive", 1, "aa", "bb", tile(16)},
                         {"gemm/tiled", 1, "cc", "dd", tile(32)}};
  key.strategy = "random";
  key.budget = 100;
  return key;
}

inline Environment environment() {
  return {"580.159.04", "13.0", "NVRTC 13.0", "0.1.0"};
}

inline Trial measured(std::int64_t width, double median_us, Stage stage = Stage::screen,
                      const std::string& implementation = "gemm/tiled") {
  Trial trial;
  trial.implementation = implementation;
  trial.configuration = tile(width);
  trial.outcome = Outcome::measured;
  trial.stage = stage;
  trial.code_hash = "c0de";
  trial.compile_ms = 12.5;
  trial.resources = Resources{64, 8192, 0, 0, 256, 4, 0.5};
  trial.verification = Verification{100, 200, 1e-6, 0.25, 18446744073709551615ULL};
  const double upper_us = median_us * 1.001;
  trial.timing = Timing{{median_us, upper_us},
                        median_us,
                        median_us,
                        upper_us,
                        median_us,
                        upper_us,
                        median_us,
                        20,
                        1,
                        1980};
  return trial;
}

inline Trial failed(std::int64_t width, Outcome outcome, Stage stage = Stage::screen) {
  Trial trial;
  trial.implementation = "gemm/tiled";
  trial.configuration = tile(width);
  trial.outcome = outcome;
  trial.stage = stage;
  trial.rule = outcome == Outcome::pruned ? "threads" : "";
  trial.message = "2048 threads, 1024 are allowed: \"x\", \xC3\xA9\n";
  return trial;
}

// A finished sweep in `store`.
inline SweepRecord finished(Store& store, const SweepKey& key, const std::vector<Trial>& trials) {
  const SweepRecord record = store.begin_sweep(key, environment(), Store::Start::fresh);
  for (const Trial& trial : trials) store.add_trial(record.id, trial);
  store.finish_sweep(record.id, R"({"cuts": {"threads": 3}})");
  return record;
}

// What() of the Error that `call` throws; another text if it throws none.
template <class Error, class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tilewright::test
