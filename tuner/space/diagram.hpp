#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tilewright {

// A combination as one mixed-radix number. Its digits are the places of the parameters' values, the
// first parameter's being the most significant. Ascending codes are in the manifest's order.
using Code = std::uint64_t;

// A set of combinations as a decision diagram. Prefixes with the same continuations share a node,
// so its size depends on the structure of the rules and not on the size of the set (Lee, 1959;
// Srinivasan et al., "Algorithms for discrete function manipulation", 1990). Immutable.
class Diagram {
 public:
  struct Edge {
    Code code = 0;  // adds this to the combination's code: place × the level's weight
    std::uint32_t node = 0;
  };

  // One level of the diagram. The edges of node i are those from ends[i - 1] to ends[i].
  struct Level {
    Code weight = 1;         // of its parameter's digit in a code
    std::size_t values = 1;  // of its parameter
    std::vector<Edge> edges;
    std::vector<std::size_t> ends;
  };

  // The first level must have one node, and edges of the last must lead to node 0. Nodes that do
  // not reach the end are removed, and equal nodes are merged. The number of combinations must fit
  // into 64 bits.
  explicit Diagram(std::vector<Level> levels);

  std::uint64_t size() const { return size_; }
  std::size_t bytes() const;

  // All codes, ascending.
  std::vector<Code> codes() const;
  bool contains(Code code) const;
  // `count` different codes (at most size()), ascending. Every such set is equally likely. The same
  // seed gives the same set.
  std::vector<Code> sample(std::size_t count, std::uint64_t seed) const;

 private:
  static void reduce(Level& level, std::vector<std::uint32_t>& numbers);
  void list(std::size_t level, std::uint32_t node, Code code, std::vector<Code>& codes) const;
  Code at(std::uint64_t index) const;
  std::span<const Edge> edges(std::size_t level, std::uint32_t node) const;

  std::vector<Level> levels_;
  std::vector<std::vector<std::uint64_t>> counts_;  // of completions, by level and node
  std::uint64_t size_ = 1;
};

// Gives each distinct sequence of numbers an index, in the order of arrival.
class KeyTable {
 public:
  // The key's index; a new key gets the old size(). At most 2^32 - 2 keys.
  std::uint32_t number_of(std::span<const std::int64_t> key);
  std::uint32_t size() const { return static_cast<std::uint32_t>(ends_.size()); }
  std::size_t numbers() const { return numbers_.size(); }  // of all keys together

 private:
  std::span<const std::int64_t> key(std::uint32_t number) const;
  void grow();

  std::vector<std::int64_t> numbers_;  // the keys, one after the other
  std::vector<std::size_t> ends_;      // by key, in numbers_
  std::vector<std::uint64_t> hashes_;  // by key
  std::vector<std::uint32_t> slots_;   // open addressing; a power of two
};

}  // namespace tilewright
