#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// For the end of a message about an unknown name: `; did you mean 'tiled'?` if a known name is
// similar, else `; known: naive, tiled`. Empty if no name is known.
std::string suggestion(std::string_view unknown, const std::vector<std::string>& known);

}  // namespace tilewright
