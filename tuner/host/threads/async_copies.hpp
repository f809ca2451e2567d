#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/host/threads/tensor_map.hpp"

namespace tilewright::host {

// A copy between global and shared memory, of a box or of neighbouring bytes.
struct BulkCopy {
  std::optional<MappedTensor> map;
  BoxPlace place{};                // with a map
  BoxPlace offsets{};              // with a map in im2col mode
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
  void end_group() { groups_.push_back(std::exchange(open_, {})); }
  // Until all but the `groups` groups ended last have been stored.
  void wait(std::size_t groups);

 private:
  std::vector<BulkCopy> open_;
  std::vector<std::vector<BulkCopy>> groups_;  // the oldest first
};

// The state of an mbarrier, which a kernel keeps in 8 bytes of its shared memory. A phase ends when
// all its arrivals and all bytes that were expected have come. The next one has the other parity;
// the first has parity 0.
struct BarrierWord {
  unsigned arrivals = 1;  // of each phase, 1 to kMostArrivals
  unsigned missing = 1;   // arrivals
  int missing_bytes = 0;  // below 0: that came before they were expected
  unsigned parity = 0;

  static constexpr unsigned kMostArrivals = (1U << 20) - 1;
  static constexpr int kMostBytes = (1 << 20) - 1;
  // What is wrong with a barrier of which from_bits() gives nothing.
  static constexpr const char* kIsNone = "was not initialised, or has been overwritten";

  // Nothing if the 8 bytes are none that to_bits() gives, as poisoned memory is not.
  static std::optional<BarrierWord> from_bits(std::uint64_t bits);
  std::uint64_t to_bits() const;

  // What cannot be is returned as one sentence's end, "has …", and then the state is of no use.
  std::optional<std::string> arrive(unsigned expected_bytes);
  std::optional<std::string> complete(unsigned bytes);

 private:
  std::optional<std::string> end_phase();
};

}  // namespace tilewright::host
