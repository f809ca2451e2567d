#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "bench/peers/cases/cases.hpp"
#include "definition/library/hook.hpp"
#include "definition/library/library.hpp"
#include "definition/problem.hpp"

namespace tilewright::bench {

// The operation and the problem of a case, with the definitions of the source tree.
inline std::pair<Operation, Problem> defined(const Case& item) {
  static const Library library = Library::load({TILEWRIGHT_SOURCE_DIR "/kernel_templates"});
  Settings values = item.problem;
  const Family family = with_snippets(library.family(item.operation), values, library.snippets());
  return {family.operation, make_problem(family.operation, values, Device{})};
}

inline Problem problem_of(const Case& item) {
  return defined(item).second;
}

// The test fails if there is none.
inline Case case_named(const std::string& name) {
  for (const Case& item : cases())
    if (item.name == name) return item;
  ADD_FAILURE() << "no case " << name;
  return {};
}

}  // namespace tilewright::bench
