#pragma once

#include <cerrno>
#include <cstdint>
#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "tilewright/error.hpp"

namespace tilewright {

// What a MachineError says where the system refuses a further thread or process.
inline constexpr const char* kNoMoreThreads =
    "the system allows no further thread or process; end others, or raise their limit (`ulimit "
    "-u`)";

// Why the system has not started a process, by the error of fork() or posix_spawn().
inline std::string why_not_started(int error) {
  return error == EAGAIN ? kNoMoreThreads : std::generic_category().message(error);
}

// A thread that does `work`, which may take a std::stop_token. Throws MachineError if the system
// refuses it.
template <class Work>
std::jthread start_thread(Work work) {
  try {
    return std::jthread(std::move(work));
  } catch (const std::system_error&) {
    throw MachineError(kNoMoreThreads);
  }
}

// Calls `work(first, last)` on so many threads (0: one for each core), or on as many as the system
// allows, for ranges of at most `grain` that cover [0, count) without overlap. Returns when all are
// done. `work` must not depend on their order. If calls throw, ranges that have not begun are
// skipped, and one of the exceptions is rethrown.
void parallel_ranges(std::int64_t count, std::int64_t grain,
                     const std::function<void(std::int64_t first, std::int64_t last)>& work,
                     std::int64_t threads = 0);

}  // namespace tilewright
