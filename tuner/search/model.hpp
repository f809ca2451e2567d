// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tuner/search/features.hpp"
#include "tuner/search/forest.hpp"
#include "tuner/search/ledger.hpp"

namespace tilewright {

// docs/search.md says how the values were chosen.
struct ModelOptions {
  std::size_t starts = 8;    // random candidates before the first forest
  std::size_t pool = 4000;   // candidates that a forest judges
  std::size_t kept = 500;    // the best of them, judged again by the next forest
  std::size_t centres = 10;  // of the fastest known, whose neighbours are judged, too
  double exploration = 1;    // mean weight of a prediction's deviation
  double detour = 0.2;       // share of proposals that have some level, the rest as hoped
  double probe = 0.2;        // share of proposals that change one parameter of the fastest known
  double refit = 0.06;       // share of new outcomes after which a new forest is grown
  ForestOptions forest = {};
};

// "starts=8:trees=25": names with their values, others as they are. Throws InputError.
ModelOptions model_options(const std::string& text);

// Predicts the time of candidates from the known ones and proposes what may be the fastest. What
// "may" means is drawn anew for each proposal, so that several at a time differ.
class ModelStrategy : public LearningStrategy {
 public:
  explicit ModelStrategy(SearchProblem problem, const ModelOptions& options = {});

 protected:
  std::size_t choose() override;

 private:
  struct Judged {
    std::size_t candidate = 0;
    Prediction prediction;
  };

  std::size_t most_hopeful(const std::vector<Judged>& judged, float weight) const;
  std::size_t probe(float weight);
  std::size_t detour(float weight);
  Prediction predict(std::size_t candidate) const;
  bool is_outdated() const;
  void judge_pool();
  std::vector<std::size_t> draw_pool();
  std::vector<std::size_t> fastest_known() const;

  ModelOptions options_;
  Features features_;
  Neighbours neighbours_;
  std::vector<Judged> judged_;
  Forest forest_;
  std::size_t fitted_at_ = 0;  // known().size() then
};

// The known outcomes as a model learns them: costs over the best. A failure counts like the
// slowest.
Examples examples_of(const std::vector<Known>& known, const Features& features);

}  // namespace tilewright
