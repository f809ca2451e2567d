// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace tilewright {

// header.txt: what is the same in every header, with places for the rest: @DEVICES@, @ARITHMETIC@
// and @CORE@.
extern const std::string_view kHeaderText;

// The sources of definition/expression/arithmetic.hpp and db/ladder/core.hpp, which this program
// was compiled from too.
extern const std::string_view kArithmeticSource;
extern const std::string_view kLadderCoreSource;

}  // namespace tilewright
