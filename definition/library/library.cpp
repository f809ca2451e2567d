#include "definition/library/library.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "definition/library/hook.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using Path = std::filesystem::path;
using Families = std::map<std::string, Family, std::less<>>;

// Sorted, so that the order and the messages are the same on every machine.
std::vector<Path> entries_of(const Path& folder) {
  std::error_code error;
  std::vector<Path> entries;
  for (auto it = std::filesystem::directory_iterator(folder, error);
       !error && it != std::filesystem::directory_iterator(); it.increment(error))
    entries.push_back(it->path());
  if (error)
    throw InputError(fmt::format("{}: cannot be read as a folder of kernels: {}", folder.string(),
                                 error.message()));
  std::sort(entries.begin(), entries.end());
  return entries;
}

void add_manifests(const Path& folder, std::vector<Path>& manifests) {
  for (const Path& file : entries_of(folder))
    if (file.extension() == ".toml") manifests.push_back(file);
}

// FOLDER/OPERATION/operation.toml, FOLDER/OPERATION/IMPLEMENTATION/*.toml, FOLDER/snippets/*.toml.
std::vector<Path> manifests_below(const Path& folder) {
  std::vector<Path> manifests;
  for (const Path& operation : entries_of(folder)) {
    if (!std::filesystem::is_directory(operation)) continue;
    if (operation.filename() == "snippets") {
      add_manifests(operation, manifests);
      continue;
    }
    if (const Path file = operation / "operation.toml"; std::filesystem::exists(file))
      manifests.push_back(file);
    for (const Path& implementation : entries_of(operation))
      if (std::filesystem::is_directory(implementation)) add_manifests(implementation, manifests);
  }
  return manifests;
}

void add_operation(Families& families, const Operation& operation) {
  const auto [entry, added] = families.try_emplace(operation.name, Family{operation, {}});
  if (!added)
    throw InputError(fmt::format("{}: the operation '{}' is already defined by {}",
                                 operation.manifest.string(), operation.name,
                                 entry->second.operation.manifest.string()));
}

void refuse_same(const Implementation& implementation, const Implementation& other) {
  if (other.name == implementation.name)
    throw InputError(fmt::format("{}: the implementation '{}' is already defined by {}",
                                 implementation.manifest.string(), implementation.full_name(),
                                 other.manifest.string()));
}

void add_implementation(Family& family, const Implementation& implementation) {
  for (const Implementation& other : family.implementations) refuse_same(implementation, other);
  family.operation.own_work[implementation.full_name()] = implementation.own_work;
  family.implementations.push_back(implementation);
}

std::vector<std::string> names_of(const Families& families) {
  std::vector<std::string> names;
  for (const auto& entry : families) names.push_back(entry.first);
  return names;
}

const Family& family_for(const Families& families, const Implementation& implementation) {
  const auto found = families.find(implementation.operation);
  if (found == families.end())
    throw InputError(fmt::format("{}: no operation '{}' for the implementation '{}'{}",
                                 implementation.manifest.string(), implementation.operation,
                                 implementation.name,
                                 suggestion(implementation.operation, names_of(families))));
  return found->second;
}

// The same file may be read twice. Another implementation with the same name is refused, because
// their results could not be told apart.
void refuse_known(const Family& known, const Implementation& implementation) {
  std::error_code error;
  for (const Implementation& other : known.implementations)
    if (!std::filesystem::equivalent(other.manifest, implementation.manifest, error))
      refuse_same(implementation, other);
}

void sort_by_name(Family& family) {
  std::ranges::sort(family.implementations, {}, &Implementation::name);
}

}  // namespace

const Implementation& Family::implementation(std::string_view name) const {
  std::vector<std::string> known;
  for (const Implementation& candidate : implementations) {
    if (candidate.name == name) return candidate;
    known.push_back(candidate.name);
  }
  throw InputError(fmt::format("the operation '{}' has no implementation '{}'{}", operation.name,
                               name, suggestion(name, known)));
}

Library Library::load(const std::vector<Path>& folders, const std::vector<Path>& manifests) {
  std::vector<Manifest> found;
  for (const Path& folder : folders)
    for (const Path& file : manifests_below(folder)) found.push_back(read_manifest(file));
  Library library = of(found);
  for (const Path& file : manifests) library.add(file);
  return library;
}

void Library::add(const Path& file) {
  const Manifest manifest = read_manifest(file);
  if (manifest.snippet) return add_snippet(snippets_, *manifest.snippet);
  if (manifest.operation) {
    const auto known = families_.find(manifest.operation->name);
    if (known != families_.end())
      throw InputError(fmt::format("{}: operation '{}' is already defined in {}", file.string(),
                                   known->first, known->second.operation.manifest.string()));
  }
  Family family = load_manifest(file, *this);
  Family& known =
      families_.try_emplace(family.operation.name, Family{family.operation, {}}).first->second;
  for (const Implementation& implementation : family.implementations)
    add_implementation(known, implementation);
}

Library Library::of(const std::vector<Manifest>& manifests) {
  Library library;
  for (const Manifest& manifest : manifests) {
    if (manifest.operation) add_operation(library.families_, *manifest.operation);
    if (manifest.snippet) add_snippet(library.snippets_, *manifest.snippet);
  }
  for (const Manifest& manifest : manifests)
    for (Implementation implementation : manifest.implementations) {
      const Operation& operation = family_for(library.families_, implementation).operation;
      if (!manifest.operation) link(implementation, operation);  // else read_manifest() did
      add_implementation(library.families_.at(implementation.operation), implementation);
    }
  for (auto& entry : library.families_) sort_by_name(entry.second);
  return library;
}

const Family& Library::family(std::string_view operation) const {
  const auto found = families_.find(operation);
  if (found == families_.end())
    throw InputError(
        fmt::format("no operation '{}'{}", operation, suggestion(operation, names_of(families_))));
  return found->second;
}

Family load_manifest(const Path& file, const Library& library) {
  const Manifest manifest = read_manifest(file);
  if (manifest.implementations.empty())
    throw InputError(
        fmt::format("{}: has no [[implementation]], so there is nothing to run", file.string()));
  Family family;
  if (manifest.operation) {
    family.operation = *manifest.operation;
  } else {
    const Implementation& first = manifest.implementations.front();
    family.operation = family_for(library.families(), first).operation;
  }
  for (Implementation implementation : manifest.implementations) {
    if (implementation.operation != family.operation.name)
      throw InputError(
          fmt::format("{}: its implementations are of two operations, '{}' and '{}'; "
                      "make it two files",
                      file.string(), family.operation.name, implementation.operation));
    if (!manifest.operation) link(implementation, family.operation);
    const auto known = library.families().find(implementation.operation);
    if (known != library.families().end()) refuse_known(known->second, implementation);
    add_implementation(family, implementation);
  }
  sort_by_name(family);
  return family;
}

}  // namespace tilewright
