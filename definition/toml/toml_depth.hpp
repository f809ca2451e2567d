#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "definition/toml/toml_file.hpp"

namespace tilewright {

// The library that parses TOML calls itself once a level, and so do we. So what nests deeper is
// refused before it is parsed.
inline constexpr std::size_t kDeepestToml = 100;

// Where a text first nests deeper than kDeepestToml, by up to two levels too early; nothing if it
// never does. Each part of a dotted key, each array and each inline table is a level. In text that
// is not TOML, what follows the first mistake does not count.
std::optional<TomlPosition> too_deep_place(std::string_view text);

}  // namespace tilewright
