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
  std::vector<Snippet> snippets;                       // of all folders
  std::vector<std::string> assignments;                // DIM=VALUE…, hooks by their labels

  const Operation& operation() const { return family->operation; }
};

// The family that "gemm", "gemm/tiled" or "FILE.toml" names. Throws InputError for an unknown name
// (it suggests the nearest), a bad manifest, or a folder.
Family find_family(const std::string& name, const Library& library);

// Chooses the implementation after the slash in `name`, or all of them. `family` may have snippets
// added since find_family(). Throws InputError if there is no implementation.
Target choose_target(Family family, const std::string& name);

// The files that define the operation and the implementations, as absolute paths. Texts without a
// file are left out.
std::vector<std::string> manifests_of(const Target& target);

// Parses a filter over the configurations. Throws InputError that begins with "where" if it does
// not parse, or if it uses a name that one of the implementations does not have.
Expression parse_where(const std::string& text, const Target& target);

}  // namespace tilewright
