// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "tilewright/operand.hpp"

namespace tilewright {

// An operation's operands and then those of a snippet; without a snippet nothing is allocated.
template <std::size_t Count>
class OperandList {
 public:
  OperandList(const std::array<Operand, Count>& own, std::span<const Operand> snippet) : own_(own) {
    if (snippet.empty()) return;
    joined_.assign(own_.begin(), own_.end());
    joined_.insert(joined_.end(), snippet.begin(), snippet.end());
  }

  std::span<const Operand> all() const {
    return joined_.empty() ? std::span<const Operand>(own_) : std::span<const Operand>(joined_);
  }

 private:
  std::array<Operand, Count> own_;
  std::vector<Operand> joined_;
};

}  // namespace tilewright
