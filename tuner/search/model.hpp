#pragma once

#include <string>

#include "tuner/search/surrogate.hpp"

namespace tilewright {

// docs/benchmarks/search.md explains how the values were chosen; draws and turns are judgements.
struct ModelOptions {
  std::size_t starts = 10;   // dissimilar candidates before the first prediction
  std::size_t pool = 4000;   // candidates with predictions
  std::size_t kept = 500;    // the most promising of them, which stay in the next pool
  std::size_t centres = 10;  // fastest known candidates, whose neighbours are in the pool
  std::size_t draws = 4;     // of as many random candidates the one with the least expected cost
  std::size_t turns = 5;     // every so many proposals another implementation's turn comes, if one
                             // is not far behind the fastest
  double growth = 0.25;      // share of new outcomes after which to learn similarity again
  SurrogateOptions surrogate = {};
};

// Reads "starts=8:trees=25"; other options keep their defaults. Throws InputError.
ModelOptions model_options(const std::string& text);

// Proposes the candidate with the greatest expected gain. A proposed candidate without an outcome
// counts as measured with its predicted time, so that several proposals at a time differ. If there
// is one proposal at a time, proposals depend only on the seed and the outcomes, also those of an
// earlier strategy object.
class ModelStrategy : public Strategy {
 public:
  explicit ModelStrategy(SearchProblem problem, const ModelOptions& options = {});

 protected:
  std::size_t choose() override;
  void learn(const Known& known) override;

 private:
  bool is_ready() const;
  std::size_t drawn();
  std::size_t unlike_all();
  std::vector<bool> rivals() const;
  std::size_t most_promising(const std::vector<bool>& rivals) const;
  std::vector<std::size_t> draw_pool();
  std::vector<std::size_t> judged_best() const;
  std::vector<std::size_t> around_fastest() const;

  ModelOptions options_;
  Neighbours neighbours_;
  Surrogate surrogate_;
  std::size_t next_lesson_ = 0;  // at this known().size()
};

}  // namespace tilewright
