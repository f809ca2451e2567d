#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "definition/library/library.hpp"
#include "tilewright/trial.hpp"

namespace tilewright::bench {

// The seed of the data that every series of the study multiplies.
inline constexpr std::uint64_t kStudySeed = 1;

// C = A · B of width × width floats, row by row; the products of an element are added up in order.
// It is in a file of its own, because it has its own compiler flags.
void multiply(const float* a, const float* b, float* c, std::int64_t width);

// The flags that `multiply` was compiled with.
std::string sequential_flags();

// The times of the sequential loop on one thread, and its result compared with float64 by the
// operation's rule.
struct Sequential {
  Timing timing;  // one sample for each run
  std::int64_t checked = 0;
  double worst_ratio = 0;  // of the operation's tolerance
  std::string wrong;       // the first wrong element; empty: all are right
};

// Runs until 60 s are spent or 20 runs are done, but at least 3 times. Throws InputError.
Sequential run_sequential(const Operation& gemm, std::int64_t width);

}  // namespace tilewright::bench
