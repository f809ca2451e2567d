// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tilewright/argument.hpp"
#include "tilewright/catalog.hpp"
#include "tilewright/device.hpp"
#include "tilewright/operand.hpp"

namespace tilewright {

// An argument that a launch takes.
struct KernelArgument {
  std::string name;
  ArgumentKind kind = ArgumentKind::buffer;
  ElementType type = ElementType::float32;
  ArgumentRole role = ArgumentRole::input;
  std::int64_t count = 1;  // elements
  bool by_value = false;   // an input buffer whose values this configuration needs in host memory
  bool prepared = false;   // an input buffer that a launch takes as a PreparedInput

  bool operator==(const KernelArgument&) const = default;
};

// Which configurations may answer, by how a launch on a GPU gets small inputs. The host device
// reads all inputs where they are.
enum class Inputs {
  any,        // also those that need an input's values in host memory (KernelArgument::by_value)
  in_memory,  // only those whose every launch reads every buffer in device memory
};

// Device memory that a launch works in: at least workspace_bytes(), aligned to 256 bytes. Only one
// launch may use it at a time. Some kernels need zeros in it before their first launch, and leave
// zeros behind. If the state is `unknown`, the launch clears the memory on the stream first.
// `ready` promises that the same kernel used it last, so nothing is cleared.
struct Scratch {
  enum class State { unknown, ready };
  void* memory = nullptr;
  State state = State::unknown;
};

// An input buffer, such as a filter, in the order in which one kernel reads it. That kernel has
// made it, and its launches take it in place of the buffer. A small handle: copies share what they
// hold, which is memory of the device, unless the kernel reads the buffer as it is. Safe to use
// from many threads, on streams that wait for the one that it was made on.
//
// The buffer, and with_values() its copy in host memory, must live and stay as they are until the
// last launch is done. So must one of the handles, and until no CUDA graph replays such a launch.
class PreparedInput {
 public:
  // Of no kernel; a launch does not take it.
  PreparedInput() = default;

  // Device memory that it holds; 0: none.
  std::int64_t bytes() const;

  // Prepares the buffer again on `stream`, after its contents have changed. Graphs that were
  // captured with this object then read the new contents. Throws as Kernel::launch.
  void prepare_again(void* stream) const;

  operator Operand() const;  // NOLINT: implicit on purpose

  explicit PreparedInput(std::shared_ptr<const PreparedState> state);  // for Kernel

 private:
  std::shared_ptr<const PreparedState> state_;
};

// One problem's kernel with its best configuration on one device. It is a small handle: copies
// share one kernel, and so do equal requests to one Runtime. Safe to use from many threads and on
// many streams. A child that fork() made may launch it on the host device, unless another thread of
// its parent was in a call then. On a GPU it must not be used after fork().
//
// On a GPU the calling thread's current device must be the kernel's. prepare() loads the code into
// the current context if that belongs to the device, else into the device's primary context, which
// cudaSetDevice() makes current. In another context of the same device the first launch loads the
// code again, and must not be captured.
//
// On the host device launches run one at a time, on the calling thread and the runtime's threads.
// A launch is done when it returns. The stream is ignored.
class Kernel {
 public:
  // What the look-up found. After prepare() has stepped down it is another answer, and so it is
  // while the best one's code is compiled in the background. All live as long as the kernel.
  const Answer& answer() const;

  const Device& device() const;

  // What launch() takes, in this order: the operation's arguments, then the snippet's. Arguments
  // whose values follow from the problem are left out.
  const std::vector<KernelArgument>& arguments() const;

  // The size of the Scratch that a launch needs; 0: none.
  std::int64_t workspace_bytes() const;

  // Takes the compiled code from a bundle or from the cache, or compiles it in this process, which
  // takes seconds; then loads it. Does nothing if it has succeeded before. After it a launch
  // compiles and loads nothing, allocates no device memory, does not wait, and may be captured in
  // a CUDA graph. With Compiling::in_background it may load a better kernel once
  // (tilewright/runtime.hpp), and so may a launch that is not captured.
  //
  // If an answer's code fails to compile or load, prepare() steps down to the next best answer that
  // the request accepts, at last to the default, and reports it in Answer::passed_over. arguments()
  // and workspace_bytes() do not change, so an answer that needs more is skipped. A Bundle's kernel
  // steps down to what the bundle has. Throws
  //   MachineError: no answer is left, because there is no compiler or device, no code compiles or
  //     loads, or memory has run out;
  //   InputError: the source can no longer be read;
  //   LaunchError: an earlier launch on this device has faulted.
  void prepare() const;

  // Prepares the input of which KernelArgument::prepared is true, with what the manifest's launches
  // for that do on `stream`. Calls prepare() first if nobody has. The kernel is the one of a
  // problem with the choice `prepared`: conv2d with filter=prepared. Launches with the result use
  // the configuration that made it, even if the kernel has loaded a better one since then.
  // Allocates device memory; may be captured, and each replay then prepares again. Throws
  //   InputError: no argument is prepared, or the input does not match it;
  //   MachineError, LaunchError: as launch(), and if device memory has run out.
  PreparedInput prepare_input(void* stream, const Operand& input) const;

  // Enqueues one call on `stream`, a cudaStream_t (null: the default stream) of the current
  // context. Calls prepare() first if nobody has. Device memory that the operands refer to must
  // live until the call is done, host memory until launch() returns. Throws
  //   InputError: operands do not match arguments() in number, kind, type, role, elements or
  //     alignment, or are null; the workspace is missing or misaligned; another device is current;
  //   MachineError: as prepare();
  //   LaunchError: the driver refused, an earlier launch on this device has faulted, or a graph
  //     cannot capture this kernel, because it fills constants or arrays of textures.
  // Each message begins with the kernel: "gemm/blocked M=512 N=512 K=512: …".
  void launch(void* stream, std::span<const Operand> operands, Scratch scratch = {}) const;
  void launch(void* stream, std::initializer_list<Operand> operands, Scratch scratch = {}) const {
    launch(stream, std::span(operands.begin(), operands.size()), scratch);
  }

  class State;
  class Source;
  explicit Kernel(std::shared_ptr<State> state);  // for Runtime and Bundle

 private:
  std::shared_ptr<State> state_;
};

}  // namespace tilewright
