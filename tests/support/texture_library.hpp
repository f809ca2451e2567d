#pragma once

#include <filesystem>
#include <string>

#include "tests/support/folder_of_files.hpp"

// An operation whose kernels read two inputs as textures: one copied to an array, one in place.
namespace tilewright::test {

// y[i] = mean of x[i] and x[i + 1], with the last one repeated, + shift[i].
inline constexpr const char* kTextureManifest = R"text(
schema = 1
[operation]
name = "means"
[[operation.dimension]]
name = "count"
default = 1000
[[operation.choice]]
name = "memory"
values = ["array", "linear"]
default = "array"
[[operation.argument]]
name = "x"
count = "count"
[[operation.argument]]
name = "shift"
count = "count"
[[operation.argument]]
name = "y"
role = "output"
count = "count"
[[implementation]]
name = "plain"
source = "means.cu"
[[implementation.parameter]]
name = "BLOCK"
values = [64, 128]
default = 64
[[implementation.launch]]
entry = "means"
when = "memory == 'array'"
grid = ["ceil_div(count, BLOCK)"]
block = ["BLOCK"]
arguments = [
  "y", { texture = "x", dims = ["count"], filter = "linear" },
  { texture = "shift", dims = ["count"], memory = "linear" }, "count",
]
[[implementation.launch]]
entry = "means_in_place"
when = "memory == 'linear'"
grid = ["ceil_div(count, BLOCK)"]
block = ["BLOCK"]
arguments = [
  "y", { texture = "x", dims = ["count"], memory = "linear" },
  { texture = "shift", dims = ["count"], memory = "linear" }, "count",
]
)text";

inline constexpr const char* kTextureSource = R"text(
__global__ void means(float* y, cudaTextureObject_t x, cudaTextureObject_t shift, int count) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < count) y[i] = tex1D<float>(x, i + 1) + tex1Dfetch<float>(shift, i);
}
__global__ void means_in_place(float* y, cudaTextureObject_t x, cudaTextureObject_t shift,
                               int count) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < count)
    y[i] = 0.5f * (tex1Dfetch<float>(x, i) + tex1Dfetch<float>(x, min(i + 1, count - 1))) +
           tex1Dfetch<float>(shift, i);
}
)text";

// Returns the folder of the library.
inline std::filesystem::path write_texture_library(const FolderOfFiles& folder) {
  folder.write("library/means/operation.toml", kTextureManifest);
  folder.write("library/means/means.cu", kTextureSource);
  return folder.path() / "library";
}

}  // namespace tilewright::test
