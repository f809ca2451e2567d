#include "tuner/cuda/backend.hpp"

#include "tilewright/error.hpp"
#include "tuner/cuda/compile/architectures.hpp"
#include "tuner/cuda/compile/nvcc.hpp"
#include "tuner/cuda/compile/nvrtc.hpp"
#include "tuner/cuda/device/devices.hpp"
#include "tuner/cuda/device/memory.hpp"
#include "tuner/cuda/device/monitor.hpp"
#include "tuner/cuda/launch/kernels.hpp"
#include "tuner/cuda/libraries/routines.hpp"
#include "tuner/cuda/session/session.hpp"

namespace tilewright::cuda {
namespace {

// The architectures that NVRTC compiles for; without NVRTC, those whose limits we know.
std::vector<int> known_architectures(const Toolchain& toolchain) {
  try {
    return Nvrtc(toolchain.toolkit_folders).architectures();
  } catch (const MachineError&) {
    return {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
  }
}

// NVRTC, and nvcc for requests that ask for it.
class CudaCompiler final : public Compiler {
 public:
  explicit CudaCompiler(const Toolchain& toolchain)
      : nvrtc_(toolchain.toolkit_folders), nvcc_(places_of_nvcc(toolchain), toolchain.scratch) {}

  CompileResult compile(const CompileRequest& request) override {
    return request.compiler.empty() ? nvrtc_.compile(request) : nvcc_.compile(request);
  }
  CompileResult compile_to_ptx(const CompileRequest& request) override {
    return request.compiler.empty() ? nvrtc_.compile_to_ptx(request)
                                    : nvcc_.compile_to_ptx(request);
  }
  std::string version() const override { return nvrtc_.version(); }
  std::string headers() const override { return nvrtc_.headers(); }
  std::string other_compiler() const override { return nvcc_.identity(); }

 private:
  Nvrtc nvrtc_;
  Nvcc nvcc_;
};

class CudaBackend final : public Backend {
 public:
  DeviceList devices() const override { return list_devices(); }

  std::unique_ptr<Compiler> make_compiler(const Toolchain& toolchain) const override {
    return std::make_unique<CudaCompiler>(toolchain);
  }

  std::unique_ptr<Evaluator> make_session(const Toolchain& toolchain) const override {
    return cuda::make_session({.folders = toolchain.toolkit_folders});
  }

  std::unique_ptr<Evaluator> make_session_of(Callable& callable) const override {
    return cuda::make_session({.callable = &callable});
  }

  std::unique_ptr<Evaluator> make_session_beside_caller(const Toolchain& toolchain) const override {
    return cuda::make_session({.current_device = SessionOptions::CurrentDevice::callers,
                               .folders = toolchain.toolkit_folders});
  }

  std::vector<RoutineLibrary> libraries(const Toolchain& toolchain) const override {
    return routine_libraries(toolchain.toolkit_folders);
  }

  std::unique_ptr<Executable> make_executable(const ExecutablePlan& plan) const override {
    return cuda::make_executable(plan);
  }

  BackendFacts facts(const Device& device) const override { return backend_facts(device); }

  std::unique_ptr<MachineMonitor> make_monitor(const DeviceReport& device) const override {
    return cuda::make_monitor(device.uuid);
  }

  Device planned_device(const std::string& architecture,
                        const Toolchain& toolchain) const override {
    return cuda::planned_device(parse_architecture(architecture, known_architectures(toolchain)));
  }

  void read_memory(const void* memory, std::span<std::uint8_t> copy,
                   const std::string& argument) const override {
    read_caller_memory(memory, copy, argument);
  }
};

}  // namespace

const Backend& backend() {
  static const auto& the_one = *new const CudaBackend;
  return the_one;
}

}  // namespace tilewright::cuda
