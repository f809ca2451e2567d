// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "db/store/store.hpp"
#include "definition/library/library.hpp"

namespace tilewright {

// An operation for which a header is to answer.
struct HeaderPart {
  Family family;                  // without snippets; its implementations are those that may answer
  std::vector<Snippet> snippets;  // that its problems may name
  std::vector<BestRow> rows;      // of any problems and devices
  std::vector<PortableRow> portable = {};  // of any devices
};

// A C++17 header that needs nothing but the standard library: the rows as constexpr tables, the
// core of the ladder (db/ladder/core.hpp) as it is, and the definitions' defaults, classes and
// constraints as code. It answers as the catalog does that has these definitions and rows. Equal
// rows in any order give equal bytes.
std::string export_header(const std::vector<HeaderPart>& parts);

}  // namespace tilewright
