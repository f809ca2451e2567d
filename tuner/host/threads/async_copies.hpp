#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "tuner/host/threads/tensor_map.hpp"

namespace tilewright::host {

// When what a thread does not wait for happens. A kernel must be right with each of them.
enum class Pace { at_once, late, by_chance };

// A copy between global and shared memory, of a box or of neighbouring bytes.
struct BulkCopy {
  std::optional<MappedTensor> map;
  BoxPlace place{};                // with a map
  std::uint8_t* global = nullptr;  // without one
  std::uint8_t* shared = nullptr;
  unsigned bytes = 0;

  void fetch() const;
  void store() const;
};

// Copies to shared memory that are on their way, and the barriers that count their bytes.
class PendingFetches {
 public:
  struct Fetch {
    BulkCopy copy;
    std::uint64_t* barrier = nullptr;
  };

  void add(const Fetch& fetch) { fetches_.push_back(fetch); }
  bool empty() const { return fetches_.empty(); }
  void clear() { fetches_.clear(); }
  // In the order of their start, until a phase of a barrier ends or there are no more. Returns what
  // is wrong with a barrier, as finish() does.
  std::optional<std::string> finish_some();

  // Does the copy and counts its bytes. Returns what is wrong with the barrier, "has …", if
  // anything is.
  static std::optional<std::string> finish(const Fetch& fetch);

 private:
  std::deque<Fetch> fetches_;
};

// A thread's copies from shared memory, in groups. They read it when the thread waits for them.
class PendingStores {
 public:
  void add(const BulkCopy& copy) { open_.push_back(copy); }
  void end_group();
  // Until all but the `groups` groups ended last have been stored.
  void wait(std::size_t groups);

 private:
  std::vector<BulkCopy> open_;
  std::vector<std::vector<BulkCopy>> groups_;  // the oldest first
};

}  // namespace tilewright::host
