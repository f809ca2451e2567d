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

// An argument that a launch is given.
struct KernelArgument {
  std::string name;
  ArgumentKind kind = ArgumentKind::buffer;
  ElementType type = ElementType::float32;
  ArgumentRole role = ArgumentRole::input;
  std::int64_t count = 1;  // elements
  bool by_value = false;   // an input buffer whose values this configuration needs on the host

  bool operator==(const KernelArgument&) const = default;
};

// Which configurations may answer, by how a launch on a GPU gets small inputs. The host device
// reads all inputs where they are.
enum class Inputs {
  any,        // also those that need an input's values in host memory (KernelArgument::by_value)
  in_memory,  // only those that read every buffer in device memory, at each launch anew
};

// Memory of the device for a launch to work in: at least workspace_bytes(), aligned to 256 bytes.
// No two launches may work in it at once. Some kernels need zeros in it before their first launch
// and leave zeros behind: memory whose state is `unknown` is cleared on the stream first; `ready`
// says that the last to use it was a launch of the same kernel, and saves that.
struct Scratch {
  enum class State { unknown, ready };
  void* memory = nullptr;
  State state = State::unknown;
};

// One problem's kernel with its best configuration on one device. A small handle: copies share
// what they refer to, and so do equal requests to one Runtime. Safe to use from many threads and on
// many streams at once. Not to be carried across fork().
//
// On a GPU the calling thread's current device must be the kernel's. Code is loaded into the
// context that is current when prepare() is called if it is one of that device, else into the
// device's primary one, which cudaSetDevice() makes current; in another context of the same device
// the first launch loads it again, which a capture may not see. On the host device launches run
// on the calling thread and on the runtime's, are done on return, one after another, and the stream
// is not looked at.
class Kernel {
 public:
  // What the look-up said: implementation, configuration, rung and where it was measured. Where
  // prepare() has stepped down it is another answer from then on; both live as long as the kernel.
  const Answer& answer() const;

  // The device that it runs on.
  const Device& device() const;

  // What launch() takes, in this order: the operation's arguments, then a snippet's, without those
  // whose values follow from the problem.
  const std::vector<KernelArgument>& arguments() const;

  // Of what a launch needs as Scratch; 0: none.
  std::int64_t workspace_bytes() const;

  // Takes the compiled code from a bundle or from the cache, else compiles it in this process
  // (seconds); loads it. Does nothing more once it has succeeded. After it a launch compiles and
  // loads nothing, allocates no device memory, waits for nothing, and may be captured in a
  // CUDA graph. Steps down where that fails: the next best answer that the request accepts serves,
  // down to the default, and says so (Answer::passed_over); arguments() and workspace_bytes() stay,
  // and what would need more is passed over. A Bundle's kernel steps down to what the bundle has.
  // Throws MachineError where none is left: no compiler, no device, code that does not compile or
  // load, out of memory; InputError: its source cannot be read any more; LaunchError: an earlier
  // launch on this device has faulted.
  void prepare() const;

  // Enqueues one call on `stream`, a cudaStream_t (null: the default stream) of the current
  // context. Prepares first where that has not been done. What the operands refer to must stay
  // until the call is done; host memory until launch() returns. Throws
  //   InputError: operands that are not what arguments() says, by number, kind, type, role,
  //     elements, null or alignment; a workspace that is missing or misaligned; another device
  //     is current;
  //   MachineError: as prepare();
  //   LaunchError: the driver refused, or an earlier launch on this device has faulted.
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
