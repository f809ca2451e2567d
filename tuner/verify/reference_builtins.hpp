// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tuner/verify/elements.hpp"
#include "tuner/verify/reference.hpp"

namespace tilewright {

// The elements of one input in float64. FP32 ones are read where they are, which must outlive
// this; others are converted once.
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

// What a built-in reference is made from. Inputs are taken by their place among the operation's
// inputs, dimensions and choices by name.
class ReferenceInputs {
 public:
  ReferenceInputs(std::string reference, const Problem& problem,
                  const std::vector<PlannedBuffer>& buffers, const ArgumentData& data);

  // The place-th input. Throws InputError if there is none or it has not `count` elements.
  InputValues input(std::size_t place, std::int64_t count) const;

  // Throws InputError if the problem has no such dimension.
  std::int64_t dimension(const std::string& name) const;
  std::int64_t dimension_or(const std::string& name, std::int64_t fallback) const;
  // The scalar argument of that name in float64.
  double scalar_or(const std::string& name, double fallback) const;
  std::string choice_or(const std::string& name, const std::string& fallback) const;

  // Elements of the place-th input.
  std::int64_t count(std::size_t place) const;

 private:
  const PlannedBuffer& buffer(std::size_t place) const;

  std::string reference_;
  const Problem& problem_;
  const std::vector<PlannedBuffer>& buffers_;
  const ArgumentData& data_;
  std::vector<std::size_t> inputs_;  // positions among the arguments
};

// C = alpha · op(A) · op(B) + beta · C. Inputs A, B and, where it is used, C as it was before
// (which it keeps between its rows and matrices); dimensions M, N, K, batch (1), lda, ldb, ldc and
// stride_a, stride_b, stride_c (without gaps); choices transpose_a, transpose_b and accumulate
// ("no": no beta · C); scalars alpha and beta (1).
std::unique_ptr<HostReference> make_gemm_reference(const ReferenceInputs& inputs);

// Inputs signal and filter; dimensions length, taps, batch (1 if absent); choices boundary
// ("zero" if absent) and flip ("no").
std::unique_ptr<HostReference> make_conv1d_reference(const ReferenceInputs& inputs);

// Inputs image, filter and the output as it was before (which it keeps between its rows);
// dimensions width, height, filter_width, filter_height, pitch (width if absent), anchor_x and
// anchor_y (half the filter), channels and batch (1); choices boundary ("zero"), flip ("no"),
// filters ("one"). Throws InputError for a pitch below the width.
std::unique_ptr<HostReference> make_conv2d_reference(const ReferenceInputs& inputs);

// Inputs image, row filter, column filter; dimensions height, width, taps; choice boundary.
std::unique_ptr<HostReference> make_separable_reference(const ReferenceInputs& inputs);

}  // namespace tilewright
