#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "campaign/target.hpp"
#include "definition/library/library.hpp"
#include "definition/problem.hpp"
#include "tools/input/paths.hpp"

namespace tilewright::tools {

// All definitions that the options and the environment name.
Library load_library(const Places& places);
// With the manifests of stored sweeps that define these operations or OPERATION/IMPLEMENTATION, as
// far as the library does not and the files are still there. Throws InputError for such a file that
// is no longer right.
Library load_library(const Places& places, const std::set<std::string>& names);

// The same, for commands that only print stored names: without the definitions that cannot be read,
// and with a warning.
Library library_for_names(const Places& places, const std::set<std::string>& names = {});

// Throws InputError unless the library or the store, whose operations are `stored`, knows the
// operation, and the library the implementation that the name has.
void require_name(const std::string& name, const Library& library,
                  const std::set<std::string>& stored);

// The files of the manifests that load_library() adds for these names: those of stored sweeps.
std::set<std::filesystem::path> stored_manifests(const Places& places,
                                                 const std::set<std::string>& names);

// Reads OPERATION[/IMPLEMENTATION]|FILE.toml and DIM=VALUE…. Throws InputError
// if nothing is named, for an unknown name (naming the nearest known one) and for a bad manifest.
Target read_target(const std::vector<std::string>& words, const Library& library);
// What the places do not define may be defined by the manifest of a stored sweep. Implementations
// that lack a name of `where`, the value of --where, are left out, which a line on standard error
// says.
Target read_target(const std::vector<std::string>& words, const Places& places,
                   const std::string& where = "");

// The manifests, sources and snippets of a target.
std::vector<std::filesystem::path> files_of(const Target& target);

// Of "M=N=5": M and N.
std::vector<std::string> names_in(const std::string& assignment);

// The words for each operation of a file that has several and of which none is named. Each has the
// assignments that its operation knows. Otherwise the words themselves.
std::vector<std::vector<std::string>> by_operation(const std::vector<std::string>& words,
                                                   const Places& places);

// The target with further assignments and the snippets that they name. Throws InputError.
Target with_assignments(const Target& target, const std::vector<std::string>& more);

// The family with the snippets that `values` names. Throws InputError if one is not in `snippets`.
std::shared_ptr<const Family> family_with(const std::shared_ptr<const Family>& family,
                                          Settings values, const std::vector<Snippet>& snippets);

// The value of --where; none if it is empty. Throws InputError as parse_where() does.
std::optional<Expression> read_where(const std::string& where, const Target& target);

}  // namespace tilewright::tools
