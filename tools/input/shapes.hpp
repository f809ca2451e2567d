// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "db/store/store.hpp"
#include "definition/definition.hpp"

namespace tilewright::tools {

// A line of a file of problems: DIM=VALUE… between blanks; from `#` on it is a comment.
struct Shape {
  std::vector<std::string> assignments;
  std::string where;  // "FILE:LINE", or "wanted"
};

// In the file's order. Throws InputError where it cannot be read or has no problem.
std::vector<Shape> read_shapes(const std::filesystem::path& file);

// Problems of the operation that Store::wanted() lists, once each.
std::vector<Shape> wanted_shapes(const Store& store, const Operation& operation);

}  // namespace tilewright::tools
