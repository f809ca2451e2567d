// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/definition/definition.hpp"
#include "tuner/search/grid.hpp"
#include "tuner/space/space.hpp"

namespace tilewright {

// One legal configuration of one implementation.
struct Candidate {
  const Implementation* implementation = nullptr;
  Configuration configuration;

  bool is_default() const { return configuration == default_configuration(*implementation); }
};

// The legal configurations of several implementations as one numbered list.
class Candidates {
 public:
  void add(const Implementation& implementation, const Space& space);

  std::size_t size() const { return list_.size(); }
  const Candidate& operator[](std::size_t i) const { return list_[i]; }
  std::optional<std::size_t> find(const std::string& implementation,
                                  const Configuration& configuration) const;

  // Defaults of all implementations, then their seeds, as far as they are legal.
  std::vector<std::size_t> worth_trying_first() const;

  // What a strategy sees of them.
  SearchGrid grid() const;

 private:
  std::vector<Candidate> list_;
  std::vector<const Implementation*> implementations_;
  std::map<std::pair<std::string, Configuration>, std::size_t> index_;
};

}  // namespace tilewright
