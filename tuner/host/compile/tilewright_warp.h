// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// What the lanes of a warp do together on the host device: shuffles, votes, matches and reductions.
// A part of tilewright_host.h. Each lane gets the values of all, by DeviceCalls::exchange, which
// checks the mask. As on a GPU, what comes from a lane that the mask does not name is not defined;
// here all of its bits are set.

static inline int tilewright_lane() {
  const TilewrightHostState& state = tilewright_host_state;
  return (state.thread.x +
          state.block_dim.x * (state.thread.y + state.block_dim.y * state.thread.z)) &
         31;
}

struct TilewrightWarp {
  const char* file;
  int line;

  template <class T, class Choose>
  auto of_all(unsigned lanes, T value, Choose choose) const {
    static_assert(sizeof(T) <= 16, "lanes exchange at most 16 bytes");
    T all[32];
    tilewright_host_call(&TilewrightHostCalls::exchange, lanes, static_cast<const void*>(&value),
                         static_cast<void*>(all), static_cast<unsigned>(sizeof(T)), file, line);
    return choose(all);
  }
  // The value of lane `from`, or one's own if `is_inside` is false.
  template <class T>
  T from(unsigned lanes, T value, int from, bool is_inside) const {
    return of_all(lanes, value, [=](const T* all) { return is_inside ? all[from & 31] : value; });
  }
  template <class T>
  T shfl(unsigned lanes, T value, int source, int width = 32) const {
    return from(lanes, value, (tilewright_lane() & -width) + (source & (width - 1)), true);
  }
  template <class T>
  T shfl_up(unsigned lanes, T value, unsigned delta, int width = 32) const {
    const int source = tilewright_lane() - static_cast<int>(delta);
    return from(lanes, value, source, source >= (tilewright_lane() & -width));
  }
  template <class T>
  T shfl_down(unsigned lanes, T value, unsigned delta, int width = 32) const {
    const int source = tilewright_lane() + static_cast<int>(delta);
    return from(lanes, value, source, source < (tilewright_lane() & -width) + width);
  }
  template <class T>
  T shfl_xor(unsigned lanes, T value, int mask, int width = 32) const {
    const int source = tilewright_lane() ^ mask;
    return from(lanes, value, source, source < (tilewright_lane() & -width) + width);
  }
  // The lanes that give this value. A block's last warp may have fewer than the mask names.
  template <class T>
  unsigned lanes_with(unsigned lanes, T value, T wanted) const {
    return of_all(lanes, value, [=](const T* all) {
      unsigned result = 0;
      for (int lane = 0; lane < 32; ++lane)
        if (all[lane] == wanted) result |= 1U << lane;
      return result;
    });
  }
  unsigned ballot(unsigned lanes, int is_true) const {
    return lanes_with(lanes, is_true != 0 ? 1 : 0, 1);
  }
  int any(unsigned lanes, int is_true) const { return ballot(lanes, is_true) != 0; }
  int all(unsigned lanes, int is_true) const { return ballot(lanes, is_true == 0) == 0; }
  int uni(unsigned lanes, int is_true) const {
    const unsigned found = ballot(lanes, is_true);
    return found == 0 || found == ballot(lanes, 1);
  }
  template <class T>
  unsigned match_any(unsigned lanes, T value) const {
    return lanes_with(lanes, value, value) & ballot(lanes, 1);
  }
  template <class T>
  unsigned match_all(unsigned lanes, T value, int* is_same) const {
    const unsigned all = ballot(lanes, 1);
    *is_same = match_any(lanes, value) == all;
    return *is_same ? all : 0;
  }
  template <class T, class Join>
  T reduce(unsigned lanes, T value, Join join) const {
    const unsigned present = ballot(lanes, 1);
    return of_all(lanes, value, [=](const T* all) {
      int lane = __builtin_ctz(present);
      T result = all[lane];
      while (++lane < 32)
        if ((present >> lane & 1) != 0) result = join(result, all[lane]);
      return result;
    });
  }
  template <class T>
  T add(unsigned lanes, T value) const {
    return reduce(lanes, value, [](T a, T b) { return T(a + b); });
  }
  template <class T>
  T least(unsigned lanes, T value) const {
    return reduce(lanes, value, [](T a, T b) { return b < a ? b : a; });
  }
  template <class T>
  T most(unsigned lanes, T value) const {
    return reduce(lanes, value, [](T a, T b) { return a < b ? b : a; });
  }
  template <class T>
  T bit_and(unsigned lanes, T value) const {
    return reduce(lanes, value, [](T a, T b) { return T(a & b); });
  }
  template <class T>
  T bit_or(unsigned lanes, T value) const {
    return reduce(lanes, value, [](T a, T b) { return T(a | b); });
  }
  template <class T>
  T bit_xor(unsigned lanes, T value) const {
    return reduce(lanes, value, [](T a, T b) { return T(a ^ b); });
  }
};

#define TILEWRIGHT_WARP (TilewrightWarp{__FILE__, __LINE__})
#define __shfl_sync(...) TILEWRIGHT_WARP.shfl(__VA_ARGS__)
#define __shfl_up_sync(...) TILEWRIGHT_WARP.shfl_up(__VA_ARGS__)
#define __shfl_down_sync(...) TILEWRIGHT_WARP.shfl_down(__VA_ARGS__)
#define __shfl_xor_sync(...) TILEWRIGHT_WARP.shfl_xor(__VA_ARGS__)
#define __ballot_sync(...) TILEWRIGHT_WARP.ballot(__VA_ARGS__)
#define __any_sync(...) TILEWRIGHT_WARP.any(__VA_ARGS__)
#define __all_sync(...) TILEWRIGHT_WARP.all(__VA_ARGS__)
#define __uni_sync(...) TILEWRIGHT_WARP.uni(__VA_ARGS__)
#define __match_any_sync(...) TILEWRIGHT_WARP.match_any(__VA_ARGS__)
#define __match_all_sync(...) TILEWRIGHT_WARP.match_all(__VA_ARGS__)
#define __reduce_add_sync(...) TILEWRIGHT_WARP.add(__VA_ARGS__)
#define __reduce_min_sync(...) TILEWRIGHT_WARP.least(__VA_ARGS__)
#define __reduce_max_sync(...) TILEWRIGHT_WARP.most(__VA_ARGS__)
#define __reduce_and_sync(...) TILEWRIGHT_WARP.bit_and(__VA_ARGS__)
#define __reduce_or_sync(...) TILEWRIGHT_WARP.bit_or(__VA_ARGS__)
#define __reduce_xor_sync(...) TILEWRIGHT_WARP.bit_xor(__VA_ARGS__)
// Threads run one after the other here, so each is on its own wherever it asks.
#define __activemask() (1U << tilewright_lane())
