#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tuner/backend/compiler.hpp"
#include "tuner/cuda/compile/headers.hpp"

namespace tilewright::cuda {

struct NvrtcApi;

// NVRTC. The constructor loads libnvrtc.so.13 or .12 from `folders` and the places that NvrtcApi
// lists. CUDA's headers are those that lie beside it, or beside another of these folders.
// Thread-safe after that.
class Nvrtc final : public Compiler {
 public:
  // Throws a MachineError that lists where it looked.
  explicit Nvrtc(const std::vector<std::filesystem::path>& folders = {});
  ~Nvrtc() override;

  CompileResult compile(const CompileRequest& request) override;
  CompileResult compile_to_ptx(const CompileRequest& request) override;
  std::string version() const override;
  std::string headers() const override { return identity_; }

  // The architectures that NVRTC compiles for, ascending: 75, 80, …, 90, …
  std::vector<int> architectures() const;

 private:
  std::unique_ptr<const NvrtcApi> api_;
  CudaHeaders headers_;
  std::string identity_ = headers_.identity();
};

// The compute capability of "sm_90" or "sm_90a" (90). The suffix `a` is accepted from sm_90 on, `f`
// from sm_100 on. Throws an InputError that lists the known ones.
int parse_architecture(const std::string& text, const std::vector<int>& known);

}  // namespace tilewright::cuda
