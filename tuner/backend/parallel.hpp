#pragma once

#include <cstdint>
#include <functional>

namespace tilewright {

// Calls `work(first, last)` on so many threads (0: one for each core), for ranges of at most
// `grain` that cover [0, count) without overlap. Returns when all are done. `work` must not depend
// on their order. If calls throw, ranges that have not begun are skipped, and one of the exceptions
// is rethrown.
void parallel_ranges(std::int64_t count, std::int64_t grain,
                     const std::function<void(std::int64_t first, std::int64_t last)>& work,
                     std::int64_t threads = 0);

}  // namespace tilewright
