// Names that the fragments of the pages use and do not show; compiled, never run.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "tilewright/bundle.hpp"
#include "tilewright/catalog.hpp"
#include "tilewright/convolution.hpp"
#include "tilewright/gemm.hpp"
#include "tilewright/runtime.hpp"
#include "tilewright/tune.hpp"

#define KERNEL_TEMPLATES "kernel_templates"

extern const std::filesystem::path folder;
extern const tilewright::Device device;
extern const tilewright::Catalog catalog;
extern const tilewright::Runtime runtime;
extern void* const stream;
extern const std::size_t bytes;
extern const std::int64_t m, n, k;
extern const float *const a, *const b, *const bias, *const signal, *const filter, *const grid,
                                                                                      *const x;
extern float *const c, *const output, *const workspace, *const y;
extern const void *const a_bits, *const b_bits;
extern const float* const taps;

void my_stencil(std::span<const float> in, std::span<float> out);
void use(const tilewright::Configuration& configuration);
void use(const tilewright::KernelArgument& argument);

void fragment();
void fragment() {
  EXAMPLE
}
