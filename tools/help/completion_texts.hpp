#pragma once

#include <string_view>

namespace tilewright {

// The scripts of `tilewright completion`.
extern const std::string_view kCompletionBash;
extern const std::string_view kCompletionZsh;
extern const std::string_view kCompletionFish;

}  // namespace tilewright
