#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// For the end of a message about an unknown name: `; did you mean 'tiled'?` if a known name is
// similar, else `; known: naive, tiled` with at most so many of them. Empty if no name is known.
std::string suggestion(std::string_view unknown, const std::vector<std::string>& known,
                       std::size_t most = 20);

}  // namespace tilewright
