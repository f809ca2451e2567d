#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "tuner/search/strategy.hpp"
#include "tuner/sweep/candidates.hpp"
#include "tuner/sweep/request.hpp"

namespace tilewright {

// The strategy of a sweep, which knows the request's priors and suggestions.
std::unique_ptr<Strategy> make_search(const SweepRequest& request, const Candidates& candidates);

// What a sweep of those spaces compiles before it has measured anything: the reference and what
// else the device needs, then the first candidates, at most `most`.
std::vector<CompileRequest> first_compiles(const SweepRequest& request,
                                           const std::vector<Space>& spaces, std::size_t most);

}  // namespace tilewright
