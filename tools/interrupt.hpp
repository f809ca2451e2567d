// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>

namespace tilewright::tools {

// While it lives, the first SIGINT or SIGTERM sets stop(), and tells the user that the running
// trial is finished first where there is one; the second ends the program at once with status
// 130. One object at a time.
class InterruptGuard {
 public:
  enum class During { wait, trials };
  explicit InterruptGuard(During during);
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  const std::atomic<bool>& stop() const;
};

}  // namespace tilewright::tools
