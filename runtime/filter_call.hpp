#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tilewright/convolution.hpp"

// What the helpers for filters of one, two and three dimensions share.
namespace tilewright {

// A request for the operation, with its boundary and flip.
KernelRequest filter_request(const char* operation, const ConvolutionOptions& options);
// The same of an operation whose channels may have filters of their own.
KernelRequest channels_request(const char* operation, const ConvolutionOptions& options);

// The same with all inputs in device memory.
KernelRequest in_memory(KernelRequest request);

// The number of a type for KernelsBySize, which stands behind the dimensions. float32 is left out
// of problems, so definitions and bundles from before there were types serve it.
std::int64_t number_of(ElementType type);

// Kernels by these dimensions and the type.
KernelsBySize resolved(const Runtime& runtime, KernelRequest request,
                       const std::vector<std::string>& dimensions);

// The best kernel. If it needs values of the filter and the call has none: the best without them.
const Kernel& serving(const KernelsBySize& best, const KernelsBySize& in_memory,
                      std::span<const std::int64_t> sizes, ConstElementPointer filter_values);

// Throws InputError if the values are of another type.
Operand filter_of(ConstElementPointer filter, ConstElementPointer values);

}  // namespace tilewright
