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

// One argument of an operation in one call. It does not own what it points to.
struct CallArgument {
  void* memory = nullptr;                  // a buffer's address, never null
  std::span<const std::byte> values = {};  // scalars, arrays, and inputs that go by value
};

// The memory that a call works in beside its operands, and that of the prepared input, which calls
// only read. Each is null where there is none. Owns nothing.
struct CallMemory {
  std::uint8_t* workspace = nullptr;
  std::uint8_t* prepared = nullptr;

  // Where an argument of the kinds workspace and workspace_map begins; null where there is none.
  std::uint8_t* place_of(const PlannedArgument& argument) const {
    std::uint8_t* const memory = argument.prepared ? prepared : workspace;
    return memory == nullptr ? nullptr : memory + argument.offset;
  }
};

// Which launches of a plan are meant: those of a call, or those that prepare an input before it.
enum class CallPart { call, preparation };

inline bool is_in(CallPart part, const PlannedLaunch& launch) {
  return launch.prepares == (part == CallPart::preparation);
}

// The operands of one call: for each argument of the operation its address (buffers) or the bytes
// that the kernel takes (scalars, arrays, and inputs small enough to be passed by value), and the
// memory. `textures` are those of the plan, in its order. Owns nothing.
struct CallOperands {
  std::span<const CallArgument> arguments;
  CallMemory memory = {};
  std::span<const TextureHandle> textures = {};
};

// The bytes that a kernel takes of each argument.
inline std::vector<std::int64_t> argument_bytes(const CallOperands& operands) {
  std::vector<std::int64_t> bytes;
  for (const CallArgument& one : operands.arguments)
    bytes.push_back(
        static_cast<std::int64_t>(one.memory != nullptr ? sizeof(void*) : one.values.size()));
  return bytes;
}

// The most arguments of an operation, and the most parameters of one launch.
inline constexpr std::size_t kMostCallArguments = 64;
inline constexpr std::size_t kMostLaunchParameters = 256;

// Whether a call sets the workspace to zero before its launches.
enum class ClearWorkspace { no, yes };

// One configuration's code, loaded on a device. It can be called any number of times.
class Executable {
 public:
  virtual ~Executable() = default;

  // Enqueues all launches of one call on `stream`, or those that prepare an input, which need no
  // other argument. If the backend has no streams, they are done on return. The calls of a plan
  // that fills constants or arrays of textures follow one another in all streams, and no graph
  // captures them. `arguments` are in the operation's order, and `values` has at least as many
  // elements. Thread-safe. Throws LaunchError if the driver refuses a launch, and InputError if the
  // calling thread's current device is a different one.
  virtual void launch(std::span<const CallArgument> arguments, CallMemory memory,
                      ClearWorkspace clear, void* stream, CallPart part = CallPart::call) const = 0;

  // Memory of the device, aligned to 256 bytes. It may be made and released while a stream is
  // captured, and outlive this. Throws MachineError if there is not enough, and InputError as
  // above.
  virtual std::shared_ptr<std::uint8_t> make_memory(std::int64_t bytes) const = 0;

  // Whether work on `stream` is recorded rather than done, or cannot be now because another stream
  // is recorded: no time to load code.
  virtual bool is_capturing([[maybe_unused]] void* stream) const { return false; }
};

// What is needed to load code.
struct ExecutablePlan {
  std::span<const std::uint8_t> code;          // needed until loading is done
  std::map<std::string, std::string> symbols;  // entry → symbol in `code`
  LaunchPlan launches;
  std::vector<std::int64_t> sizes;  // of each argument as a kernel takes it, in bytes
  int device_index = 0;
};

}  // namespace tilewright
