#pragma once

#include <optional>

#include "db/ladder/ladder.hpp"

namespace tilewright {

// What answers where nothing is measured, worked out when it is first asked for. The question must
// outlive it.
class DefaultAnswer {
 public:
  explicit DefaultAnswer(const LadderQuestion& question) : question_(question) {}

  // Of the general configurations that fit, the one with the least expected cycles; of equal ones
  // the first. It gives way to one that is_ready (LadderQuestion). If none fits, the first default
  // that does, as it is: nothing in it follows the problem. Nothing if none fits either.
  const std::optional<LadderAnswer>& get();

  // Whether it is expected to be faster than the share of what others take. False if nobody knows.
  bool is_faster_than(double share, const Implementation& implementation,
                      const Configuration& configuration);

 private:
  void find();
  bool find_expected();

  const LadderQuestion& question_;
  bool is_known_ = false;
  double cycles_ = ladder::no_cost;
  std::optional<LadderAnswer> answer_;
};

}  // namespace tilewright
