#include "tuner/host/threads/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "tilewright/error.hpp"
#include "tuner/backend/evaluator.hpp"
#include "tuner/host/threads/static_locals.hpp"
#include "tuner/toolchain/stopped.hpp"

namespace tilewright::host {
namespace {

constexpr int kMostParameters = 256;

[[noreturn]] void throw_no_file() {
  throw MachineError(fmt::format("no file in memory for the kernel's code: {}",
                                 std::generic_category().message(errno)));
}

// Throws MachineError if the linker lacked descriptors or memory, because another try may have
// them.
[[noreturn]] void throw_not_loaded(const std::string& why) {
  const std::string text = "cannot load the code: " + why;
  if (names_machine_fault(why) || why.find("Cannot allocate memory") != std::string::npos)
    throw MachineError(text);
  refuse_launch(text);
}

// Writes a file in memory: it leaves nothing to clean up, and needs no folder that allows
// execution.
int write_file(std::span<const std::uint8_t> code) {
  const int fd = memfd_create("tilewright-kernel", MFD_CLOEXEC);
  if (fd < 0) throw_no_file();
  for (std::size_t done = 0; done < code.size();) {
    const ssize_t count = write(fd, code.data() + done, code.size() - done);
    if (count <= 0 && errno != EINTR) {
      close(fd);
      throw_no_file();
    }
    done += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  }
  return fd;
}

#if defined(__clang__)
__attribute__((no_sanitize("address", "undefined")))
#else
__attribute__((no_sanitize_address))
#endif
// Also fills the sanitizer's red zones, because the linker counts them as part of the variable.
void fill(std::span<std::uint8_t> bytes, std::uint8_t value) {
  volatile std::uint8_t* const first = bytes.data();
  for (std::size_t i = 0; i < bytes.size(); ++i) first[i] = value;
}

}  // namespace

ModuleCopy::CloseFile::~CloseFile() {
  if (fd >= 0) close(fd);
}

ModuleCopy::ModuleCopy(std::span<const std::uint8_t> code) : library_(nullptr, dlclose) {
  file_.fd = write_file(code);
  library_.reset(dlopen(fmt::format("/proc/self/fd/{}", file_.fd).c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!library_) throw_not_loaded(dlerror());
  const auto state = reinterpret_cast<KernelState* (*)()>(find("tilewright_state"));
  state_ = state();
  const link_map* map = nullptr;
  if (dlinfo(library_.get(), RTLD_DI_LINKMAP, &map) != 0) return;
  auto* const base = reinterpret_cast<std::uint8_t*>(map->l_addr);  // NOLINT: an address
  for (const AddressRange& range : static_locals(code))
    shared_.emplace_back(base + range.offset, range.size);
}

void* ModuleCopy::find(const std::string& symbol) const {
  void* const address = dlsym(library_.get(), symbol.c_str());
  if (address == nullptr) refuse_launch(fmt::format("the code has no {}", symbol));
  return address;
}

EntryFunction ModuleCopy::entry(const std::string& symbol) const {
  return reinterpret_cast<EntryFunction>(find(symbol));
}

std::span<std::uint8_t> ModuleCopy::variable(const std::string& symbol) const {
  const auto ask = reinterpret_cast<void* (*)(unsigned long*)>(find(symbol));
  unsigned long size = 0;
  auto* const first = static_cast<std::uint8_t*>(ask(&size));
  return {first, size};
}

std::vector<std::size_t> ModuleCopy::parameter_sizes(const std::string& symbol) const {
  const auto ask = reinterpret_cast<int (*)(unsigned long*, int)>(find(symbol + "_sizes"));
  std::vector<unsigned long> sizes(kMostParameters);
  const int count = ask(sizes.data(), kMostParameters);
  sizes.resize(static_cast<std::size_t>(std::min(count, kMostParameters)));
  return {sizes.begin(), sizes.end()};
}

void ModuleCopy::fill_shared(std::uint8_t value) const {
  for (const std::span<std::uint8_t>& variable : shared_) fill(variable, value);
}

}  // namespace tilewright::host
