#pragma once

#include <string_view>

namespace tilewright {

// header.txt: the part that is the same in every header, with placeholders such as @DEVICES@.
extern const std::string_view kHeaderText;

// The sources of definition/expression/arithmetic.hpp and db/ladder/core.hpp.
extern const std::string_view kArithmeticSource;
extern const std::string_view kLadderCoreSource;

}  // namespace tilewright
