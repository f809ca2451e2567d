#pragma once

#include <filesystem>
#include <vector>

namespace tilewright {

// Where NVIDIA's Python wheels have their libraries if they are installed beside `package`, the
// folder of a Python package: of CUDA 13, then of CUDA 12. Only those that exist.
std::vector<std::filesystem::path> nvidia_wheels(const std::filesystem::path& package);

}  // namespace tilewright
