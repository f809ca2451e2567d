// What the running thread of a kernel asks for (DeviceCalls).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tuner/host/threads/async_copies.hpp"
#include "tuner/host/threads/fibers.hpp"

namespace tilewright::host {
namespace {

constexpr std::uintptr_t kUnit = kBulkUnit;

std::uintptr_t address_of(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory);
}

BoxPlace numbers(const int* from, int count) {
  BoxPlace place{};
  std::copy_n(from, std::min<std::size_t>(static_cast<std::size_t>(count), kMostRank),
              place.begin());
  return place;
}

}  // namespace

// Kernels have no frames that an exception could pass.
template <class Result, class... Parameters, Result (ClusterFibers::*METHOD)(Parameters...)>
struct ClusterFibers::Call<METHOD> {
  static Result call(void* fibers, Parameters... parameters) {
    ClusterFibers& self = *static_cast<Handle*>(fibers)->fibers;
    try {
      return (self.*METHOD)(parameters...);
    } catch (const TrialError& error) {
      self.failure_ = error.failure();
    }
    self.stop();
  }
};

const DeviceCalls ClusterFibers::kCalls = {
    Call<&ClusterFibers::sync_warp>::call,
    Call<&ClusterFibers::init_barrier>::call,
    Call<&ClusterFibers::arrive>::call,
    Call<&ClusterFibers::wait>::call,
    Call<&ClusterFibers::start_box>::call,
    Call<&ClusterFibers::start_bytes>::call,
    Call<&ClusterFibers::store_box>::call,
    Call<&ClusterFibers::store_bytes>::call,
    Call<&ClusterFibers::end_store_group>::call,
    Call<&ClusterFibers::wait_for_stores>::call,
    Call<&ClusterFibers::arrive_at_named_barrier>::call,
    Call<&ClusterFibers::wait_at_named_barrier>::call,
    Call<&ClusterFibers::sync_cluster>::call,
    Call<&ClusterFibers::rank_in_cluster>::call,
    Call<&ClusterFibers::in_block>::call,
    Call<&ClusterFibers::sync_grid>::call,
    Call<&ClusterFibers::is_cooperative>::call,
    Call<&ClusterFibers::read_texture>::call,
    Call<&ClusterFibers::fetch_texture>::call,
    Call<&ClusterFibers::exchange>::call,
    Call<&ClusterFibers::start_pixels>::call,
};

bool ClusterFibers::is_now() {
  return order_ == ThreadOrder::forward ||
         (order_ == ThreadOrder::shuffled && (random() >> 32 & 1) == 0);
}

void ClusterFibers::suspend(const Wait& wait) {
  current_->wait = wait;
  runner_.leave();
}

void ClusterFibers::fail(Outcome outcome, const std::string& what) const {
  const Index3& thread = current_->index;
  throw TrialError(outcome,
                   fmt::format("thread ({}, {}, {}): {}", thread.x, thread.y, thread.z, what));
}

void ClusterFibers::wait_for_warp(const Wait& wait) {
  const auto lane = static_cast<unsigned>(current_ - warp_of(*current_).data());
  if ((wait.lanes >> lane & 1) == 0)
    fail(Outcome::launch_failed,
         fmt::format("at line {}:{} the mask {:#010x} does not name lane {}, which gives it",
                     wait.file, wait.number, wait.lanes, lane));
  current_->wait = wait;
  ++in_warps_;
  release_warp(*current_);
  if (current_->wait.what == Wait::For::warp) runner_.leave();
}

void ClusterFibers::sync_warp(unsigned lanes, const char* file, int line) {
  wait_for_warp({.what = Wait::For::warp, .number = line, .file = file, .lanes = lanes});
}

void ClusterFibers::exchange(unsigned lanes, const void* value, void* all, unsigned bytes,
                             const char* file, int line) {
  std::memset(all, 0xff, kWarpSize * bytes);
  wait_for_warp({.what = Wait::For::warp,
                 .number = line,
                 .file = file,
                 .lanes = lanes,
                 .value = value,
                 .all = all,
                 .bytes = bytes});
}

std::string ClusterFibers::name_of(const std::uint64_t* barrier) const {
  for (const Block& block : blocks_)
    if (const auto place = place_in(block.launched, barrier)) return "the barrier at " + *place;
  return "a barrier that is not in shared memory";
}

void ClusterFibers::init_barrier(std::uint64_t* barrier, unsigned arrivals) {
  if (address_of(barrier) % sizeof *barrier != 0)
    fail(Outcome::faulted, "a barrier must begin at a multiple of 8 bytes");
  if (arrivals < 1 || arrivals > BarrierWord::kMostArrivals)
    fail(Outcome::faulted, fmt::format("a barrier of {} arrivals; it must be 1 to {}", arrivals,
                                       BarrierWord::kMostArrivals));
  *barrier = BarrierWord{.arrivals = arrivals, .missing = arrivals}.to_bits();
}

void ClusterFibers::arrive(std::uint64_t* barrier, unsigned expected_bytes) {
  auto word = BarrierWord::from_bits(*barrier);
  if (!word) fail(Outcome::launch_failed, name_of(barrier) + " " + BarrierWord::kIsNone);
  if (const auto error = word->arrive(expected_bytes))
    fail(Outcome::launch_failed, name_of(barrier) + " " + *error);
  *barrier = word->to_bits();
  if (expected_bytes == 0) let_others_go_first();  // else it goes on to start the copies
}

void ClusterFibers::wait(const std::uint64_t* barrier, unsigned parity) {
  if (parity > 1)
    fail(Outcome::launch_failed, fmt::format("a wait for a parity of {}; it is 0 or 1", parity));
  for (;;) {
    const auto word = BarrierWord::from_bits(*barrier);
    if (!word) fail(Outcome::launch_failed, name_of(barrier) + " " + BarrierWord::kIsNone);
    if (word->parity != parity) return;
    suspend({.what = Wait::For::phase, .number = static_cast<int>(parity), .barrier = barrier});
  }
}

BulkCopy ClusterFibers::box(const void* map, const void* shared, const int* place, int rank,
                            const std::optional<BoxPlace>& offsets) {
  BulkCopy copy;
  copy.map = *static_cast<const MappedTensor*>(map);
  copy.place = numbers(place, rank);
  copy.offsets = offsets.value_or(BoxPlace{});
  copy.shared = static_cast<std::uint8_t*>(const_cast<void*>(shared));
  if (const auto error = copy.map->error(rank, copy.place, shared, offsets))
    fail(Outcome::faulted, *error);
  copy.bytes = static_cast<unsigned>(copy.map->box_bytes());
  return copy;
}

BulkCopy ClusterFibers::neighbours(const void* global, const void* shared, unsigned bytes) {
  BulkCopy copy;
  copy.global = static_cast<std::uint8_t*>(const_cast<void*>(global));
  copy.shared = static_cast<std::uint8_t*>(const_cast<void*>(shared));
  copy.bytes = bytes;
  if (bytes % kUnit != 0 || address_of(global) % kUnit != 0 || address_of(shared) % kUnit != 0)
    fail(Outcome::faulted,
         fmt::format("a bulk copy of {} bytes between addresses {} and {} bytes beyond a multiple "
                     "of {}; all three must be multiples",
                     bytes, address_of(global) % kUnit, address_of(shared) % kUnit, kUnit));
  return copy;
}

void ClusterFibers::start_box(void* target, const void* map, const int* place, int rank,
                              std::uint64_t* barrier, unsigned blocks) {
  fetch(box(map, target, place, rank), barrier, blocks);
}

void ClusterFibers::start_pixels(void* target, const void* map, const int* place,
                                 const int* offsets, int rank, std::uint64_t* barrier) {
  fetch(box(map, target, place, rank, numbers(offsets, rank - 2)), barrier, 0);
}

void ClusterFibers::start_bytes(void* target, const void* source, unsigned bytes,
                                std::uint64_t* barrier, unsigned blocks) {
  fetch(neighbours(source, target, bytes), barrier, blocks);
}

void ClusterFibers::fetch(const BulkCopy& copy, std::uint64_t* barrier, unsigned blocks) {
  if (blocks == 0) return fetch_now_or_later({copy, barrier});
  for (int rank = 0; blocks >> rank != 0; ++rank) {
    if ((blocks >> rank & 1) == 0) continue;
    BulkCopy one = copy;
    one.shared = static_cast<std::uint8_t*>(in_block(copy.shared, rank));
    fetch_now_or_later({one, static_cast<std::uint64_t*>(in_block(barrier, rank))});
  }
}

void ClusterFibers::fetch_now_or_later(const PendingFetches::Fetch& fetch) {
  if (!is_now()) return fetches_.add(fetch);
  if (const auto error = PendingFetches::finish(fetch))
    fail(Outcome::launch_failed, name_of(fetch.barrier) + " " + *error);
}

void ClusterFibers::store(const BulkCopy& copy) {
  if (is_now())
    copy.store();
  else
    stores_[current_].add(copy);
}

// Returns whether the thread was the last to arrive, so that all go on.
bool ClusterFibers::is_last_at_named_barrier(int number, int threads) {
  const std::span<Thread> all = threads_of(current_->block);
  const auto most = static_cast<int>(all.size());
  constexpr auto warp = static_cast<int>(kWarpSize);
  if (number < 1 || number >= static_cast<int>(kNamedBarriers))
    fail(Outcome::faulted,
         fmt::format("the named barrier {}; it must be 1 to {}", number, kNamedBarriers - 1));
  if (threads < warp || threads % warp != 0 || threads > most)
    fail(Outcome::faulted,
         fmt::format("the named barrier {} of {} threads; it must be a multiple of {}, at most the "
                     "block's {}",
                     number, threads, warp, most));
  NamedBarrier& barrier = block().named.at(static_cast<std::size_t>(number));
  if (barrier.arrived > 0 && barrier.threads != threads)
    fail(
        Outcome::launch_failed,
        fmt::format("the named barrier {} of {} threads, at which others have arrived as one of {}",
                    number, threads, barrier.threads));
  barrier.threads = threads;
  if (++barrier.arrived < threads) return false;
  barrier.arrived = 0;
  for (Thread& thread : all)
    if (thread.wait.what == Wait::For::named_barrier && thread.wait.number == number)
      thread.wait.what = Wait::For::nothing;
  return true;
}

void ClusterFibers::arrive_at_named_barrier(int number, int threads) {
  is_last_at_named_barrier(number, threads);
  let_others_go_first();
}

void ClusterFibers::wait_at_named_barrier(int number, int threads) {
  if (!is_last_at_named_barrier(number, threads))
    suspend({.what = Wait::For::named_barrier, .number = number});
}

void ClusterFibers::sync_cluster() {
  if (together_ == Together::grid)
    fail(Outcome::unsupported, "the host device has no clusters in cooperative launches");
  suspend({.what = Wait::For::cluster});
}

// In a cooperative launch each block is a cluster of its own.
int ClusterFibers::rank_in_cluster() {
  return together_ == Together::grid ? 0 : static_cast<int>(current_->block);
}

void ClusterFibers::sync_grid() {
  if (together_ != Together::grid)
    fail(Outcome::launch_failed,
         "the blocks of a grid wait for each other, and the launch is not cooperative");
  suspend({.what = Wait::For::cluster});
}

const MappedTexture& ClusterFibers::readable(TextureHandle texture, int dimensions,
                                             unsigned format) const {
  const MappedTexture* const mapped = MappedTexture::of(texture);
  if (mapped == nullptr) fail(Outcome::faulted, "a read of what is no texture");
  if (const auto error = mapped->error(dimensions, format)) fail(Outcome::launch_failed, *error);
  return *mapped;
}

void ClusterFibers::read_texture(TextureHandle texture, const float* at, int dimensions,
                                 void* element, unsigned format) {
  readable(texture, dimensions, format).read(at, element);
}

void* ClusterFibers::in_block(const void* own, int rank) {
  if (together_ == Together::grid)
    fail(Outcome::unsupported, "the host device has no clusters in cooperative launches");
  if (rank < 0 || static_cast<std::size_t>(rank) >= blocks_.size())
    fail(Outcome::faulted, fmt::format("block {} of a cluster of {}", rank, blocks_.size()));
  const Block& other = blocks_[static_cast<std::size_t>(rank)];
  if (other.live == 0)
    fail(Outcome::faulted,
         fmt::format("block {} of the cluster has ended, and its shared memory with it", rank));
  void* const there = same_in(other.launched, block().launched, own);
  if (there == nullptr)
    fail(Outcome::faulted, "an address in shared memory was expected; this one is not there");
  return there;
}

}  // namespace tilewright::host
