// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tilewright {

// A combination as one number: the places of its parameters' values as the digits of a
// mixed-radix number, the first parameter's weighing most. Ascending codes are the manifest's
// order.
using Code = std::uint64_t;

// A set of combinations as a decision diagram: prefixes with the same continuations share a node,
// so its size is that of the rules' structure and not that of the set (Lee, 1959; Srinivasan et
// al., "Algorithms for discrete function manipulation", 1990). Immutable.
class Diagram {
 public:
  struct Edge {
    Code code = 0;  // what taking it adds to the combination's code: place × the level's weight
    std::uint32_t node = 0;
  };

  // One level of the diagram: edges of node i are those from ends[i - 1] to ends[i].
  struct Level {
    Code weight = 1;         // of one place of its parameter in a code
    std::size_t values = 1;  // of its parameter
    std::vector<Edge> edges;
    std::vector<std::size_t> ends;
  };

  // The first level has one node; edges of the last lead to node 0. Nodes from which nothing
  // reaches the end may be there: they are left out, and equal ones made one. The number of
  // combinations must fit into 64 bits.
  explicit Diagram(std::vector<Level> levels);

  std::uint64_t size() const { return size_; }
  std::size_t bytes() const;

  // All, ascending.
  std::vector<Code> codes() const;
  bool contains(Code code) const;
  // `count` different ones (at most size()), each set equally likely, ascending. The same seed
  // gives the same.
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

}  // namespace tilewright
