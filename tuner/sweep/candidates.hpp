#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "definition/definition.hpp"
#include "tuner/search/strategy.hpp"
#include "tuner/space/space.hpp"
#include "tuner/sweep/request.hpp"

namespace tilewright {

// One legal configuration of one implementation.
struct Candidate {
  const Implementation* implementation = nullptr;
  Configuration configuration;

  bool is_default() const { return configuration == default_configuration(*implementation); }
};

// The legal configurations of several implementations as one numbered list. The implementations
// must outlive it. A configuration is built at each access.
class Candidates {
 public:
  // `first` are tried soon after the seeds.
  void add(const Implementation& implementation, Configurations configurations,
           std::vector<Configuration> first = {});

  std::size_t size() const { return size_; }
  Candidate operator[](std::size_t i) const;
  std::optional<std::size_t> find(const std::string& implementation,
                                  const Configuration& configuration) const;

  // The defaults of all implementations, then their seeds for the problem and what was added as the
  // first; only legal ones. One that `where` rules out gives way to the nearest candidate
  // (Configurations::nearest) that differs only in parameters that `where` names, and in those with
  // `active` or `follows`.
  std::vector<std::size_t> worth_trying_first(const Problem& problem, const Device& device,
                                              const std::optional<Expression>& where) const;

  // The candidates as a strategy sees them.
  SearchGrid grid() const;

  // By candidate: the cycles that the manifests' formulas expect, or 0. Empty if all are 0.
  std::vector<double> expected(const Problem& problem, const Device& device) const;

 private:
  struct Part {
    const Implementation* implementation = nullptr;
    Configurations configurations;
    std::size_t first = 0;  // number of its first candidate
    std::vector<Configuration> tried_first = {};
  };

  std::vector<Part> parts_;
  std::size_t size_ = 0;
};

// The strategy of a sweep, which knows the request's priors and suggestions. The defaults come
// first, then the seeds, those of least expected cost first. Seeds and suggestions that are
// expected to cost over 3 times as much as the least of all these are left out, and so are defaults
// over 1000 times.
std::unique_ptr<Strategy> make_search(const SweepRequest& request, const Candidates& candidates);

}  // namespace tilewright
