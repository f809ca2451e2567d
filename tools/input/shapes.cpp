// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/input/shapes.hpp"

#include <fmt/format.h>

#include <iterator>
#include <sstream>

#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"

namespace tilewright::tools {

std::vector<Shape> read_shapes(const std::filesystem::path& file) {
  std::istringstream lines(read_text_file(file));
  std::vector<Shape> shapes;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::vector<std::string> assignments{std::istream_iterator<std::string>(words), {}};
    if (assignments.empty()) continue;
    shapes.push_back({std::move(assignments), fmt::format("{}:{}", file.string(), number)});
  }
  if (shapes.empty())
    throw InputError(fmt::format("{} has no problem; give one a line, such as M=512 N=512 K=512",
                                 file.string()));
  return shapes;
}

std::vector<Shape> wanted_shapes(const Store& store, const Operation& operation) {
  std::vector<Shape> shapes;
  for (const Wanted& wanted : store.wanted(operation.name)) {
    Shape shape{{}, "wanted"};
    for (const auto& [name, value] : wanted.subject.problem.values)
      shape.assignments.push_back(name + '=' + to_text(value));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace tilewright::tools
