// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "definition/library/library.hpp"

namespace tilewright {

// The definitions that a command or a sweep is about.
struct Target {
  std::shared_ptr<const Family> family;
  std::vector<const Implementation*> implementations;  // the chosen ones, into `family`
  std::vector<Snippet> snippets;                       // all that the folders have
  std::vector<std::string> assignments;                // DIM=VALUE…, hooks by their labels

  const Operation& operation() const { return family->operation; }
};

// What "gemm", "gemm/tiled" or "FILE.toml" names. Throws InputError: an unknown name (the nearest
// is named), a bad manifest, a folder.
Family find_family(const std::string& name, const Library& library);

// The implementation that the name has after the slash, else all; `family` may have got snippets
// since. Throws InputError where there is none.
Target choose_target(Family family, const std::string& name);

// The text of a filter over the configurations. Throws InputError that begins with "where": it does
// not parse, or uses a name that one of the implementations has not.
Expression parse_where(const std::string& text, const Target& target);

}  // namespace tilewright
