#include "tuner/worker/role.hpp"

#include <algorithm>

namespace tilewright {
namespace {

constexpr const char* kCompile = "compile";
constexpr const char* kDevice = "device";
constexpr const char* kNvrtc = "--nvrtc";
constexpr const char* kNvcc = "--nvcc";
constexpr const char* kHostCompiler = "--host-compiler";

std::optional<DeviceKind> kind_named(const std::string& name) {
  const auto* const found = std::ranges::find_if(
      kDeviceKinds, [&name](DeviceKind kind) { return to_text(kind) == name; });
  return found == kDeviceKinds.end() ? std::nullopt : std::optional(*found);
}

// Options with their values, from the word `i` on.
bool read_toolchain(const std::vector<std::string>& words, std::size_t i, Toolchain& toolchain) {
  if ((words.size() - i) % 2 != 0) return false;
  for (; i < words.size(); i += 2) {
    if (words[i] == kNvrtc)
      toolchain.toolkit_folders.emplace_back(words[i + 1]);
    else if (words[i] == kNvcc)
      toolchain.nvcc = words[i + 1];
    else if (words[i] == kHostCompiler)
      toolchain.host_compiler = words[i + 1];
    else
      return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> arguments_of(const WorkerRole& role) {
  const bool compiles = role.task == WorkerRole::Task::compile;
  std::vector<std::string> words = {compiles ? kCompile : kDevice, std::string(to_text(role.kind))};
  if (!compiles) return words;
  for (const std::filesystem::path& folder : role.toolchain.toolkit_folders)
    words.insert(words.end(), {kNvrtc, folder.string()});
  if (!role.toolchain.nvcc.empty())
    words.insert(words.end(), {kNvcc, role.toolchain.nvcc.string()});
  if (!role.toolchain.host_compiler.empty())
    words.insert(words.end(), {kHostCompiler, role.toolchain.host_compiler.string()});
  return words;
}

std::optional<WorkerRole> read_role(const std::vector<std::string>& words) {
  if (words.empty() || (words[0] != kCompile && words[0] != kDevice)) return std::nullopt;
  WorkerRole role;
  if (words[0] == kDevice) role.task = WorkerRole::Task::device;
  std::size_t next = 1;
  if (words.size() > 1)
    if (const auto kind = kind_named(words[1])) {
      role.kind = *kind;
      next = 2;
    }
  if (role.task == WorkerRole::Task::device)
    return next == words.size() ? std::optional(role) : std::nullopt;
  return read_toolchain(words, next, role.toolchain) ? std::optional(role) : std::nullopt;
}

}  // namespace tilewright
