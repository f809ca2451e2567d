#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tuner/verify/fill.hpp"
#include "tuner/verify/reference.hpp"

namespace tilewright {

// The elements of one input in float64. FP32 elements are read from `bytes`, which must outlive it.
// Others are converted once.
class InputValues {
 public:
  InputValues(const PlannedBuffer& buffer, const std::vector<std::uint8_t>& bytes);

  double operator[](std::int64_t index) const {
    return floats_ != nullptr ? static_cast<double>(load_element<float>(floats_, index))
                              : wide_[static_cast<std::size_t>(index)];
  }
  bool is_float32() const { return floats_ != nullptr; }

 private:
  const std::uint8_t* floats_ = nullptr;
  std::vector<double> wide_;
};

// What a built-in reference is made from. It refers to inputs by their place among the operation's
// inputs, and to dimensions and choices by name.
class ReferenceInputs {
 public:
  ReferenceInputs(std::string reference, const Problem& problem,
                  const std::vector<PlannedBuffer>& buffers, const ArgumentData& data);

  // The place-th input. Throws InputError if there is none or it has fewer than `count` elements.
  InputValues input(std::size_t place, std::int64_t count) const;

  // Throws InputError if the problem has no such dimension.
  std::int64_t dimension(const std::string& name) const;
  std::int64_t dimension_or(const std::string& name, std::int64_t fallback) const;
  // The scalar argument of that name, in float64.
  double scalar_or(const std::string& name, double fallback) const;
  std::string choice_or(const std::string& name, const std::string& fallback) const;

  // The number of elements of the place-th input.
  std::int64_t count(std::size_t place) const;

 private:
  const PlannedBuffer& buffer(std::size_t place) const;

  std::string reference_;
  const Problem& problem_;
  const std::vector<PlannedBuffer>& buffers_;
  const ArgumentData& data_;
  std::vector<std::size_t> inputs_;  // positions among the arguments
};

// C = alpha · op(A) · op(B) + beta · C. Defaults are in parentheses. Inputs are A, B and, if it is
// used, the earlier C, which gaps between rows and matrices keep. Dimensions are M, N, K, batch
// (1), lda, ldb, ldc, stride_a, stride_b, stride_c (no gaps). Choices are transpose_a, transpose_b
// and accumulate ("no": without beta · C). Scalars are alpha and beta (1).
std::unique_ptr<HostReference> make_gemm_reference(const ReferenceInputs& inputs);

// Inputs are signal and filter; dimensions are length, taps, batch (1); choices are boundary
// ("zero") and flip ("no").
std::unique_ptr<HostReference> make_conv1d_reference(const ReferenceInputs& inputs);

// Inputs are image, filter and the earlier output, which gaps between rows keep. Dimensions are
// width, height, filter_width, filter_height, pitch (width), anchor_x and anchor_y (half the
// filter), channels and batch (1). Choices are boundary ("zero"), flip ("no") and filters ("one").
// Throws InputError if the pitch is below the width.
std::unique_ptr<HostReference> make_conv2d_reference(const ReferenceInputs& inputs);

// The same of volumes, with depth, filter_depth and anchor_z (half the filter).
std::unique_ptr<HostReference> make_conv3d_reference(const ReferenceInputs& inputs);

// Inputs are field, coefficients (c0, then radius ones for each of x, y and z) and the earlier
// output, which gaps between rows keep. Dimensions are width, height, depth, radius, pitch (width),
// steps and batch (1). The choice boundary ("zero") may be "fixed", too: points nearer to a face
// than the radius keep their values. Throws InputError if the pitch is below the width.
std::unique_ptr<HostReference> make_stencil3d_reference(const ReferenceInputs& inputs);

// Inputs are image, row filter and column filter, and where the pitch is above the width the
// earlier output. Dimensions and choices are those of conv2d; `taps` may stand for both filters'
// lengths. Throws InputError if the pitch is below the width.
std::unique_ptr<HostReference> make_separable_reference(const ReferenceInputs& inputs);

}  // namespace tilewright
