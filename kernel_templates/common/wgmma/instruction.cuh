// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

// The instruction wgmma.mma_async (sm_90a): a warp group multiplies 64 left positions by COLUMNS
// right ones over 32 bytes of K, from shared memory, and adds to sums in its registers. The left
// positions may be in registers, too. PTX wants every register by name, so there is one text for
// each number of columns, the multiples of 8 (int8: 8, 24 and those of 16). After: NVIDIA, PTX ISA,
// asynchronous warpgroup-level matrix instructions.

// Included by multiplication.cuh. A kernel has said which types it multiplies, because PTX wants
// them by name, too: WGMMA_LEFT and WGMMA_RIGHT, as the macros of choices name them. Behind
// `signed` stands `char`, which is 0 here.
#define WGMMA_KIND___nv_bfloat16 1
#define WGMMA_KIND___half 2
#define WGMMA_KIND_float 3
#define WGMMA_KIND_signed 4 +
#define WGMMA_KIND___nv_fp8_e4m3 5
#define WGMMA_KIND___nv_fp8_e5m2 6
#define WGMMA_PASTED(TYPE) WGMMA_KIND_##TYPE
#define WGMMA_KIND(TYPE) WGMMA_PASTED(TYPE)

// The instruction's suffixes, and what follows its operands: whether to add, signs, and which
// operands lie along their positions, which only those of 16 bits may.
#define SUM(i) "+f"(d[i])
#define FLAGS(LEFT, RIGHT) "p, 1, 1"
#define FLAGS_OF_RIGHT(RIGHT) "p, 1, 1"
#define SUFFIX_OF_SUMS "k32.f32"
#if WGMMA_KIND(WGMMA_LEFT) == 1
#define SUFFIX_LEFT ".bf16"
#elif WGMMA_KIND(WGMMA_LEFT) == 2
#define SUFFIX_LEFT ".f16"
#elif WGMMA_KIND(WGMMA_LEFT) == 3
#define SUFFIX_LEFT ".tf32"
#undef SUFFIX_OF_SUMS
#define SUFFIX_OF_SUMS "k8.f32"
#elif WGMMA_KIND(WGMMA_LEFT) == 4
#define SUFFIX_LEFT ".s8"
#undef SUFFIX_OF_SUMS
#define SUFFIX_OF_SUMS "k32.s32"
#undef FLAGS
#define FLAGS(LEFT, RIGHT) "p"
#undef SUM
#define SUM(i) "+r"(d[i])
#elif WGMMA_KIND(WGMMA_LEFT) == 5
#define SUFFIX_LEFT ".e4m3"
#else
#define SUFFIX_LEFT ".e5m2"
#endif
#if WGMMA_KIND(WGMMA_LEFT) <= 2
#undef SUFFIX_OF_SUMS
#define SUFFIX_OF_SUMS "k16.f32"
#undef FLAGS
#define FLAGS(LEFT, RIGHT) "p, 1, 1, %" #LEFT ", %" #RIGHT
#undef FLAGS_OF_RIGHT
#define FLAGS_OF_RIGHT(RIGHT) "p, 1, 1, %" #RIGHT
#endif
#if WGMMA_KIND(WGMMA_LEFT) < 5
#define SUFFIX_RIGHT SUFFIX_LEFT
#elif WGMMA_KIND(WGMMA_RIGHT) == 5
#define SUFFIX_RIGHT ".e4m3"
#else
#define SUFFIX_RIGHT ".e5m2"
#endif
#define SUFFIXES SUFFIX_OF_SUMS SUFFIX_LEFT SUFFIX_RIGHT

// What a thread has of the left operand, if that is in registers: position first, of 64 positions
// those at 16 · warp + lane / 4 and 8 further, of 32 bytes of K the words lane % 4 and 4 further.
struct Fragment {
  unsigned value[4];
};

// From a position and a k of the tile on.
template <class TILE>
__device__ __forceinline__ Fragment fragment(const unsigned char* tile, int position, int k) {
  const int thread = static_cast<int>(threadIdx.x) % kGroupThreads;
  const unsigned char* const first = tile + TILE::place(position, k) +
                                     thread % 4 * TILE::kRowBytes +
                                     (thread / 32 * 16 + thread % 32 / 4) * TILE::kElementBytes;
  Fragment read;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    read.value[i] = *reinterpret_cast<const unsigned*>(first + i / 2 * 4 * TILE::kRowBytes +
                                                       i % 2 * 8 * TILE::kElementBytes);
  return read;
}

// COLUMNS / 2 sums in a register each. LEFT and RIGHT are tiles (operand_tile.cuh). `add` of 0: the
// product takes the place of the sums.
template <int COLUMNS>
struct Instruction;

#define FOUR(i) SUM(i), SUM(i + 1), SUM(i + 2), SUM(i + 3)
#define NAMES_8 "%0, %1, %2, %3"
#define NAMES_16 NAMES_8 ", %4, %5, %6, %7"
#define NAMES_24 NAMES_16 ", %8, %9, %10, %11"
#define NAMES_32 NAMES_24 ", %12, %13, %14, %15"
#define NAMES_40 NAMES_32 ", %16, %17, %18, %19"
#define NAMES_48 NAMES_40 ", %20, %21, %22, %23"
#define NAMES_56 NAMES_48 ", %24, %25, %26, %27"
#define NAMES_64 NAMES_56 ", %28, %29, %30, %31"
#define NAMES_72 NAMES_64 ", %32, %33, %34, %35"
#define NAMES_80 NAMES_72 ", %36, %37, %38, %39"
#define NAMES_88 NAMES_80 ", %40, %41, %42, %43"
#define NAMES_96 NAMES_88 ", %44, %45, %46, %47"
#define NAMES_104 NAMES_96 ", %48, %49, %50, %51"
#define NAMES_112 NAMES_104 ", %52, %53, %54, %55"
#define NAMES_120 NAMES_112 ", %56, %57, %58, %59"
#define NAMES_128 NAMES_120 ", %60, %61, %62, %63"
#define NAMES_136 NAMES_128 ", %64, %65, %66, %67"
#define NAMES_144 NAMES_136 ", %68, %69, %70, %71"
#define NAMES_152 NAMES_144 ", %72, %73, %74, %75"
#define NAMES_160 NAMES_152 ", %76, %77, %78, %79"
#define NAMES_168 NAMES_160 ", %80, %81, %82, %83"
#define NAMES_176 NAMES_168 ", %84, %85, %86, %87"
#define NAMES_184 NAMES_176 ", %88, %89, %90, %91"
#define NAMES_192 NAMES_184 ", %92, %93, %94, %95"
#define NAMES_200 NAMES_192 ", %96, %97, %98, %99"
#define NAMES_208 NAMES_200 ", %100, %101, %102, %103"
#define NAMES_216 NAMES_208 ", %104, %105, %106, %107"
#define NAMES_224 NAMES_216 ", %108, %109, %110, %111"
#define NAMES_232 NAMES_224 ", %112, %113, %114, %115"
#define NAMES_240 NAMES_232 ", %116, %117, %118, %119"
#define NAMES_248 NAMES_240 ", %120, %121, %122, %123"
#define NAMES_256 NAMES_248 ", %124, %125, %126, %127"

#define SUMS_8 FOUR(0)
#define SUMS_16 SUMS_8, FOUR(4)
#define SUMS_24 SUMS_16, FOUR(8)
#define SUMS_32 SUMS_24, FOUR(12)
#define SUMS_40 SUMS_32, FOUR(16)
#define SUMS_48 SUMS_40, FOUR(20)
#define SUMS_56 SUMS_48, FOUR(24)
#define SUMS_64 SUMS_56, FOUR(28)
#define SUMS_72 SUMS_64, FOUR(32)
#define SUMS_80 SUMS_72, FOUR(36)
#define SUMS_88 SUMS_80, FOUR(40)
#define SUMS_96 SUMS_88, FOUR(44)
#define SUMS_104 SUMS_96, FOUR(48)
#define SUMS_112 SUMS_104, FOUR(52)
#define SUMS_120 SUMS_112, FOUR(56)
#define SUMS_128 SUMS_120, FOUR(60)
#define SUMS_136 SUMS_128, FOUR(64)
#define SUMS_144 SUMS_136, FOUR(68)
#define SUMS_152 SUMS_144, FOUR(72)
#define SUMS_160 SUMS_152, FOUR(76)
#define SUMS_168 SUMS_160, FOUR(80)
#define SUMS_176 SUMS_168, FOUR(84)
#define SUMS_184 SUMS_176, FOUR(88)
#define SUMS_192 SUMS_184, FOUR(92)
#define SUMS_200 SUMS_192, FOUR(96)
#define SUMS_208 SUMS_200, FOUR(100)
#define SUMS_216 SUMS_208, FOUR(104)
#define SUMS_224 SUMS_216, FOUR(108)
#define SUMS_232 SUMS_224, FOUR(112)
#define SUMS_240 SUMS_232, FOUR(116)
#define SUMS_248 SUMS_240, FOUR(120)
#define SUMS_256 SUMS_248, FOUR(124)

// The numbers of the operands behind the sums, N and those after it: left (one, or the four
// registers of a fragment), right, add, and how left and right lie.
#define BEGIN(ADD) \
  "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %" #ADD ", 0;\n\twgmma.mma_async.sync.aligned.m64n"
#define INSTRUCTION(COLUMNS, N, N1, N2, N3, N4, N5, N6)                                            \
  template <>                                                                                      \
  struct Instruction<COLUMNS> {                                                                    \
    template <class LEFT, class RIGHT, class SUM_TYPE>                                             \
    static __device__ __forceinline__ void run(SUM_TYPE (&d)[COLUMNS / 2],                         \
                                               unsigned long long left, unsigned long long right,  \
                                               int add) {                                          \
      asm volatile(BEGIN(N2) #COLUMNS SUFFIXES " {" NAMES_##COLUMNS "}, %" #N ", %" #N1            \
                                                                    ", " FLAGS(N3, N4) ";\n}"      \
                   : SUMS_##COLUMNS                                                                \
                   : "l"(left), "l"(right), "r"(add), "n"(LEFT::kAlongK ? 0 : 1),                  \
                     "n"(RIGHT::kAlongK ? 0 : 1));                                                 \
    }                                                                                              \
    template <class LEFT, class RIGHT, class SUM_TYPE>                                             \
    static __device__ __forceinline__ void run(SUM_TYPE (&d)[COLUMNS / 2], const Fragment& left,   \
                                               unsigned long long right, int add) {                \
      asm volatile(BEGIN(N5) #COLUMNS SUFFIXES " {" NAMES_##COLUMNS "}, {%" #N ", %" #N1 ", %" #N2 \
                                                                    ", %" #N3 "}, %" #N4           \
                                                                    ", " FLAGS_OF_RIGHT(N6) ";\n}" \
                   : SUMS_##COLUMNS                                                                \
                   : "r"(left.value[0]), "r"(left.value[1]), "r"(left.value[2]),                   \
                     "r"(left.value[3]), "l"(right), "r"(add), "n"(RIGHT::kAlongK ? 0 : 1));       \
    }                                                                                              \
  };
INSTRUCTION(8, 4, 5, 6, 7, 8, 9, 10)
INSTRUCTION(16, 8, 9, 10, 11, 12, 13, 14)
INSTRUCTION(24, 12, 13, 14, 15, 16, 17, 18)
INSTRUCTION(32, 16, 17, 18, 19, 20, 21, 22)
INSTRUCTION(40, 20, 21, 22, 23, 24, 25, 26)
INSTRUCTION(48, 24, 25, 26, 27, 28, 29, 30)
INSTRUCTION(56, 28, 29, 30, 31, 32, 33, 34)
INSTRUCTION(64, 32, 33, 34, 35, 36, 37, 38)
INSTRUCTION(72, 36, 37, 38, 39, 40, 41, 42)
INSTRUCTION(80, 40, 41, 42, 43, 44, 45, 46)
INSTRUCTION(88, 44, 45, 46, 47, 48, 49, 50)
INSTRUCTION(96, 48, 49, 50, 51, 52, 53, 54)
INSTRUCTION(104, 52, 53, 54, 55, 56, 57, 58)
INSTRUCTION(112, 56, 57, 58, 59, 60, 61, 62)
INSTRUCTION(120, 60, 61, 62, 63, 64, 65, 66)
INSTRUCTION(128, 64, 65, 66, 67, 68, 69, 70)
INSTRUCTION(136, 68, 69, 70, 71, 72, 73, 74)
INSTRUCTION(144, 72, 73, 74, 75, 76, 77, 78)
INSTRUCTION(152, 76, 77, 78, 79, 80, 81, 82)
INSTRUCTION(160, 80, 81, 82, 83, 84, 85, 86)
INSTRUCTION(168, 84, 85, 86, 87, 88, 89, 90)
INSTRUCTION(176, 88, 89, 90, 91, 92, 93, 94)
INSTRUCTION(184, 92, 93, 94, 95, 96, 97, 98)
INSTRUCTION(192, 96, 97, 98, 99, 100, 101, 102)
INSTRUCTION(200, 100, 101, 102, 103, 104, 105, 106)
INSTRUCTION(208, 104, 105, 106, 107, 108, 109, 110)
INSTRUCTION(216, 108, 109, 110, 111, 112, 113, 114)
INSTRUCTION(224, 112, 113, 114, 115, 116, 117, 118)
INSTRUCTION(232, 116, 117, 118, 119, 120, 121, 122)
INSTRUCTION(240, 120, 121, 122, 123, 124, 125, 126)
INSTRUCTION(248, 124, 125, 126, 127, 128, 129, 130)
INSTRUCTION(256, 128, 129, 130, 131, 132, 133, 134)

#undef BEGIN
#undef INSTRUCTION
#undef FOUR
#undef SUM
