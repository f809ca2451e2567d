#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "definition/library/library.hpp"

namespace tilewright {

// What "gemm" or "gemm/tiled" means. Points into the library, which must outlive it.
struct ChosenOperation {
  const Operation* operation = nullptr;
  std::vector<const Implementation*> implementations;  // at least one
  std::shared_ptr<const Family> family = {};           // owns the definitions made for a snippet
};

// Throws InputError that suggests a similar known name.
ChosenOperation choose_operation(const Library& library, std::string_view name);
// The same for problems with the snippets that `values` names. Replaces these names by labels.
ChosenOperation choose_operation(const Library& library, std::string_view name, Settings& values);

}  // namespace tilewright
