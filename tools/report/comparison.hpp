#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "db/store/store.hpp"
#include "definition/library/library.hpp"

namespace tilewright::tools {

// The stored answers of these operations, and how their winners do elsewhere:
//   subjects  the winner of each problem, device and policy
//   ratios    [a, b, ratio]: the configuration of subject a takes `ratio` times as long as the
//             winner of subject b, if it is measured there. The two are of one operation and differ
//             either in the device (and perhaps the policy) or in the problem alone.
// Of more than kMostSubjects subjects the first are shown; "left_out" counts the others.
inline constexpr std::size_t kMostSubjects = 400;
nlohmann::json comparison_of(const Store& store, const std::vector<std::string>& operations,
                             const Library& library);

}  // namespace tilewright::tools
