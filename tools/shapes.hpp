// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilewright::tools {

// A line of a file of problems: DIM=VALUE… between blanks; from `#` on it is a comment.
struct Shape {
  std::vector<std::string> assignments;
  std::string where;  // "FILE:LINE"
};

// In the file's order. Throws InputError where it cannot be read or has no problem.
std::vector<Shape> read_shapes(const std::filesystem::path& file);

}  // namespace tilewright::tools
