#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "definition/definition.hpp"

namespace tilewright {

// The content of one manifest. docs/manifest*.md are the specification.
struct Manifest {
  std::vector<Operation> operations;
  std::vector<Implementation> implementations;
  std::optional<Snippet> snippet;  // alone in its file

  // Null if the file does not define it.
  const Operation* find(const std::string& name) const;
};

// Reads NAME.toml, and NAME.fit.toml beside it if that exists. Throws InputError with
// file:line:column for anything that is not in the specification. For an unknown key it suggests a
// similar one.
Manifest read_manifest(const std::filesystem::path& file);

// NAME.fit.toml for NAME.toml.
std::filesystem::path fitted_file(const std::filesystem::path& manifest);
bool is_fitted_file(const std::filesystem::path& file);

// The text of a manifest without its folder. The files that it names need not exist.
struct ManifestText {
  std::string name;  // for messages: "blocked.toml"
  std::string text;
  std::string fitted = {};  // of fitted_file(); empty: there is none
};
Manifest read_manifest(const ManifestText& manifest);
// Throws InputError if a file cannot be read.
ManifestText read_manifest_text(const std::filesystem::path& file);

// Checks what needs both definitions: every name in an expression or a launch exists in
// `operation`, the implementation or `device.*`, and the default configuration satisfies the
// constraints that depend only on parameters. Throws InputError.
void check_against(const Implementation& implementation, const Operation& operation);

// Gives the expressions of checked definitions what settings do not hold: the value of a choice or
// parameter that they omit, and the bytes of an argument's elements. Does nothing to expressions
// that have it already.
void bind(Operation& operation);
// REQUIRES a bound operation. Prepares the general configurations too.
void bind(Implementation& implementation, const Operation& operation);
// The expression, which may use the names of both.
Expression bound(const Expression& expression, const Implementation& implementation,
                 const Operation& operation);

// Checks the implementation against its operation and binds its expressions to it.
void link(Implementation& implementation, const Operation& operation);

}  // namespace tilewright
