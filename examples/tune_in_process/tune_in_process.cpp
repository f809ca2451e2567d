// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// tune_in_process STENCIL5.toml DATABASE WORKER: tunes the kernel of examples/stencil5 on the first
// GPU, else on the CPU. This program gives the grid and the right answers.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <vector>

#include "tilewright/tune.hpp"

namespace {

constexpr std::int64_t kHeight = 96;
constexpr std::int64_t kWidth = 130;

// A hot square on a cold plate.
std::vector<float> plate() {
  std::vector<float> grid(kHeight * kWidth, 0.0F);
  for (std::int64_t row = 30; row < 60; ++row)
    std::fill_n(grid.begin() + row * kWidth + 40, 50, 1.0F);
  return grid;
}

// Beyond the edge each point is a copy of the nearest one.
void step(const tilewright::ReferenceCall& call) {
  const auto in = call.input<float>("in");
  const auto out = call.output<float>("out");
  const double rate = call.input<float>("rate")[0];
  const auto at = [&](std::int64_t row, std::int64_t column) -> double {
    row = std::clamp<std::int64_t>(row, 0, kHeight - 1);
    column = std::clamp<std::int64_t>(column, 0, kWidth - 1);
    return in[static_cast<std::size_t>(row * kWidth + column)];
  };
  for (std::int64_t row = 0; row < kHeight; ++row)
    for (std::int64_t column = 0; column < kWidth; ++column) {
      const double around =
          at(row - 1, column) + at(row + 1, column) + at(row, column - 1) + at(row, column + 1);
      out[static_cast<std::size_t>(row * kWidth + column)] =
          static_cast<float>(at(row, column) + rate * (around - 4 * at(row, column)));
    }
}

tilewright::TuneResult tune_plate(char** argv) {
  const std::vector<float> grid = plate();
  tilewright::TuneRequest request;
  request.operation = argv[1];
  request.problem = {{"height", kHeight}, {"width", kWidth}, {"edge", "copy"}};
  request.arrays = {{"in", grid.data(), grid.size() * sizeof(float)}};
  request.reference = step;
  request.budget = 3;
  request.database = argv[2];
  request.worker = argv[3];
  request.progress = [](const tilewright::TuneProgress& progress) {
    std::cout << progress.done << " of " << progress.planned << ": "
              << tilewright::to_text(progress.trial.configuration.values) << ": "
              << tilewright::to_text(progress.trial.outcome) << '\n';
  };
  return tilewright::tune(request);
}

int run(char** argv) {
  const tilewright::TuneResult result = tune_plate(argv);
  if (!result.found()) {
    std::cout << "nothing was right: " << result.failure << '\n';
    return 1;
  }
  std::cout << "best on " << result.device.name << ": " << result.implementation << ' '
            << tilewright::to_text(result.configuration.values) << ", " << result.median_us
            << " us (default " << result.default_us << " us)\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: tune_in_process STENCIL5.toml DATABASE WORKER\n";
    return 2;
  }
  try {
    return run(argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
