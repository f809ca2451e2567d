#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/settings.hpp"

namespace tilewright::bench {

// A problem of one of the operations that come with tilewright.
struct Case {
  std::string name;  // one word, for names of benchmarks and files
  std::string operation;
  Settings problem;  // what is not here has its default
};

// In the order of the table.
const std::vector<Case>& cases();

// The operation of examples/kernel_tuner_convolution, and its problem that has the same answers as
// this problem of conv2d inside the image. Nothing for what its algorithm cannot compute: several
// planes, and filters with an even size or one above 33.
inline constexpr const char* kKernelTuner = "kernel_tuner_convolution";
std::optional<Settings> kernel_tuner_problem(const Problem& problem);

}  // namespace tilewright::bench
