// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

// What a gzip file holds, as far as it goes: a file that ends early or is damaged gives what came
// before. Anything that is not gzip comes back as it is.
struct Unpacked {
  std::string text;
  bool is_complete = true;
};
Unpacked gunzip(std::string_view bytes);

}  // namespace tilewright
