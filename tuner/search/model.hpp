// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tuner/search/surrogate.hpp"

namespace tilewright {

// docs/search.md says how the values were chosen.
struct ModelOptions {
  std::size_t starts = 10;   // candidates unlike each other before the first prediction
  std::size_t pool = 4000;   // candidates that are judged
  std::size_t kept = 500;    // the most promising of them, judged again the next time
  std::size_t centres = 10;  // of the fastest known, whose neighbours are judged, too
  double growth = 0.25;      // share of new outcomes after which similarity is learned again
  SurrogateOptions surrogate = {};
};

// "starts=8:trees=25": names with their values, others as they are. Throws InputError.
ModelOptions model_options(const std::string& text);

// Proposes the candidate from which a surrogate expects the greatest gain. A candidate without an
// outcome yet counts as measured with its predicted time, so that several proposals at a time
// differ. One at a time, proposals depend only on the seed and the outcomes, whether those came
// from this strategy or an earlier one.
class ModelStrategy : public LearningStrategy {
 public:
  explicit ModelStrategy(SearchProblem problem, const ModelOptions& options = {});

 protected:
  std::size_t choose() override;
  void learn(const Known& known) override;

 private:
  bool is_ready() const;
  std::size_t unlike_all();
  std::size_t most_promising() const;
  std::vector<std::size_t> draw_pool();
  std::vector<std::size_t> judged_best() const;
  std::vector<std::size_t> around_fastest() const;

  ModelOptions options_;
  Neighbours neighbours_;
  Surrogate surrogate_;
  std::size_t next_lesson_ = 0;  // known().size() then
};

}  // namespace tilewright
