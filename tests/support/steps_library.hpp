#pragma once

#include <filesystem>
#include <string>

#include "tests/support/folder_of_files.hpp"

// An operation whose calls fill a constant, repeat a launch, and compile one launch by itself.
namespace tilewright::test {

// y[i] = factors[i % 4] · x[i] + steps. Each step adds 1; its buffers change places.
inline constexpr const char* kStepsManifest = R"text(
schema = 1
[operation]
name = "steps"
[[operation.dimension]]
name = "count"
default = 1000
[[operation.dimension]]
name = "steps"
default = 3
[[operation.argument]]
name = "x"
count = "count"
[[operation.argument]]
name = "factors"
count = 4
[[operation.argument]]
name = "y"
role = "output"
count = "count"
[[implementation]]
name = "plain"
source = "steps.cu"
constant = [{ symbol = "factors", from = "factors" }]
[[implementation.parameter]]
name = "BLOCK"
values = [64, 128]
default = 64
[implementation.workspace]
bytes = "4 * count"
[[implementation.loop]]
name = "all"
trips = "2 * (steps / 2)"
swap = ["y", "workspace"]
[[implementation.launch]]
entry = "scale"
grid = ["ceil_div(count, BLOCK)"]
block = ["BLOCK"]
arguments = ["y", "x", "count"]
[[implementation.launch]]
entry = "add"
loop = "all"
macros = { ADDEND = 1 }
grid = ["ceil_div(count, BLOCK)"]
block = ["BLOCK"]
arguments = ["workspace", "y", "count"]
[[implementation.launch]]
entry = "add"
macros = { ADDEND = "steps % 2" }
grid = ["ceil_div(count, BLOCK)"]
block = ["BLOCK"]
arguments = ["y", "y", "count"]
)text";

inline constexpr const char* kStepsSource = R"text(
__constant__ float factors[16];
__global__ void scale(float* y, const float* x, int count) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < count) y[i] = factors[i % 4] * x[i];
}
#ifdef ADDEND
__global__ void add(float* after, const float* before, int count) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < count) after[i] = before[i] + ADDEND;
}
#endif
)text";

// Returns the folder of the library.
inline std::filesystem::path write_steps_library(const FolderOfFiles& folder) {
  folder.write("library/steps/operation.toml", kStepsManifest);
  folder.write("library/steps/steps.cu", kStepsSource);
  return folder.path() / "library";
}

}  // namespace tilewright::test
