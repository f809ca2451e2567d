// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace tilewright {

// ladder.txt: what is the same in every header, with places for the rest, @DEVICES@, @FARTHEST@ and
// @PORTABLE@.
extern const std::string_view kHeaderLadder;

// portable.txt: its portable rung.
extern const std::string_view kHeaderPortable;

}  // namespace tilewright
