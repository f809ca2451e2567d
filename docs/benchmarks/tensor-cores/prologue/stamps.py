#!/usr/bin/env python3
"""Puts clocks into a reproducer of gemm/wgmma: stamps.py REPRODUCER.cu OUTPUT.cu

    tilewright show gemm/wgmma M=N=K=2048 type_a=bfloat16 --config '…' --reproducer -o a.cu
    stamps.py a.cu b.cu && nvcc -O3 -arch=sm_90a -std=c++17 b.cu -o b && ./b 50

The first thread of each warp group stores the clock of its multiprocessor at each stamp. After the
timed calls the program prints, of the last one, the cycles since the block began.
"""

import pathlib
import re
import sys

DEVICE = """
__device__ long long clocks[132][3][40];
__device__ __forceinline__ void stamp(int i) {
  if (threadIdx.x % 128 == 0 && i < 40) clocks[blockIdx.x % 132][threadIdx.x / 128][i] = clock64();
}

"""

HOST = """
#include <algorithm>
void print_stamps() {
  static long long all[132][3][40];
  cudaMemcpyFromSymbol(all, clocks, sizeof all);
  const char* const of_tile[] = {"turn", "first stage", "products begun", "products", "stored"};
  for (int group = 0; group < 3; ++group)
    for (int i = 0; i < 40; ++i) {
      long long sum = 0, least = 1LL << 60, most = 0, blocks = 0;
      for (const auto& block : all) {
        if (block[group][i] == 0 || block[0][0] == 0) continue;
        const long long cycles = block[group][i] - block[0][0];
        sum += cycles, least = std::min(least, cycles), most = std::max(most, cycles), ++blocks;
      }
      if (blocks == 0) continue;
      const char* what = group == 0 ? (i == 2 ? "all loads begun" : "drained") : of_tile[(i - 2) % 5];
      if (i < 2 || i > 37) what = i == 0 ? "entry" : i == 1 ? "ring" : i == 38 ? "drained" : "end";
      std::printf("  group %d stamp %2d (%s): mean %8.0f least %8lld most %8lld of %lld\\n", group, i,
                  what, static_cast<double>(sum) / blocks, least, most, blocks);
    }
}
"""

# A text of the reproducer, and what stands in its place.
CHANGES = [
    ("// By the first warp group.\n", DEVICE + "// By the first warp group.\n"),
    ("  const ClusterPlace place = cluster_place();\n  const Work work", "  stamp(0);\n{}"),
    ("    for (int t = first_tile(); t < work.tiles.count(); t += tile_stride())\n", "{}"),
    ("    if constexpr (kFillers > 1) loader.drain();\n", "    stamp(2);\n{}    stamp(3);\n"),
    ("  RingPlace ring;\n  int t = first_tile();", "  int tile_number = 0;\n{}"),
    (
        "    const Stage last = multiply(sums",
        "    stamp(2 + 5 * tile_number);\n    wait_for_bytes(ring.stage.filled(), ring.parity);\n"
        "    stamp(3 + 5 * tile_number);\n{}",
    ),
    (
        "    finish_products(sums, last, work.steps.count, work.place);\n",
        "    stamp(4 + 5 * tile_number);\n{}    stamp(5 + 5 * tile_number);\n",
    ),
    (
        "    boxes.store(*map_c, output, tile, sums, left);\n",
        "{}    stamp(6 + 5 * tile_number++);\n",
    ),
    ("  boxes.drain();\n", "{}  stamp(38);\n"),
    ("  if constexpr (kClusterParts > 1) synchronise_cluster();  // others", "  stamp(39);\n{}"),
    ("// ==== main\n", "{}" + HOST),
    (
        "  print_time(arguments, scratch, call, calls);\n",
        "{}  ::print_stamps();\n  std::exit(right ? 0 : 1);\n",
    ),
]


def main():
    source = "void print_stamps();\n" + pathlib.Path(sys.argv[1]).read_text()
    for text, instead in CHANGES:
        assert text in source, text
        source = source.replace(text, instead.replace("{}", text), 1)
    source = re.sub(r"(  prepare_ring\([^;]*;\n)(?=  if constexpr)", r"\1  stamp(1);\n", source, 1)
    pathlib.Path(sys.argv[2]).write_text(source)


if __name__ == "__main__":
    main()
