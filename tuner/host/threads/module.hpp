#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tilewright::host {

struct Index3 {
  unsigned x = 0, y = 0, z = 0;
};

// The built-ins of one copy of a kernel's library. The layout is that of TilewrightHostState in the
// shim.
struct KernelState {
  Index3 thread, block, block_dim, grid_dim;
  std::uint8_t* dynamic_shared = nullptr;
  void (*barrier)(void* fibers, const char* file, int line) = nullptr;
  void* fibers = nullptr;  // begins with a pointer to DeviceCalls
};

using EntryFunction = void (*)(void** arguments);

// One loaded copy of a kernel's library, with its own static variables. Shared memory is static
// there, so each thread that runs blocks needs a copy.
class ModuleCopy {
 public:
  // Throws TrialError if the code cannot be loaded.
  explicit ModuleCopy(std::span<const std::uint8_t> code);

  KernelState& state() const { return *state_; }
  // Throws TrialError if there is no such symbol.
  EntryFunction entry(const std::string& symbol) const;
  // A variable of the source, by constant_symbol(). Throws TrialError if there is none.
  std::span<std::uint8_t> variable(const std::string& symbol) const;
  // The sizes of the entry's parameters in bytes.
  std::vector<std::size_t> parameter_sizes(const std::string& symbol) const;
  // The variables of static shared memory, in the same order in each copy of a library.
  std::span<const std::span<std::uint8_t>> static_shared() const { return shared_; }
  // Fills static shared memory with a byte.
  void fill_shared(std::uint8_t value) const;

 private:
  void* find(const std::string& symbol) const;

  struct CloseFile {
    int fd = -1;
    CloseFile() = default;
    CloseFile(CloseFile&& other) noexcept : fd(other.fd) { other.fd = -1; }
    CloseFile& operator=(CloseFile&&) = delete;
    ~CloseFile();
  };
  CloseFile file_;  // stays open, so that no other copy gets its name
  std::unique_ptr<void, int (*)(void*)> library_;
  KernelState* state_ = nullptr;
  std::vector<std::span<std::uint8_t>> shared_;
};

}  // namespace tilewright::host
