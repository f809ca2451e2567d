// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/settings.hpp"

namespace tilewright::bench {

// A problem of one of the operations that come with tilewright.
struct Case {
  std::string name;  // a word: of benchmarks and files
  std::string operation;
  Settings problem;  // what is left out takes its default
};

// In the order of the table.
const std::vector<Case>& cases();

// The operation of examples/kernel_tuner_convolution, and its problem that gives the same answers
// as this one of conv2d does inside the image. Nothing where its algorithm cannot: several planes,
// even filters or longer ones than 33.
inline constexpr const char* kKernelTuner = "kernel_tuner_convolution";
std::optional<Settings> kernel_tuner_problem(const Problem& problem);

}  // namespace tilewright::bench
