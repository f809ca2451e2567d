#include "tuner/space/diagram.hpp"

#include <algorithm>
#include <random>
#include <unordered_set>
#include <utility>

namespace tilewright {
namespace {

constexpr std::uint32_t kDead = 0xFFFFFFFF;

// Unbiased, and equal on every platform, unlike std::uniform_int_distribution.
std::uint64_t below(std::uint64_t limit, std::mt19937_64& random) {
  const std::uint64_t rejected = (0 - limit) % limit;  // 2^64 mod limit
  std::uint64_t number = random();
  while (number < rejected) number = random();
  return number % limit;
}

constexpr std::uint32_t kEmpty = 0xFFFFFFFF;
constexpr std::size_t kFewestSlots = 64;

std::uint64_t hash_of(std::span<const std::int64_t> key) {
  std::uint64_t hash = key.size();
  for (const std::int64_t number : key) {
    hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 29;
  }
  return hash ^ (hash >> 32);
}

}  // namespace

Diagram::Diagram(std::vector<Level> levels) : levels_(std::move(levels)) {
  counts_.resize(levels_.size() + 1);
  counts_.back() = {1};
  std::vector<std::uint32_t> numbers = {0};  // by original node of the level below
  for (std::size_t i = levels_.size(); i-- > 0;) {
    std::vector<std::uint64_t> counts;
    for (Edge& edge : levels_[i].edges) edge.node = numbers[edge.node];
    reduce(levels_[i], numbers);
    for (std::size_t node = 0; node < levels_[i].ends.size(); ++node) {
      std::uint64_t count = 0;
      for (const Edge& edge : edges(i, static_cast<std::uint32_t>(node)))
        count += counts_[i + 1][edge.node];
      counts.push_back(count);
    }
    counts_[i] = std::move(counts);
  }
  size_ = counts_.front().empty() ? 0 : counts_.front().front();
}

// Drops edges to dead nodes, then nodes without edges, and merges nodes with the same edges. Sets
// `numbers` to each node's new number.
void Diagram::reduce(Level& level, std::vector<std::uint32_t>& numbers) {
  numbers.assign(level.ends.size(), kDead);
  Level reduced{level.weight, level.values, {}, {}};
  KeyTable known;
  std::vector<std::int64_t> key;
  std::size_t begin = 0;
  for (std::size_t node = 0; node < level.ends.size(); begin = level.ends[node++]) {
    key.clear();
    for (std::size_t i = begin; i < level.ends[node]; ++i) {
      const Edge& edge = level.edges[i];
      if (edge.node == kDead) continue;
      key.push_back(static_cast<std::int64_t>(edge.code));
      key.push_back(edge.node);
    }
    if (key.empty()) continue;
    const std::uint32_t before = known.size();
    numbers[node] = known.number_of(key);
    if (numbers[node] < before) continue;
    for (std::size_t i = begin; i < level.ends[node]; ++i)
      if (level.edges[i].node != kDead) reduced.edges.push_back(level.edges[i]);
    reduced.ends.push_back(reduced.edges.size());
  }
  reduced.edges.shrink_to_fit();
  reduced.ends.shrink_to_fit();
  level = std::move(reduced);
}

std::span<const Diagram::Edge> Diagram::edges(std::size_t level, std::uint32_t node) const {
  const Level& here = levels_[level];
  const std::size_t begin = node == 0 ? 0 : here.ends[node - 1];
  return {here.edges.data() + begin, here.ends[node] - begin};
}

std::size_t Diagram::bytes() const {
  std::size_t bytes = 0;
  for (const Level& level : levels_)
    bytes += level.edges.size() * sizeof(Edge) + level.ends.size() * sizeof(std::size_t);
  for (const auto& counts : counts_) bytes += counts.size() * sizeof(std::uint64_t);
  return bytes;
}

std::vector<Code> Diagram::codes() const {
  std::vector<Code> codes;
  codes.reserve(size_);
  if (size_ > 0) list(0, 0, 0, codes);
  if (!std::is_sorted(codes.begin(), codes.end())) std::sort(codes.begin(), codes.end());
  return codes;
}

void Diagram::list(std::size_t level, std::uint32_t node, Code code,
                   std::vector<Code>& codes) const {
  if (level == levels_.size()) {
    codes.push_back(code);
    return;
  }
  for (const Edge& edge : edges(level, node)) list(level + 1, edge.node, code + edge.code, codes);
}

bool Diagram::contains(Code code) const {
  std::uint32_t node = 0;
  for (std::size_t level = 0; level < levels_.size() && size_ > 0; ++level) {
    const Code wanted =
        code / levels_[level].weight % levels_[level].values * levels_[level].weight;
    const auto here = edges(level, node);
    const auto edge = std::ranges::find(here, wanted, &Edge::code);
    if (edge == here.end()) return false;
    node = edge->node;
  }
  return size_ > 0;
}

Code Diagram::at(std::uint64_t index) const {
  Code code = 0;
  std::uint32_t node = 0;
  for (std::size_t level = 0; level < levels_.size(); ++level)
    for (const Edge& edge : edges(level, node)) {
      const std::uint64_t count = counts_[level + 1][edge.node];
      if (index < count) {
        code += edge.code;
        node = edge.node;
        break;
      }
      index -= count;
    }
  return code;
}

// Floyd's algorithm: https://doi.org/10.1145/30401.315746.
std::vector<Code> Diagram::sample(std::size_t count, std::uint64_t seed) const {
  std::mt19937_64 random(seed);
  std::unordered_set<std::uint64_t> chosen;
  for (std::uint64_t i = size_ - count; i < size_; ++i)
    if (!chosen.insert(below(i + 1, random)).second) chosen.insert(i);
  std::vector<Code> codes;
  for (const std::uint64_t index : chosen) codes.push_back(at(index));
  std::sort(codes.begin(), codes.end());
  return codes;
}

std::span<const std::int64_t> KeyTable::key(std::uint32_t number) const {
  const std::size_t begin = number == 0 ? 0 : ends_[number - 1];
  return {numbers_.data() + begin, ends_[number] - begin};
}

std::uint32_t KeyTable::number_of(std::span<const std::int64_t> wanted) {
  if (2 * ends_.size() >= slots_.size()) grow();
  const std::uint64_t hash = hash_of(wanted);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != kEmpty; slot = (slot + 1) & mask)
    if (hashes_[slots_[slot]] == hash && std::ranges::equal(key(slots_[slot]), wanted))
      return slots_[slot];
  const std::uint32_t number = size();
  slots_[slot] = number;
  numbers_.insert(numbers_.end(), wanted.begin(), wanted.end());
  ends_.push_back(numbers_.size());
  hashes_.push_back(hash);
  return number;
}

void KeyTable::grow() {
  slots_.assign(std::max(kFewestSlots, 2 * slots_.size()), kEmpty);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t number = 0; number < size(); ++number) {
    std::size_t slot = hashes_[number] & mask;
    while (slots_[slot] != kEmpty) slot = (slot + 1) & mask;
    slots_[slot] = number;
  }
}

}  // namespace tilewright
