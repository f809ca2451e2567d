#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/backend/descriptor.hpp"

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
  EntryFunction entry(const std::string& symbol) const {
    return reinterpret_cast<EntryFunction>(find(symbol));
  }
  // A variable of the source, by constant_symbol(). Throws TrialError if there is none.
  std::span<std::uint8_t> variable(const std::string& symbol) const;
  // The sizes of the entry's parameters in bytes.
  std::vector<std::int64_t> parameter_sizes(const std::string& symbol) const;
  // The variables of static shared memory, in the same order in each copy of a library.
  std::span<const std::span<std::uint8_t>> static_shared() const { return shared_; }
  // Fills static shared memory with a byte.
  void fill_shared(std::uint8_t value) const;

 private:
  void* find(const std::string& symbol) const;

  Descriptor file_;  // stays open, so that no other copy gets its name
  std::unique_ptr<void, int (*)(void*)> library_;
  KernelState* state_ = nullptr;
  std::vector<std::span<std::uint8_t>> shared_;
};

// A block that is to run: its copy of the kernel, whose state has its index, and its shared memory.
struct ClusterBlock {
  KernelState* state = nullptr;
  EntryFunction entry = nullptr;
  std::span<std::uint8_t> dynamic_shared = {};
  std::span<const std::span<std::uint8_t>> static_shared = {};
};

// Where `other`, a block of the same kernel, has what `block` has at `own`. Null if that is not in
// the block's shared memory.
void* same_in(const ClusterBlock& other, const ClusterBlock& block, const void* own);

// "byte 128 of dynamic shared memory"; nothing if the address is not in the block's shared memory.
std::optional<std::string> place_in(const ClusterBlock& block, const void* address);

// What kernels ask of the host device while they run. The layout is that of TilewrightHostCalls in
// the shim. `fibers` is KernelState::fibers, and begins with a pointer to these functions, so that
// KernelState keeps the layout that compiled kernels have in caches and bundles. Barriers are 8
// bytes of shared memory (BarrierWord). `blocks`: a bit for the rank of each block of the cluster
// that gets the bytes, at the same places of its shared memory; 0: this block.
struct DeviceCalls {
  void (*sync_warp)(void* fibers, unsigned lanes, const char* file, int line);
  void (*init_barrier)(void* fibers, std::uint64_t* barrier, unsigned arrivals);
  void (*arrive)(void* fibers, std::uint64_t* barrier, unsigned expected_bytes);
  void (*wait)(void* fibers, const std::uint64_t* barrier, unsigned parity);
  void (*start_box)(void* fibers, void* target, const void* map, const int* place, int rank,
                    std::uint64_t* barrier, unsigned blocks);
  void (*start_bytes)(void* fibers, void* target, const void* source, unsigned bytes,
                      std::uint64_t* barrier, unsigned blocks);
  void (*store_box)(void* fibers, const void* map, const void* source, const int* place, int rank);
  void (*store_bytes)(void* fibers, void* target, const void* source, unsigned bytes);
  void (*end_store_group)(void* fibers);
  void (*wait_for_stores)(void* fibers, int groups);  // all but the groups ended last
  void (*arrive_at_named_barrier)(void* fibers, int barrier, int threads);
  void (*wait_at_named_barrier)(void* fibers, int barrier, int threads);
  void (*sync_cluster)(void* fibers);
  int (*rank_in_cluster)(void* fibers);
  // Where block `rank` of the cluster has what this block has at `own` in its shared memory.
  void* (*in_block)(void* fibers, const void* own, int rank);
  void (*sync_grid)(void* fibers);  // of a cooperative launch
  int (*is_cooperative)(void* fibers);
  // MappedTexture says what `format` and `element` are.
  void (*read_texture)(void* fibers, unsigned long long texture, const float* at, int dimensions,
                       void* element, unsigned format);
  void (*fetch_texture)(void* fibers, unsigned long long texture, int x, void* element,
                        unsigned format);
  // Gives each of the lanes the `bytes` (1 to 16) at `value` of all: 32 values at `all`, those of
  // other lanes all ones.
  void (*exchange)(void* fibers, unsigned lanes, const void* value, void* all, unsigned bytes,
                   const char* file, int line);
  void (*start_pixels)(void* fibers, void* target, const void* map, const int* place,
                       const int* offsets, int rank, std::uint64_t* barrier);
};

struct AddressRange {
  std::uint64_t offset = 0;  // from the address where the library is loaded
  std::uint64_t size = 0;
};

// The writable variables inside functions of an ELF library, by its symbol table. They are the
// static shared memory of its kernels. (A section for them would not work, because GCC ignores the
// attribute in templates.) Each lies in a section that may be written. Empty if `code` is not such
// a library; what a damaged one has outside its bytes is ignored.
std::vector<AddressRange> static_locals(std::span<const std::uint8_t> code);

}  // namespace tilewright::host
