#pragma once

#include <filesystem>
#include <string>
#include <vector>

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

}  // namespace tilewright::cuda
