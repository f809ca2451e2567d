// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// Lists a bundle's kernels, and launches its product of the given size on the host device. It needs
// no compiler, no database and no definitions.
//   tilewright bundle gemm M=N=K=64 --arch host --output gemm.bundle
//   from_bundle gemm.bundle 64
#include <tilewright/bundle.hpp>

#include <cstdlib>
#include <iostream>
#include <vector>

namespace {

int multiply(const char* file, std::int64_t size) {
  const tilewright::Bundle bundle(file);
  for (const tilewright::BundleKernel& kernel : bundle.kernels())
    std::cout << kernel.architecture << ' ' << kernel.answer.implementation << ' '
              << tilewright::to_text(kernel.answer.problem.values) << '\n';

  const tilewright::Kernel kernel =
      bundle.kernel({.operation = "gemm",
                     .problem = {{"M", size}, {"N", size}, {"K", size}},
                     .device = tilewright::DeviceSelector::host()});
  const auto elements = static_cast<std::size_t>(size * size);
  const std::vector<float> a(elements, 0.5F), b(elements, 0.25F);
  std::vector<float> c(elements);
  kernel.launch(nullptr, {a.data(), b.data(), std::span(c), 1.0F, 0.0F});
  std::cout << "C = " << c.back() << ", expected " << 0.125F * static_cast<float>(size) << '\n';
  return c.back() == 0.125F * static_cast<float>(size) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: from_bundle FILE SIZE\n";
    return 2;
  }
  try {
    return multiply(argv[1], std::atoll(argv[2]));
  } catch (const std::exception& error) {
    std::cerr << "from_bundle: " << error.what() << '\n';
    return 2;
  }
}
