// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// Sizes and places that all of conv_layer/rows shares, in elements where nothing else is said. The
// manifest's terms are the macros that begin with TERM.

#include "swizzled_tile.cuh"
#include "types.cuh"

constexpr int kThreads = 32 * WARPS;
constexpr bool kToeplitz = PRODUCT == PRODUCT_TOEPLITZ;
constexpr bool kWgmma = PRODUCT == PRODUCT_WGMMA;

// A row of taps meets a window of neighbours in a row of the image. From one output to the next the
// window moves by kStride.
constexpr int kWindow = PROBLEM_FILTER_WIDTH * PROBLEM_CHANNELS_IN;
constexpr int kStride = PROBLEM_STRIDE_X * PROBLEM_CHANNELS_IN;

// Windows are read in words of four bytes. Where they begin at odd elements of two bytes, all of
// them do, and each has one element in front that it does not need; or every other one does, and
// reads a second copy of the tile, which is one element further on.
constexpr int kWord = 4 / static_cast<int>(sizeof(Element));
constexpr bool kTwice = kStride % kWord != 0;
constexpr int kFront = TERM_FRONT;
static_assert(PROBLEM_DILATION_X == 1 || PROBLEM_CHANNELS_IN % kWord == 0, "words are of one tap");

// The ks of a product are the words of all windows, one row of taps after the other, in steps of
// eight words. A Toeplitz product has one step for each row of taps.
constexpr int kRowWords = TERM_ROW_WORDS;
constexpr int kWords = PROBLEM_FILTER_HEIGHT * kRowWords;
constexpr int kSteps = TERM_STEPS;

// A tile of the image has whole units of 16 bytes, the first of which begins kShift elements before
// the first window. The words of a step that are in two rows lie in different banks, if its windows
// leave room for that. The second copy is behind two tiles.
constexpr int kUnit = 16 / static_cast<int>(sizeof(Element));
constexpr int kShift = TERM_SHIFT;
constexpr int kPitch = TERM_ROW_UNITS * kUnit;
constexpr int kTileRows = TERM_TILE_ROWS;
constexpr int kTileElements = kTileRows * kPitch;
constexpr int kTilePitch = TERM_TILE_BYTES / static_cast<int>(sizeof(Element));
constexpr int kSecond = TERM_SECOND_BYTES / static_cast<int>(sizeof(Element));
static_assert(TILE_WIDTH % 16 == 0, "tiles begin at whole units, and products have 16 pixels");

// Where word `word` of a window lies from its first element.
__host__ __device__ constexpr int word_place(int word) {
  return word >= kWords
             ? 0
             : word / kRowWords * (PROBLEM_DILATION_Y * kPitch) + word % kRowWords * kWord +
                   word % kRowWords * kWord / PROBLEM_CHANNELS_IN *
                       ((PROBLEM_DILATION_X - 1) * PROBLEM_CHANNELS_IN);
}

// Which element of the window element `part` of a word is. Others are not the window's.
__host__ __device__ constexpr int element_of(int word, int part) {
  return word % kRowWords * kWord + part - kFront;
}
__host__ __device__ constexpr bool is_needed(int word, int part) {
  return word < kWords && element_of(word, part) >= 0 && element_of(word, part) < kWindow;
}

// The bits of a word that a product may see. What others have need not be finite, so a filter's
// zero would not do.
__host__ __device__ constexpr unsigned mask_of(int word) {
  return kWord == 1 ? (is_needed(word, 0) ? ~0U : 0U)
                    : (is_needed(word, 0) ? 0xffffU : 0U) |
                          (is_needed(word, kWord - 1) ? 0xffff0000U : 0U);
}

// Whether one of the four lanes' words from `word` on has others.
__host__ __device__ constexpr bool is_masked(int word) {
  return (mask_of(word) & mask_of(word + 1) & mask_of(word + 2) & mask_of(word + 3)) != ~0U;
}

// A product has 8 filters. Of 16 pixels and 8 filters, lane l has filters l % 4 · 2 and the one
// after it. They are chosen so that the lane's filters of kRun / 2 products are neighbours.
constexpr int kProducts = FILTERS / 8;
constexpr int kRun = common_power(FILTERS / 4);
static_assert(FILTERS % 8 == 0, "products tile a block's filters");

__host__ __device__ constexpr int filter_of(int product, int column) {
  constexpr int kTogether = kRun / 2;
  return product / kTogether * (4 * kRun) + column / 2 * kRun + product % kTogether * 2 +
         column % 2;
}

// Prepared filters are the words of a block's products, behind those of the blocks before it. Their
// order is that of products.cuh or wgmma_products.cuh. With wgmma they are in shared memory, before
// the tiles.
constexpr int kBlockWords = kSteps * kProducts * 64;
constexpr int kTilesAt = kWgmma ? 4 * kBlockWords : 0;  // bytes
