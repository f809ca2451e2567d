#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tuner/backend/evaluator.hpp"
#include "tuner/cuda/libraries/cublas_lt.hpp"
#include "tuner/cuda/libraries/cudnn.hpp"

namespace tilewright::cuda {

// What a plan tells a routine. Its methods throw LibraryError for what it does not tell.
class RoutineValues {
 public:
  // `routine` must outlive it.
  explicit RoutineValues(const PlannedRoutine& routine) : routine_(routine) {}

  bool has(const std::string& name) const { return routine_.values.contains(name); }
  std::int64_t number(const std::string& name) const;
  std::string label(const std::string& name) const;
  ElementType type(const std::string& argument) const;
  // Where calls have the argument; nothing: there is none.
  std::optional<std::size_t> place(const std::string& argument) const;
  LtNumbers numbers() const;

 private:
  const Value& find(const std::string& name) const;

  const PlannedRoutine& routine_;
};

// The snippet's argument that is a bias.
inline constexpr const char* kBiasArgument = "epilogue_bias";

// A problem of an operation that has the names of gemm. Throws LibraryError for what the libraries
// do not have.
LtProblem product_of(const RoutineValues& values);

// A problem of an operation that has the names of conv_layer or of conv2d. Throws LibraryError for
// what cuDNN does not compute.
ConvolutionProblem convolution_of(const RoutineValues& values);

}  // namespace tilewright::cuda
