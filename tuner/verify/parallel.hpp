// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

namespace tilewright {

// Calls `work(first, last)` for ranges that cover [0, count) without overlap, on all cores, each
// range at most `grain` long. Returns when all are done. If calls throw, one of the exceptions
// is rethrown and ranges that no core has begun are left out. `work` must not depend on the order.
void parallel_ranges(std::int64_t count, std::int64_t grain,
                     const std::function<void(std::int64_t first, std::int64_t last)>& work);

}  // namespace tilewright
