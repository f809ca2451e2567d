#include "tuner/cuda/compile/headers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <system_error>

namespace tilewright::cuda {
namespace {

namespace fs = std::filesystem;

// Each set of headers has a file that the other one lacks.
constexpr const char* kCudaFile = "cuda_fp16.h";
constexpr const char* kCcclFile = "cub/cub.cuh";

// From a folder of libraries. A toolkit has lib64, targets/x86_64-linux/lib or lib. The wheels of
// CUDA 12 have a folder for each part, beside that of NVRTC. Debian has lib/x86_64-linux-gnu.
constexpr std::array kPlaces = {"../include", "../include/cccl", "../../cuda_runtime/include",
                                "../../cuda_cccl/include", "../../include"};

bool has_file(const fs::path& folder, const char* name) {
  std::error_code error;
  return fs::is_regular_file(folder / name, error);
}

std::string listed(const std::vector<fs::path>& folders) {
  std::vector<std::string> texts;
  for (const fs::path& folder : folders) texts.push_back(folder.string());
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string stamp(const fs::path& file) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  return fmt::format("{} {}\n", file.string(), error ? 0 : time.time_since_epoch().count());
}

}  // namespace

std::vector<fs::path> CudaHeaders::folders() const {
  std::vector<fs::path> all;
  if (!cuda.empty()) all.push_back(cuda);
  if (!cccl.empty() && cccl != cuda) all.push_back(cccl);
  return all;
}

std::string CudaHeaders::identity() const {
  std::string text;
  if (!cuda.empty()) text += stamp(cuda / kCudaFile);
  if (!cccl.empty()) text += stamp(cccl / kCcclFile);
  return text;
}

CudaHeaders find_headers(const std::vector<fs::path>& library_folders) {
  CudaHeaders found;
  for (const fs::path& libraries : library_folders)
    for (const char* place : kPlaces) {
      const fs::path folder = (libraries / place).lexically_normal();
      if (std::ranges::find(found.searched, folder) != found.searched.end()) continue;
      found.searched.push_back(folder);
      if (found.cuda.empty() && has_file(folder, kCudaFile)) found.cuda = folder;
      if (found.cccl.empty() && has_file(folder, kCcclFile)) found.cccl = folder;
    }
  return found;
}

std::string missing_header_note(const std::string& log, const CudaHeaders& headers) {
  // Behind "cannot" or, without any folder, "could not".
  constexpr std::string_view kWords = " open source file \"";
  const std::size_t words = log.find(kWords);
  if (words == std::string::npos) return "";
  const std::size_t begin = words + kWords.size();
  const std::string name = log.substr(begin, log.find('"', begin) - begin);
  if (headers.cuda.empty() || headers.cccl.empty())
    return fmt::format(
        "the header {} was not found, because {} headers are not beside NVRTC (looked in {}): "
        "install "
        "the CUDA toolkit or NVIDIA's wheels nvidia-cuda-runtime and nvidia-cuda-cccl, or give its "
        "folder in 'include'\n",
        name, headers.cuda.empty() ? "CUDA's" : "CCCL's", listed(headers.searched));
  return fmt::format(
      "the header {} was not found in the folders of 'include', nor in {}; NVRTC has no headers of "
      "the host's compiler: say compiler = \"nvcc\" if the kernel needs them\n",
      name, listed(headers.folders()));
}

}  // namespace tilewright::cuda
