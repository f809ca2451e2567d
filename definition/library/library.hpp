#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "definition/manifest/manifest.hpp"
#include "tilewright/policy.hpp"

namespace tilewright {

// An operation with its implementations, sorted by name.
struct Family {
  Operation operation;
  std::vector<Implementation> implementations;

  // Throws InputError that suggests a similar name.
  const Implementation& implementation(std::string_view name) const;
};

using Families = std::map<std::string, Family, std::less<>>;

// Definitions that were read from folders and files. Immutable; safe to read from many threads.
class Library {
 public:
  // Reads every FOLDER/OPERATION/operation.toml, FOLDER/OPERATION/IMPLEMENTATION/*.toml and
  // FOLDER/snippets/*.toml. Ignores folders without manifests, such as `common`. An implementation
  // may be in another of the folders than its operation. Throws InputError: unreadable folder,
  // malformed manifest, an implementation without its operation, a duplicate name. Then reads
  // single manifests: operations, implementations of operations that are already known, snippets.
  // Throws InputError, also if a file defines something again.
  static Library load(const std::vector<std::filesystem::path>& folders,
                      const std::vector<std::filesystem::path>& manifests = {},
                      Libraries libraries = Libraries::on);

  // The definitions of these manifests. Throws InputError as load().
  static Library of(std::vector<Manifest> manifests);

  // Throws InputError that suggests a similar name.
  const Family& family(std::string_view operation) const;
  const Families& families() const { return families_; }
  const std::vector<Snippet>& snippets() const { return snippets_; }

  // Takes routines out of a family, if load() was told to.
  void leave_out(Family& family) const;

 private:
  void add(const std::filesystem::path& file);

  Families families_;
  std::vector<Snippet> snippets_;
  Libraries libraries_ = Libraries::on;
};

// A user's own kernels: a manifest with implementations, and with their operations unless these are
// in `library`. One family for each operation that has implementations there, in the file's order,
// and with only those. Throws InputError, also if another file of the library has an operation or
// implementation with the same name.
std::vector<Family> load_families(const std::filesystem::path& file, const Library& library);

// The only one of them, or the one of this operation. Throws InputError that lists them.
Family load_manifest(const std::filesystem::path& file, const Library& library,
                     const std::string& operation = {});

}  // namespace tilewright
