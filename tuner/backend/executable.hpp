// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tilewright/argument.hpp"
#include "tuner/backend/evaluator.hpp"

namespace tilewright {

// One argument of an operation in one call. Refers, does not own.
struct CallArgument {
  void* memory = nullptr;                  // buffers: where they are, never null
  std::span<const std::byte> values = {};  // scalars, arrays, and inputs that go by value
};

// What a call may be given: the operation's arguments and the parameters of one launch.
inline constexpr std::size_t kMostCallArguments = 64;
inline constexpr std::size_t kMostLaunchParameters = 256;

// Whether the workspace is set to zero before the launches of a call.
enum class ClearWorkspace { no, yes };

// One configuration's code, loaded on a device, to be called again and again.
class Executable {
 public:
  virtual ~Executable() = default;

  // Enqueues all launches of one call on `stream`; where the backend has no streams they are done
  // on return. `arguments` as the operation has them, `values` no shorter than their count. Safe to
  // use from many threads. Throws LaunchError where the driver refuses, InputError where the
  // calling thread's current device is another.
  virtual void launch(std::span<const CallArgument> arguments, std::uint8_t* workspace,
                      ClearWorkspace clear, void* stream) const = 0;
};

// What loading takes.
struct ExecutablePlan {
  std::span<const std::uint8_t> code;          // read until loading is done
  std::map<std::string, std::string> symbols;  // entry → symbol in `code`
  LaunchPlan launches;
  std::vector<std::int64_t> sizes;  // of each argument as a kernel takes it, bytes
  int device_index = 0;
};

}  // namespace tilewright
