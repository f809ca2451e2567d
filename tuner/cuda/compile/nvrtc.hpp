#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tuner/backend/compiler.hpp"

namespace tilewright::cuda {

// Where CUDA's headers and those of CCCL (CUB, libcu++, Thrust) are.
struct CudaHeaders {
  std::filesystem::path cuda;                   // has cuda_fp16.h; empty: not found
  std::filesystem::path cccl;                   // has cub/cub.cuh; empty: not found
  std::vector<std::filesystem::path> searched;  // for messages

  // The folders that were found, once each, in the order of the search.
  std::vector<std::filesystem::path> folders() const;
  // Changes if other headers are found, or if they are replaced. Empty if there are none.
  std::string identity() const;
};

// Looks beside these folders of libraries, in this order: where the toolkit has its headers, and
// where NVIDIA's wheels of CUDA 12 and 13 have them.
CudaHeaders find_headers(const std::vector<std::filesystem::path>& library_folders);

// If a compile failed because of a missing header, a sentence that says where it was searched for
// and what to do. Else empty.
std::string missing_header_note(const std::string& log, const CudaHeaders& headers);

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

}  // namespace tilewright::cuda
