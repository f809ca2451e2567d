#pragma once

#include <memory>
#include <optional>
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

// A manifest on the command line: FILE.toml, FILE.toml/OPERATION,
// FILE.toml/OPERATION/IMPLEMENTATION, or FILE.toml/IMPLEMENTATION where the file has one operation.
struct NamedFile {
  std::string file;
  std::string operation = {};  // or an implementation
  std::string implementation = {};
};
// Nothing if it names no file.
std::optional<NamedFile> file_in(const std::string& name);

// The family that "gemm", "gemm/tiled" or a manifest names. Throws InputError for an unknown name
// (it suggests the nearest), a bad manifest, a manifest of several operations, or a folder.
Family find_family(const std::string& name, const Library& library);

// Chooses the implementation after the slash in `name`, or all of them. `family` may have snippets
// added since find_family(). Throws InputError if there is no implementation.
Target choose_target(Family family, const std::string& name);

// The files that define the operation and the implementations, as absolute paths. Texts without a
// file are left out.
std::vector<std::string> manifests_of(const Target& target);

// A filter over the configurations of the implementations that have all its names.
struct Where {
  Expression rule;
  std::vector<const Implementation*> implementations;  // of the target
  // "where names TILE, which scale/plain does not have: it is left out". Empty: all are there.
  std::string left_out;
};

// Throws InputError that begins with "where" if the text does not parse, if no implementation of
// the target has all its names, or if for each of those that have them a label is out of place.
Where parse_where(const std::string& text, const Target& target);

}  // namespace tilewright
