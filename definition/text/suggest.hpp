// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

// `; did you mean 'tiled'?` if a known name is near enough to be meant, else
// `; known: naive, tiled`, else nothing. For the end of a message about an unknown name.
std::string suggestion(std::string_view unknown, const std::vector<std::string>& known);

}  // namespace tilewright
