#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "definition/architecture.hpp"
#include "tilewright/device.hpp"
#include "tilewright/trial.hpp"
#include "tuner/backend/callable.hpp"
#include "tuner/backend/compiler.hpp"
#include "tuner/backend/device_report.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/backend/executable.hpp"

namespace tilewright {

// Where the compilers are.
struct Toolchain {
  std::filesystem::path host_compiler;  // of the host device; empty: none
  // For NVRTC and CUDA's headers. An empty path stands for the loader's places (nvrtc_api.hpp).
  std::vector<std::filesystem::path> toolkit_folders;
  std::filesystem::path scratch = "/tmp";  // for a compiler's temporary files; empty: none
  std::filesystem::path nvcc = {};  // if none is beside toolkit_folders; empty: /usr/local/cuda's
};

// A library whose routines implementations may name, as it was found here.
struct RoutineLibrary {
  std::string routine;       // "cublaslt"
  std::string version = {};  // "cublasLt 13.1.0"; empty: there is none
  std::string why = {};      // there is none

  std::string text() const { return version.empty() ? routine + " none (" + why + ')' : version; }
};

// Where NVIDIA's Python wheels have their libraries if they are installed beside `package`, the
// folder of a Python package: of CUDA 13, then of CUDA 12. Only those that exist.
std::vector<std::filesystem::path> nvidia_wheels(const std::filesystem::path& package);

// What a sweep must know about a backend without depending on it.
struct BackendFacts {
  std::string architecture;             // to compile for: "sm_90"
  std::optional<CompileRequest> probe;  // the session's own kernels; none: clocks are unknown
  // Fills blocks_per_sm and occupancy. Empty: they are unknown and not checked.
  std::function<void(Resources&, const Device&)> add_occupancy;
  // The bytes of each parameter of a kernel of the code, in their order; nothing if it does not
  // say. Empty: they are not checked before the code is loaded.
  std::function<std::optional<std::vector<std::int64_t>>(std::span<const std::uint8_t> code,
                                                         const std::string& symbol)>
      kernel_parameters = {};
};

// Everything that one kind of device needs. tuner/machine has one stateless object of each kind.
class Backend {
 public:
  virtual ~Backend() = default;

  // Asks the driver at each call. A missing part is no exception: the list says why it is empty.
  virtual DeviceList devices() const = 0;

  // Throws MachineError when there is no compiler.
  virtual std::unique_ptr<Compiler> make_compiler(const Toolchain& toolchain) const = 0;

  // Libraries are loaded from where the toolchain says.
  virtual std::unique_ptr<Evaluator> make_session(const Toolchain& toolchain) const = 0;
  // A session that calls functions of this process in place of code. `callable` must outlive it.
  virtual std::unique_ptr<Evaluator> make_session_of(Callable& callable) const = 0;
  // A session in the process of a caller that uses the device as well. The session may change the
  // calling thread's current device. It restores the device when it ends.
  virtual std::unique_ptr<Evaluator> make_session_beside_caller(const Toolchain& toolchain) const {
    return make_session(toolchain);
  }

  // All that this kind of device may call, found or not. Loads those that are found.
  virtual std::vector<RoutineLibrary> libraries([[maybe_unused]] const Toolchain& toolchain) const {
    return {};
  }

  // Loads code. Throws MachineError if there is no such device or the code does not load.
  virtual std::unique_ptr<Executable> make_executable(const ExecutablePlan& plan) const = 0;

  virtual BackendFacts facts(const Device& device) const = 0;

  // Never null. If nothing can be read, the monitor's readings say why.
  virtual std::unique_ptr<MachineMonitor> make_monitor(const DeviceReport& device) const = 0;

  // The limits of an architecture such as "sm_90a", for planning without a device. Throws
  // InputError if the architecture is unknown.
  virtual Device planned_device(const std::string& architecture,
                                const Toolchain& toolchain) const = 0;

  // Fills all of `copy` from the caller's memory on a device of this kind. Throws MachineError, and
  // InputError that names the argument if the pointer does not point to such memory.
  virtual void read_memory(const void* memory, std::span<std::uint8_t> copy,
                           const std::string& argument) const = 0;
};

}  // namespace tilewright
