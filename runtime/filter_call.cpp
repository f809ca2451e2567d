#include "runtime/filter_call.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "runtime/typed_call.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

constexpr std::array<const char*, 5> kBoundaryNames = {"zero", "replicate", "reflect", "mirror",
                                                       "wrap"};

Settings type_settings(std::int64_t number) {
  const auto type = static_cast<ElementType>(number);
  if (type == ElementType::float32) return {};
  return {{"type", to_text(type)}};
}

}  // namespace

KernelRequest filter_request(const char* operation, const ConvolutionOptions& options) {
  KernelRequest request = request_of(operation, options);
  request.problem["boundary"] = kBoundaryNames.at(static_cast<std::size_t>(options.boundary));
  request.problem["flip"] = options.flip == ConvolutionOptions::Flip::yes ? "yes" : "no";
  return request;
}

KernelRequest channels_request(const char* operation, const ConvolutionOptions& options) {
  KernelRequest request = filter_request(operation, options);
  request.problem["filters"] =
      options.filters == ConvolutionOptions::Filters::one ? "one" : "per_channel";
  return request;
}

KernelRequest in_memory(KernelRequest request) {
  request.inputs = Inputs::in_memory;
  return request;
}

std::int64_t number_of(ElementType type) {
  return static_cast<std::int64_t>(type);
}

KernelsBySize resolved(const Runtime& runtime, KernelRequest request,
                       const std::vector<std::string>& dimensions) {
  return runtime.resolve(std::move(request), dimensions, type_settings);
}

const Kernel& serving(const KernelsBySize& best, const KernelsBySize& in_memory,
                      std::span<const std::int64_t> sizes, ConstElementPointer filter_values) {
  constexpr std::size_t kFilter = 1;  // its index among the arguments
  const Kernel& kernel = best.at(sizes);
  if (filter_values.memory() != nullptr || !argument_at(kernel, kFilter).by_value) return kernel;
  return in_memory.at(sizes);
}

Operand filter_of(ConstElementPointer filter, ConstElementPointer values) {
  const Operand operand(filter);
  if (values.memory() == nullptr) return operand;
  if (values.type() != filter.type())
    throw InputError(
        fmt::format("a filter of {} has filter_values of {}; give a copy of the filter",
                    to_text(filter.type()), to_text(values.type())));
  return operand.with_values(values.memory());
}

}  // namespace tilewright
