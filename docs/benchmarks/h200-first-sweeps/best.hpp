// Written by tilewright 0.1.0: tuned configurations. C++17, no dependencies.

#ifndef TILEWRIGHT_BEST_HPP
#define TILEWRIGHT_BEST_HPP

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace tilewright_best {

// A dimension, choice or parameter: an integer, or a label.
struct Setting {
  std::string_view name;
  long long value = 0;
  std::string_view label;

  constexpr Setting(std::string_view n, long long v) : name(n), value(v) {}
  constexpr Setting(std::string_view n, std::string_view l) : name(n), label(l) {}

  constexpr bool operator==(const Setting& other) const {
    return name == other.name && value == other.value && label == other.label;
  }
};

// Some of `settings`, sorted by name.
struct Range {
  std::size_t first;
  std::size_t count;
};

// The fastest configuration of one implementation for one problem, device and policy.
struct Entry {
  std::string_view operation;
  std::string_view implementation;
  std::string_view device;  // as the driver spells it
  std::string_view partition;
  int compute_capability;  // 10 * major + minor
  int sm_count;
  std::string_view policy;  // warm/graph
  Range problem;
  Range configuration;
  double median_us;
  double default_median_us;  // 0: not measured
};

inline constexpr std::array<Setting, 96> settings = {{
    Setting("batch", 1LL),
    Setting("boundary", std::string_view("zero")),
    Setting("flip", std::string_view("no")),
    Setting("length", 16777216LL),
    Setting("taps", 129LL),
    Setting("ARRANGEMENT", std::string_view("contiguous")),
    Setting("BLOCK", 64LL),
    Setting("FILTER", std::string_view("shared")),
    Setting("LOADING", std::string_view("cooperative")),
    Setting("OUTPUTS", 16LL),
    Setting("STATIC_TAPS", 1LL),
    Setting("UNROLL", 1LL),
    Setting("batch", 1LL),
    Setting("boundary", std::string_view("zero")),
    Setting("flip", std::string_view("no")),
    Setting("length", 16777216LL),
    Setting("taps", 9LL),
    Setting("ARRANGEMENT", std::string_view("contiguous")),
    Setting("BLOCK", 64LL),
    Setting("FILTER", std::string_view("shared")),
    Setting("LOADING", std::string_view("cache")),
    Setting("OUTPUTS", 8LL),
    Setting("STATIC_TAPS", 1LL),
    Setting("UNROLL", 1LL),
    Setting("K", 1023LL),
    Setting("M", 33LL),
    Setting("N", 4097LL),
    Setting("BLOCK_X", 32LL),
    Setting("BLOCK_Y", 1LL),
    Setting("K", 1023LL),
    Setting("M", 33LL),
    Setting("N", 4097LL),
    Setting("BLOCK_X", 8LL),
    Setting("BLOCK_Y", 16LL),
    Setting("COARSEN_X", 4LL),
    Setting("COARSEN_Y", 4LL),
    Setting("DOUBLE_BUFFER", 1LL),
    Setting("MIN_BLOCKS", 1LL),
    Setting("PADDING", 1LL),
    Setting("TILE_WIDTH", 32LL),
    Setting("UNROLL", 32LL),
    Setting("VECTOR", 2LL),
    Setting("K", 1024LL),
    Setting("M", 1024LL),
    Setting("N", 1024LL),
    Setting("BLOCK_X", 32LL),
    Setting("BLOCK_Y", 8LL),
    Setting("K", 1024LL),
    Setting("M", 1024LL),
    Setting("N", 1024LL),
    Setting("BLOCK_X", 16LL),
    Setting("BLOCK_Y", 8LL),
    Setting("COARSEN_X", 8LL),
    Setting("COARSEN_Y", 8LL),
    Setting("DOUBLE_BUFFER", 1LL),
    Setting("MIN_BLOCKS", 1LL),
    Setting("PADDING", 1LL),
    Setting("TILE_WIDTH", 16LL),
    Setting("UNROLL", 16LL),
    Setting("VECTOR", 4LL),
    Setting("K", 2000LL),
    Setting("M", 2000LL),
    Setting("N", 2000LL),
    Setting("BLOCK_X", 32LL),
    Setting("BLOCK_Y", 8LL),
    Setting("K", 2000LL),
    Setting("M", 2000LL),
    Setting("N", 2000LL),
    Setting("BLOCK_X", 32LL),
    Setting("BLOCK_Y", 8LL),
    Setting("COARSEN_X", 8LL),
    Setting("COARSEN_Y", 16LL),
    Setting("DOUBLE_BUFFER", 1LL),
    Setting("MIN_BLOCKS", 1LL),
    Setting("PADDING", 0LL),
    Setting("TILE_WIDTH", 16LL),
    Setting("UNROLL", 16LL),
    Setting("VECTOR", 4LL),
    Setting("K", 4096LL),
    Setting("M", 4096LL),
    Setting("N", 4096LL),
    Setting("BLOCK_X", 32LL),
    Setting("BLOCK_Y", 32LL),
    Setting("K", 4096LL),
    Setting("M", 4096LL),
    Setting("N", 4096LL),
    Setting("BLOCK_X", 32LL),
    Setting("BLOCK_Y", 8LL),
    Setting("COARSEN_X", 8LL),
    Setting("COARSEN_Y", 16LL),
    Setting("DOUBLE_BUFFER", 1LL),
    Setting("MIN_BLOCKS", 1LL),
    Setting("PADDING", 0LL),
    Setting("TILE_WIDTH", 16LL),
    Setting("UNROLL", 16LL),
    Setting("VECTOR", 4LL),
}};

inline constexpr std::array<Entry, 10> entries = {{
    Entry{"conv1d",
          "conv1d/halo",
          "NVIDIA H200",
          "",
          90,
          132,
          "cold/graph",
          {0, 5},
          {5, 7},
          98.53199869394302,
          583.9679837226868},
    Entry{"conv1d",
          "conv1d/halo",
          "NVIDIA H200",
          "",
          90,
          132,
          "cold/graph",
          {12, 5},
          {17, 7},
          37.06200048327446,
          93.84400025010109},
    Entry{"gemm",
          "gemm/naive",
          "NVIDIA H200",
          "",
          90,
          132,
          "cold/graph",
          {24, 3},
          {27, 2},
          79.54618063839999,
          87.10691061886874},
    Entry{"gemm",
          "gemm/tiled",
          "NVIDIA H200",
          "",
          90,
          132,
          "cold/graph",
          {29, 3},
          {32, 10},
          32.660362395373255,
          78.86836203661832},
    Entry{"gemm",
          "gemm/naive",
          "NVIDIA H200",
          "",
          90,
          132,
          "warm/graph",
          {42, 3},
          {45, 2},
          330.4160088300705,
          424.8479902744293},
    Entry{"gemm",
          "gemm/tiled",
          "NVIDIA H200",
          "",
          90,
          132,
          "warm/graph",
          {47, 3},
          {50, 10},
          61.31200194358826,
          280.5919945240021},
    Entry{"gemm",
          "gemm/naive",
          "NVIDIA H200",
          "",
          90,
          132,
          "cold/graph",
          {60, 3},
          {63, 2},
          2427.896022796631,
          2566.5841102600098},
    Entry{"gemm",
          "gemm/tiled",
          "NVIDIA H200",
          "",
          90,
          132,
          "cold/graph",
          {65, 3},
          {68, 10},
          381.19998574256897,
          1981.4239740371704},
    Entry{"gemm",
          "gemm/naive",
          "NVIDIA H200",
          "",
          90,
          132,
          "cold/graph",
          {78, 3},
          {81, 2},
          22913.21563720703,
          25496.12045288086},
    Entry{"gemm",
          "gemm/tiled",
          "NVIDIA H200",
          "",
          90,
          132,
          "cold/graph",
          {83, 3},
          {86, 10},
          3062.8159046173096,
          18404.97589111328},
}};

// Value of `name` in a range; `otherwise` if there is none, or it is a label.
constexpr long long value(const Range& range, std::string_view name, long long otherwise = 0) {
  for (std::size_t i = range.first; i < range.first + range.count; ++i)
    if (settings[i].name == name && settings[i].label.empty()) return settings[i].value;
  return otherwise;
}

// Label of `name` in a range; empty if there is none, or it is an integer.
constexpr std::string_view label(const Range& range, std::string_view name) {
  for (std::size_t i = range.first; i < range.first + range.count; ++i)
    if (settings[i].name == name) return settings[i].label;
  return {};
}

// Whether the entry's problem is exactly this one: every dimension and choice, in any order.
constexpr bool is_problem(const Entry& entry, std::initializer_list<Setting> problem) {
  if (entry.problem.count != problem.size()) return false;
  for (const Setting& wanted : problem) {
    bool found = false;
    for (std::size_t i = 0; i < entry.problem.count; ++i)
      if (settings[entry.problem.first + i] == wanted) found = true;
    if (!found) return false;
  }
  return true;
}

// The fastest entry for this very problem on the device of this name, whatever its
// implementation; nullptr if there is none. An empty policy and an sm_count of 0 match every one.
//   find("gemm", "NVIDIA H200", {{"M", 1024}, {"N", 1024}, {"K", 1024}})
constexpr const Entry* find(std::string_view operation, std::string_view device,
                            std::initializer_list<Setting> problem, std::string_view policy = {},
                            int sm_count = 0) {
  const Entry* best = nullptr;
  for (const Entry& entry : entries) {
    if (entry.operation != operation || entry.device != device) continue;
    if (!policy.empty() && entry.policy != policy) continue;
    if (sm_count != 0 && entry.sm_count != sm_count) continue;
    if (!is_problem(entry, problem)) continue;
    if (best == nullptr || entry.median_us < best->median_us) best = &entry;
  }
  return best;
}

}  // namespace tilewright_best

#endif  // TILEWRIGHT_BEST_HPP
