#pragma once

#include <cstdint>

namespace tilewright::host {

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
};

}  // namespace tilewright::host
