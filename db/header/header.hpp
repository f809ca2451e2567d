#pragma once

#include <string>
#include <vector>

#include "db/store/store.hpp"
#include "definition/library/library.hpp"

namespace tilewright {

// An operation for which a header answers.
struct HeaderPart {
  Family family;                           // without snippets; all its implementations may answer
  std::vector<Snippet> snippets;           // that problems may name
  std::vector<BestRow> rows;               // for any problems and devices
  std::vector<PortableRow> portable = {};  // for any devices
  std::vector<KnownWrong> known_wrong = {};
};

// A C++17 header that needs only the standard library. It contains the rows as constexpr tables,
// the core of the ladder (db/ladder/core.hpp), and the definitions' defaults, classes and
// constraints as code. It answers as a catalog with these definitions and rows does. Equal rows in
// any order give equal bytes. Rows of routines are left out, because applications have the source
// of the kernels that a header names.
std::string export_header(std::vector<HeaderPart> parts);

}  // namespace tilewright
