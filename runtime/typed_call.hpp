#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/error.hpp"
#include "tilewright/runtime.hpp"

namespace tilewright {

// The part of a request that the options of all typed operations share.
template <class Options>
KernelRequest request_of(std::string operation, const Options& options) {
  if (!options.implementation.empty()) operation += '/' + options.implementation;
  KernelRequest request;
  request.operation = std::move(operation);
  if (!options.epilogue.empty()) request.problem["epilogue"] = options.epilogue;
  request.device = options.device;
  request.cache = options.cache;
  request.require = options.require;
  return request;
}

// The argument at `index`. Throws InputError if the definitions, which may be a bundle's, have
// fewer.
inline const KernelArgument& argument_at(const Kernel& kernel, std::size_t index) {
  if (index >= kernel.arguments().size())
    throw InputError(kernel.answer().implementation + " has " +
                     std::to_string(kernel.arguments().size()) +
                     " arguments; its definitions are not those of the built-in operation");
  return kernel.arguments()[index];
}

// An operation's operands followed by those of a snippet. Without a snippet nothing is allocated.
template <std::size_t Count>
class OperandList {
 public:
  OperandList(const std::array<Operand, Count>& own, std::span<const Operand> snippet) : own_(own) {
    if (snippet.empty()) return;
    joined_.assign(own_.begin(), own_.end());
    joined_.insert(joined_.end(), snippet.begin(), snippet.end());
  }

  std::span<const Operand> all() const {
    return joined_.empty() ? std::span<const Operand>(own_) : std::span<const Operand>(joined_);
  }

 private:
  std::array<Operand, Count> own_;
  std::vector<Operand> joined_;
};

}  // namespace tilewright
