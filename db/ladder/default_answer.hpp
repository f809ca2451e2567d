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
  // the first. Nothing if none fits.
  const std::optional<LadderAnswer>& get();

  // Whether it is expected to be faster than another answer, and than a near one by far enough
  // (ladder::allowance). False if nobody knows.
  bool is_faster_than(const LadderAnswer& other);

 private:
  void find();

  const LadderQuestion& question_;
  bool is_known_ = false;
  double cycles_ = ladder::no_cost;
  std::optional<LadderAnswer> answer_;
};

}  // namespace tilewright
