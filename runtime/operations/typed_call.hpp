#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/typed.hpp"

// What tilewright/typed.hpp declares, for each operation that says how its calls are problems.
namespace tilewright {

// A dimension of a call; KernelsBySize::kDefault: the operation's default.
struct Size {
  const char* name;
  std::int64_t value;
};

inline std::int64_t or_default(std::optional<std::int64_t> value) {
  return value.value_or(KernelsBySize::kDefault);
}
// 0 is the default.
inline std::int64_t unless_zero(std::int64_t value) {
  return value == 0 ? KernelsBySize::kDefault : value;
}

// What an operation says of its options and calls: a specialisation for each class of calls, with
//   kOperation          its name
//   choices(options)    the settings that all calls have; throws InputError
//   sizes(call)         an array of Size, in the same order for each call
//   number(call)        which further settings the call has: settings(number)
//   operands(call, kernel)  an array of Operand; throws InputError
// if calls may have a prepared filter:
//   with_prepared(number)   the number with one
//   filter_of(call)         the operand that is prepared; throws InputError
// and in place of those of AnyCall:
//   completed(call, options)  the call as the others get it; throws InputError
//   has_values(call)    whether it has the values in host memory of inputs that may go by value
template <class Call>
struct CallTraits;

struct AnyCall {
  static const auto& completed(const auto& call, const auto& /*options*/) { return call; }
  static bool has_values(const auto& /*call*/) { return true; }
};

// Calls whose buffers have one type, which is the number of the further settings. float32 is left
// out of problems, so definitions and bundles from before there were types serve it.
struct CallOfOneType : AnyCall {
  static std::int64_t number_of(ElementType type) { return static_cast<std::int64_t>(type); }
  static Settings settings(std::int64_t number) {
    const auto type = static_cast<ElementType>(number);
    if (type == ElementType::float32) return {};
    return {{"type", to_text(type)}};
  }
};

template <class Call, class Options>
class Typed<Call, Options>::State {
 public:
  using Traits = CallTraits<Call>;
  static constexpr bool kHasHook = requires(const Call& call) { call.epilogue; };

  State(const Runtime& runtime, const Options& given)
      : options(given),
        best_(resolved(runtime, Inputs::any)),
        in_memory_(resolved(runtime, Inputs::in_memory)) {}

  // The best kernel for a completed call. If it needs values that the call lacks: the best without.
  const Kernel& kernel(const Call& call) const { return kernel(call, Traits::number(call)); }

  const Kernel& kernel(const Call& call, std::int64_t number) const {
    const auto sizes = Traits::sizes(call);
    std::array<std::int64_t, std::tuple_size_v<decltype(sizes)> + 1> values;
    std::ranges::transform(sizes, values.begin(), &Size::value);
    values.back() = number;
    const Kernel& kernel = best_.at(values);
    if (Traits::has_values(call) ||
        std::ranges::none_of(kernel.arguments(), &KernelArgument::by_value))
      return kernel;
    return in_memory_.at(values);
  }

  const Options options;

 private:
  KernelsBySize resolved(const Runtime& runtime, Inputs inputs) const {
    KernelRequest request;
    request.operation = Traits::kOperation;
    if (!options.implementation.empty()) request.operation += '/' + options.implementation;
    request.problem = Traits::choices(options);
    if constexpr (kHasHook)
      if (!options.epilogue.empty()) request.problem["epilogue"] = options.epilogue;
    request.device = options.device;
    request.cache = options.cache;
    request.require = options.require;
    request.inputs = inputs;
    std::vector<std::string> dimensions;
    for (const Size& size : Traits::sizes(Call{})) dimensions.emplace_back(size.name);
    return runtime.resolve(std::move(request), std::move(dimensions), Traits::settings);
  }

  KernelsBySize best_;
  KernelsBySize in_memory_;
};

template <class Call, class Options>
Typed<Call, Options>::Typed(const Runtime& runtime, const Options& options)
    : state_(std::make_shared<const State>(runtime, options)) {}

template <class Call, class Options>
const Kernel& Typed<Call, Options>::kernel(const Call& call) const {
  return state_->kernel(CallTraits<Call>::completed(call, state_->options));
}

template <class Call, class Options>
template <class Same>
requires requires {
  &Same::prepared_filter;
}
PreparedInput Typed<Call, Options>::prepare_filter(void* stream, const Call& given) const {
  Call call = CallTraits<Call>::completed(given, state_->options);
  call.prepared_filter = nullptr;
  const Kernel& kernel =
      state_->kernel(call, CallTraits<Call>::with_prepared(CallTraits<Call>::number(call)));
  return kernel.prepare_input(stream, CallTraits<Call>::filter_of(call));
}

// Without a snippet nothing is allocated.
template <class Call, class Options>
void Typed<Call, Options>::launch(void* stream, const Call& given, Scratch scratch) const {
  const Call call = CallTraits<Call>::completed(given, state_->options);
  const Kernel& kernel = state_->kernel(call);
  const auto own = CallTraits<Call>::operands(call, kernel);
  if constexpr (State::kHasHook)
    if (!call.epilogue.empty()) {
      std::vector<Operand> all(own.begin(), own.end());
      all.insert(all.end(), call.epilogue.begin(), call.epilogue.end());
      return kernel.launch(stream, all, scratch);
    }
  kernel.launch(stream, own, scratch);
}

}  // namespace tilewright
