// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT

// A layer of two dimensions or one, by the tensor cores of compute capability 9.0: the pixels of a
// tile with its halo come to shared memory once for each chunk of channels, and every tap
// multiplies them there, at a shifted address. With strides they come in parts, which different
// taps meet. The filters of a tap come through a ring, or stay in shared memory. A tensor map has
// zeros beyond an image.
//
// PIXELS, ACROSS      pixels of the output in a multiplication, and its        8 … 256; 1 …
//                     multiplications side by side; geometry.cuh has how
//                     they lie (SHAPE)                                         rectangle, line
// CHANNEL_BANDS       bands of 64 channels of the output in a tile             1 … 4
// LEFT_ROWS           rows of the output in a band, for few channels: 64 /     1, 2, 4, 8
//                     LEFT_ROWS of each. 2 of 32 channels use 3/4 of the
//                     multiplications with 3 rows of taps, a band of one row
//                     1/2. Filters are prepared for it, and for groups:
//                     spreading.cuh
// CHUNK_BYTES         bytes of channels that are in shared memory at a time    32, 64, 128
// SCHEDULE            one warp group multiplies (single), two share a tile     single, cooperative,
//                     (cooperative) or take tiles in turn (pingpong), so       pingpong
//                     that one stores while the other multiplies
// RESIDENT            whether a block's filters stay in shared memory: all     no, yes
//                     its tiles have the same channels of the output then
// PIXEL_STAGES        chunks of pixels in shared memory, or parts of them      1 …
// FILTER_STAGES       taps of filters in shared memory, if not RESIDENT        2 …
// DEPENDENT           the launch may begin before the one ahead ends           no, yes
// MIN_BLOCKS          blocks that must fit on an SM at once                    1, 2
// PROBLEM_FILTER_WIDTH, PROBLEM_FILTER_HEIGHT, PROBLEM_STRIDE_X, PROBLEM_STRIDE_Y,
// PROBLEM_DILATION_X, PROBLEM_DILATION_Y, PROBLEM_LAYOUT, PROBLEM_ACCUMULATE, PROBLEM_GROUPS
//                     the problem's; with nchw, maps and `copy` are of copies in nhwc
//                     (arranging.cu); TERM_LINE_WIDTH is of its width, too, TERM_GROUPED_CHANNELS
//                     of its channels
// TYPE, TYPE_OUT, PROBLEM_PRECISION    types.cuh: 16 bits, float8, int8, or float32 whose lower 13
//                     bits are cut. Sums are of float32 (int8: int32).
//
// Shared memory, bytes: PIXEL_STAGES · CHUNK_BYTES · pixels of the box, in units of 1024; taps in
// shared memory · 64 · CHANNEL_BANDS · CHUNK_BYTES; 16384 for each consumer; barriers.
// Registers: 32 · CHANNEL_BANDS · PIXELS · ACROSS / 64 sums for all that share a tile, twice that
// for float8, + about 40.
// Grid: x = tiles, or as many blocks as fit.

#include "dependent_launch.cuh"
#include "geometry.cuh"
#include "output.cuh"
#include "spreading.cuh"
#include "tensor_copy.cuh"

// The output, as storing.cuh wants it: left positions are channels.
struct Result {
  using Element = ElementOut;
  using Real = ::Real;
  static constexpr bool kSwapped = true;
  static constexpr int kBoxRows = TERM_BOX_PIXELS;
  static constexpr int kBoxColumns = sizeof(ElementOut) == 4 ? 32 : 64;
  static constexpr int kBoxesAt = TERM_BOXES_AT;
  static constexpr bool kReadsOld = PROBLEM_ACCUMULATE != ACCUMULATE_NO;
};

// What of the output a tile has: rows are its pixels, columns its left positions.
struct TileOutput : Output {
  HaloTile tile;
  ElementOut* written;

  // Where pixel `at` of the tile is for a left position; not always within the output.
  __device__ __forceinline__ Place place(int at, int left) const {
    if constexpr (kIsLine) {
      const int in_line = tile.place + at;
      const int line = in_line / TERM_LINE_WIDTH;
      return {tile.image, 0, line, in_line - line * TERM_LINE_WIDTH, tile.channel + left};
    }
    const int column = tile.column + at / PIXELS * 8 + at % 8;
    const int row = tile.row + at % PIXELS / 8 * LEFT_ROWS;
    if constexpr (LEFT_ROWS > 1)
      return {tile.image, 0, row + left / kRowChannels, column, left % kRowChannels};
    return {tile.image, 0, row, column, tile.channel + left};
  }
  __device__ __forceinline__ bool has(const Place& at) const {
    return at.row < height && at.column < width && at.channel < channels;
  }

  __device__ __forceinline__ Real value(int pixel, int left, Real sum) const {
    Place at = place(pixel, left);
    at.row = min(at.row, height - 1);
    at.column = min(at.column, width - 1);
    at.channel = min(at.channel, channels - 1);
    return result(at, index_of(at), sum);
  }
};

// By one thread: fills the ring of pixels, or that of filters.
__device__ __forceinline__ void load_pixels(const HaloTiles& tiles, const TensorMap& map,
                                            int padding_x, int padding_y) {
  PixelRing::Place ring;
  for (int t = static_cast<int>(blockIdx.x); t < tiles.count(); t += static_cast<int>(gridDim.x)) {
    const HaloTile tile = tiles.at(t);
#pragma unroll 1
    for (int chunk = 0; chunk < TERM_CHUNKS; ++chunk)
#pragma unroll 1
      for (int number = 0; number < Phase::kCount; ++number) {
        const Phase phase(number);
        wait_for_phase(ring.stage.emptied(), ring.parity ^ 1);
        expect_bytes(ring.stage.filled(), TERM_BOX_WIDTH * TERM_BOX_HEIGHT * CHUNK_BYTES);
        start_box(ring.stage.memory(), map,
                  {tile.first_channel_in() + chunk * kChunk,
                   tile.column * PROBLEM_STRIDE_X - padding_x + phase.column,
                   tile.row * PROBLEM_STRIDE_Y - padding_y + phase.row, tile.image},
                  ring.stage.filled());
        ring.advance();
      }
  }
}
__device__ __forceinline__ void load_filters(const HaloTiles& tiles, const TensorMap& map) {
  FilterRing::Place ring;
  for (int t = static_cast<int>(blockIdx.x); t < tiles.count(); t += static_cast<int>(gridDim.x)) {
    const HaloTile tile = tiles.at(t);
#pragma unroll 1
    for (int chunk = 0; chunk < TERM_CHUNKS; ++chunk)
#pragma unroll 1
      for (int number = 0; number < Phase::kCount; ++number) {
        const Phase phase(number);
#pragma unroll 1
        for (int tap = 0; tap < phase.taps(); ++tap) {
          if constexpr (!kResident) wait_for_phase(ring.stage.emptied(), ring.parity ^ 1);
          expect_bytes(ring.stage.filled(), FilterTile::kBytes);
          start_box(ring.stage.memory(), map, chunk * kChunk, tile.channel, phase.in_filter(tap),
                    ring.stage.filled());
          ring.advance();
        }
      }
    if constexpr (kResident) return;
  }
}

// A consumer: what it multiplies of each tile.
class HaloConsumer {
 public:
  __device__ __forceinline__ explicit HaloConsumer(const Corner& first)
      : filters_(same_in_warp(lower_word<FilterTile>(FilterRing::Stage{0}.memory()) +
                              (FilterTile::offset(first.left, 0) >> 4))),
        pixels_(same_in_warp(lower_word<PixelTile>(PixelRing::Stage{0}.memory()) +
                             (PixelTile::offset(first.right, 0) >> 4))) {}

  // Skips a tile that the other consumer multiplies.
  __device__ __forceinline__ void skip() {
    pixel_ring_.skip(TERM_CHUNKS * Phase::kCount);
    filter_ring_.skip(TERM_CHUNKS * kTaps);
  }

  // Starts all products of a tile and ends all but the last tap's. `shift`: pixels from the box's
  // first one to the tile's first one.
  __device__ __forceinline__ void multiply(OwnSums& sums, int shift) {
    const unsigned shifted = static_cast<unsigned>(shift) * (CHUNK_BYTES >> 4);
    if constexpr (kPromotes) sums.clear();
#pragma unroll 1
    for (int chunk = 0; chunk < TERM_CHUNKS; ++chunk) multiply_chunk(sums, shifted, chunk == 0);
  }
  __device__ __forceinline__ void finish(OwnSums& sums) {
    wait_for_products<0>();
    release_filters();
    release(last_pixels_, BlockPlace{0, 0, 0});
    sums.pin();
  }

 private:
  // One chunk of the pixels that a phase meets, then those of further phases. `is_first`: nothing
  // of the tile was multiplied before.
  template <int NUMBER = 0>
  __device__ __forceinline__ void multiply_chunk(OwnSums& sums, unsigned shifted, bool is_first) {
    constexpr Phase phase(NUMBER);
    OwnSums of_piece;
    OwnSums& added = kPromotes ? of_piece : sums;
    wait_for_bytes(pixel_ring_.stage.filled(), pixel_ring_.parity);
    const unsigned pixels =
        pixels_ + shifted +
        static_cast<unsigned>(pixel_ring_.stage.number) * (TERM_PIXEL_BYTES >> 4);
#pragma unroll
    for (int tap = 0; tap < phase.taps(); ++tap) {
      const FilterRing::Stage stage = filter_ring_.stage;
      wait_for_bytes(stage.filled(), kResident ? 0 : filter_ring_.parity);
      const bool fresh = kPromotes ? tap % kPieceTaps == 0 : is_first && tap == 0;
      start_products<FilterTile, PixelTile, PIXELS>(
          added, nullptr, 0,
          filters_ + static_cast<unsigned>(stage.number) * (FilterTile::kBytes >> 4),
          pixels + static_cast<unsigned>(phase.further(tap)) * (CHUNK_BYTES >> 4), fresh);
      wait_for_products<1>();
      if (!is_first || tap > 0) release_filters();
      if (!is_first && tap == 0) release(last_pixels_, BlockPlace{0, 0, 0});
      last_filters_ = stage;
      filter_ring_.advance();
      if constexpr (kPromotes)
        if (tap % kPieceTaps == kPieceTaps - 1 || tap == phase.taps() - 1) {
          wait_for_products<0>();
          of_piece.pin();
          sums.add(of_piece);
        }
    }
    last_pixels_ = pixel_ring_.stage;
    pixel_ring_.advance();
    if constexpr (NUMBER + 1 < Phase::kCount) multiply_chunk<NUMBER + 1>(sums, shifted, false);
  }
  __device__ __forceinline__ void release_filters() {
    if constexpr (!kResident) release(last_filters_, BlockPlace{0, 0, 0});
  }

  PixelRing::Place pixel_ring_;
  FilterRing::Place filter_ring_;
  PixelRing::Stage last_pixels_ = {0};
  FilterRing::Stage last_filters_ = {0};
  unsigned filters_;
  unsigned pixels_;
};

// A box of pixels from `pixel` of the tile on, with 64 left positions, to the output: rectangles by
// the map, others in units of 16 bytes.
__device__ __forceinline__ void write_box(const TensorMap& map, const TileOutput& output,
                                          const unsigned char* box, int left, int pixel) {
  constexpr int kHalves = 64 / Result::kBoxColumns;
  constexpr int kHalfBytes = Result::kBoxRows * 128;
  const int thread = static_cast<int>(threadIdx.x) % kGroupThreads;
  if constexpr (!kIsLine && LEFT_ROWS == 1) {
    if (thread > 0) return;
    const Place at = output.place(pixel, left);
#pragma unroll
    for (int half = 0; half < kHalves; ++half)
      store_box(map, box + half * kHalfBytes,
                {at.channel + half * Result::kBoxColumns, at.column, at.row, at.batch});
    end_store_group();
    return;
  }
  constexpr int kUnit = 16 / static_cast<int>(sizeof(ElementOut));  // elements
#pragma unroll
  for (int unit = thread; unit < kHalves * Result::kBoxRows * 8; unit += kGroupThreads) {
    const int half = unit / (Result::kBoxRows * 8);
    const int row = unit / 8 % Result::kBoxRows;
    const Place at =
        output.place(pixel + row, left + half * Result::kBoxColumns + unit % 8 * kUnit);
    const unsigned from = static_cast<unsigned>(half * kHalfBytes) +
                          swizzled<128>(static_cast<unsigned>(row * 128 + unit % 8 * 16));
    if (output.has(at))
      *reinterpret_cast<uint4*>(output.written + output.index_in_nhwc(at)) =
          *reinterpret_cast<const uint4*>(box + from);
  }
}

// By the warp groups behind the first one.
template <class OUTPUT_OF>
__device__ __forceinline__ void compute_tiles(const HaloTiles& tiles, const TensorMap& map,
                                              OUTPUT_OF&& output_of) {
  const int number = kConsumers == 1 ? 0 : warp_group_number() - 1;
  const Corner first = {kShares && !kSharesPixels ? number * 64 * kOwnBands : 0,
                        kSharesPixels ? number * PIXELS * kOwnAcross : 0};
  HaloConsumer consumer(first);
  const int stride = static_cast<int>(gridDim.x);
  const int begin = static_cast<int>(blockIdx.x);
  int t = begin;
  if (kPingPong && number == 1) {
    consumer.skip();
    t += stride;
  }
  Boxes<Result> boxes(number);
  for (; t < tiles.count(); t += (kPingPong ? 2 : 1) * stride) {
    const HaloTile tile = tiles.at(t);
    if (kPingPong && t != begin) Turns<kConsumers>::wait(number);
    OwnSums sums;
    consumer.multiply(sums, kIsLine ? tile.place - tile.row * TERM_LINE_WIDTH : 0);
    if (kPingPong && t + stride < tiles.count()) Turns<kConsumers>::give(number);
    consumer.finish(sums);
    if (kPingPong) consumer.skip();
    const TileOutput output = output_of(tile);
    boxes.store(output, Tile{0, 0, 0}, sums, first,
                [&](const unsigned char* box, int left, int right) {
                  write_box(map, output, box, left, right);
                });
  }
  boxes.drain();
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    conv_layer_halo(const __grid_constant__ TensorMap map_image,
                    const __grid_constant__ TensorMap map_filter,
                    const __grid_constant__ TensorMap map_output, ElementOut* output, Real alpha,
                    Real beta, int batch, int channels_out, int padding_x, int padding_y,
                    int width_out, int height_out COPY_PARAMETER EPILOGUE_PARAMETERS) {
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
  const HaloTiles tiles = {width_out, height_out, batch, channels_out};
  if (threadIdx.x == 0) {
    constexpr unsigned kReleases = (kPingPong ? 1 : kConsumers) * kGroupThreads / 32;
    prefetch_map(map_image);
    prefetch_map(map_filter);
    PixelRing::prepare(1, kReleases);
    FilterRing::prepare(1, kReleases);
    publish_barriers();
  }
  __syncthreads();
  if constexpr (DEPENDENT == DEPENDENT_YES) {
    allow_launch_behind();
    wait_for_launch_ahead();
  }
  using OwnRegisters = Registers<kConsumers, MIN_BLOCKS>;
  if (warp_group_number() == 0) {
    OwnRegisters::give();
    if (threadIdx.x == 0)
      load_pixels(tiles, map_image, padding_x, padding_y);
    else if (threadIdx.x == 32)
      load_filters(tiles, map_filter);
  } else {
    OwnRegisters::take();
    const Epilogue epilogue = EPILOGUE_ARGUMENTS;
    compute_tiles(tiles, map_output, [&](const HaloTile& tile) -> TileOutput {
      return {{output, channels_out, width_out, height_out, 1, alpha, beta, epilogue},
              tile,
              WRITTEN(output)};
    });
  }
#endif
}
