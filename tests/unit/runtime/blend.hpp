#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "db/store/store.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tests/support/h200.hpp"
#include "tests/support/test_code.hpp"
#include "tilewright/error.hpp"
#include "tilewright/runtime.hpp"
#include "tuner/backend/device_report.hpp"

namespace tilewright::test {

// An operation with every kind of argument, small enough to compile in a moment:
// y[i] = factor · x[i] + weights[i % 3] + table[i % 2] + half + how often the workspace was used
// since it was last cleared; of more than one block only the last sees that in order.
inline constexpr const char* kBlendManifest = R"text(
schema = 1
[operation]
name = "blend"
[[operation.dimension]]
name = "count"
default = 100
[[operation.choice]]
name = "sign"
values = ["plus", "minus"]
default = "plus"
[[operation.argument]]
name = "x"
count = "count"
[[operation.argument]]
name = "weights"
count = 3
[[operation.argument]]
name = "y"
role = "output"
count = "count"
[[operation.argument]]
name = "factor"
kind = "scalar"
[[operation.argument]]
name = "table"
kind = "array"
type = "int32"
capacity = 4
count = 2
[[operation.argument]]
name = "half"
kind = "scalar"
type = "int32"
value = "count / 2"
[operation.reference]
source = "blend.cu"
[[operation.reference.launch]]
entry = "blend"
grid = [1]
block = [1]
arguments = ["x", "y"]
[[implementation]]
name = "plain"
source = "blend.cu"
compiled_in = ["sign"]
[[implementation.parameter]]
name = "BLOCK"
values = [32, 64]
default = 32
[[implementation.launch]]
entry = "blend"
grid = ["ceil_div(count, BLOCK)"]
block = ["BLOCK"]
arguments = ["x", { by_value = "weights", capacity = 4 }, "y", "factor", "table", "half", "workspace", "count"]
[implementation.workspace]
bytes = 256
zero = "once"
)text";

inline constexpr const char* kBlendSource = R"text(
struct Weights { float values[4]; };
struct Table { int values[4]; };
extern "C" __global__ void blend(const float* x, Weights weights, float* y, float factor,
                                 Table table, int half, int* used, int count) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= count) return;
  const float value = factor * x[i] + weights.values[i % 3] + table.values[i % 2] + half + *used;
  y[i] = PROBLEM_SIGN == SIGN_PLUS ? value : -value;
  if (i == count - 1) *used = *used + 1;
}
)text";

// Folders with that definition, a database that is not there and a cache that tests share.
class BlendTest : public testing::Test {
 protected:
  BlendTest() {
    folder_.write("kernels/blend/operation.toml", kBlendManifest);
    folder_.write("kernels/blend/blend.cu", kBlendSource);
  }

  RuntimeOptions options() const {
    RuntimeOptions options;
    options.catalog.database = folder_.path() / "results.db";
    options.catalog.kernels = {folder_.path() / "kernels"};
    options.cache = test_code();
    return options;
  }

  static KernelRequest request(Settings problem = {}) {
    return {"blend", std::move(problem), DeviceSelector::host()};
  }

  FolderOfFiles folder_;
};

// Of a GPU that need not be there.
inline DeviceReport gpu_report() {
  DeviceReport report;
  report.id = "cuda:0";
  report.device = h200();
  return report;
}

// What a launch of blend works on.
struct BlendOperands {
  explicit BlendOperands(std::size_t count) : x(count), y(count) {
    for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i);
  }
  std::vector<Operand> list() {
    return {x.data(), std::span<const float>(weights), std::span(y), 2.0F,
            Operand::array(std::span<const int>(table))};
  }
  float expected(std::size_t i, int used = 0) const {
    return 2.0F * x[i] + weights[i % 3] + static_cast<float>(table[i % 2]) +
           static_cast<float>(x.size() / 2) + static_cast<float>(used);
  }

  std::vector<float> x, y;
  std::vector<float> weights = {0.25F, 0.5F, 0.75F};
  std::vector<int> table = {1000, 2000};
  alignas(256) std::array<unsigned char, 256> workspace = {};
};

// The sentence of what `work` throws; fails the test where it throws nothing of that type.
template <class Error, class Work>
std::string message_of(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another type: " << error.what();
    return "";
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

// Adds a sweep of blend/plain that is not finished, with these blocks.
inline void add_unfinished(const std::filesystem::path& database, const Device& device,
                           const Problem& problem,
                           const std::vector<std::pair<std::int64_t, Outcome>>& trials) {
  Store store(database);
  SweepKey key;
  key.operation = "blend";
  key.problem = problem;
  key.device = device;
  key.policy = {CachePolicy::warm, "call"};
  key.implementations = {{"blend/plain", 1, "", "", {{{"BLOCK", 32}}}}};
  key.budget = 9;
  const SweepRecord sweep = store.begin_sweep(key, {}, Store::Start::fresh);
  for (const auto& [block, outcome] : trials) {
    Trial trial;
    trial.implementation = "blend/plain";
    trial.configuration = {{{"BLOCK", block}}};
    trial.outcome = outcome;
    if (outcome == Outcome::measured) trial.timing = Timing{{5}, 5, 5, 5, 5, 5, 5, 1, 1, 0};
    store.add_trial(sweep.id, trial);
  }
}

}  // namespace tilewright::test
