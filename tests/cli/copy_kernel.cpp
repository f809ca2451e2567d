#include "tests/cli/copy_kernel.hpp"

#include <stdexcept>

#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

constexpr const char* kManifest = R"toml(schema = 1

[operation]
name = "copy"
about = "out = in"
bytes = "8 * n"

[[operation.dimension]]
name = "n"
default = 4096

[[operation.argument]]
name = "in"
count = "n"

[[operation.argument]]
name = "out"
role = "output"
count = "n"

[operation.reference]
source = "copy.cu"

[[operation.reference.launch]]
entry = "copy_slowly"
grid = ["n"]
block = [1]
arguments = ["in", "out", "n"]

[[implementation]]
name = "plain"
about = "an element a thread"
source = "copy.cu"

[[implementation.parameter]]
name = "BLOCK"
values = [32, 64]
default = 32

[[implementation.constraint]]
require = "BLOCK <= 1024"
why = "a block has at most 1024 threads"

[[implementation.launch]]
entry = "copy"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["in", "out", "n"]
)toml";

constexpr const char* kSource = R"cuda(
#ifndef BLOCK  // the reference
extern "C" __global__ void copy_slowly(const float* in, float* out, int n) {
  if (static_cast<int>(blockIdx.x) < n) out[blockIdx.x] = in[blockIdx.x];
}
#else
#if BLOCK == 96
#error "a block of 96 is not written yet"
#endif
extern "C" __global__ void copy(const float* in, float* out, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) out[i] = in[i];
}
#endif
)cuda";

}  // namespace

std::filesystem::path write_copy_kernel(const std::filesystem::path& folder, const Edits& edits) {
  std::string manifest = kManifest;
  for (const auto& [from, to] : edits) {
    const std::size_t place = manifest.find(from);
    if (place == std::string::npos) throw std::runtime_error("nothing to edit: " + from);
    manifest.replace(place, from.size(), to);
  }
  std::filesystem::create_directories(folder);
  write_text(folder / "copy.cu", kSource);
  write_text(folder / "copy.toml", manifest);
  return folder / "copy.toml";
}

}  // namespace tilewright::test
