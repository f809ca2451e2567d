#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

namespace tilewright {

// How a connection waits for the locks of other processes.
struct Patience {
  std::chrono::milliseconds limit;
  std::chrono::steady_clock::time_point since;
  std::uint32_t jitter;
  std::chrono::steady_clock::time_point last_transaction_end = {};

  // SQLite's busy handler. Processes that wait together must not retry together, so each pause
  // is between half of its bound and the bound.
  static int wait(void* self, int attempt) {
    auto& patience = *static_cast<Patience*>(self);
    const auto now = std::chrono::steady_clock::now();
    if (attempt == 0) patience.since = now;
    if (now - patience.since >= patience.limit) return 0;
    patience.jitter = patience.jitter * 1664525U + 1013904223U;
    const std::uint32_t bound_us = 1000U << std::min(attempt / 2, 3);
    const std::uint32_t pause_us = bound_us / 2 + (patience.jitter >> 8) % (bound_us / 2);
    std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
    return 1;
  }

  // Waiting processes try the lock every few milliseconds. A process that begins its next
  // transaction at once would always take the lock before them.
  void let_others_in() const {
    constexpr std::chrono::milliseconds kOpenFor{1};
    std::this_thread::sleep_until(last_transaction_end + kOpenFor);
  }
};

}  // namespace tilewright
