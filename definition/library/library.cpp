#include "definition/library/library.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "definition/library/hook.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

using Path = std::filesystem::path;

// Sorted, so that the order and the messages are the same on every machine.
std::vector<Path> entries_of(const Path& folder) {
  std::error_code error;
  std::vector<Path> entries;
  for (auto it = std::filesystem::directory_iterator(folder, error);
       !error && it != std::filesystem::directory_iterator(); it.increment(error))
    entries.push_back(it->path());
  if (error)
    throw bad_input("{}: cannot be read as a folder of kernels: {}", folder.string(),
                    error.message());
  std::sort(entries.begin(), entries.end());
  return entries;
}

void add_manifests(const Path& folder, std::vector<Path>& manifests) {
  for (const Path& file : entries_of(folder))
    if (file.extension() == ".toml" && !is_fitted_file(file)) manifests.push_back(file);
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

// Results of two operations with one name could not be told apart.
void refuse_known(const Families& families, const Operation& operation) {
  const auto known = families.find(operation.name);
  if (known != families.end())
    throw bad_input("{}: the operation '{}' is already defined by {}", operation.manifest.string(),
                    operation.name, known->second.operation.manifest.string());
}

// The same file may be read twice.
bool is_of(const Families& families, const Operation& operation) {
  const auto known = families.find(operation.name);
  std::error_code error;
  return known != families.end() &&
         std::filesystem::equivalent(known->second.operation.manifest, operation.manifest, error);
}

void refuse_same(const Implementation& implementation, const Implementation& other) {
  if (other.name == implementation.name)
    throw bad_input("{}: the implementation '{}' is already defined by {}",
                    implementation.manifest.string(), implementation.full_name(),
                    other.manifest.string());
}

void add_implementation(Family& family, Implementation implementation) {
  for (const Implementation& other : family.implementations) refuse_same(implementation, other);
  family.operation.own_work[implementation.full_name()] = implementation.own_work;
  family.implementations.push_back(std::move(implementation));
}

const Family& family_for(const Families& families, const Implementation& implementation) {
  const auto found = families.find(implementation.operation);
  if (found == families.end())
    throw bad_input(
        "{}: no operation '{}' for the implementation '{}'{}", implementation.manifest.string(),
        implementation.operation, implementation.name,
        suggestion(implementation.operation, names_of(families, &Families::value_type::first)));
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
  if (const Implementation* const found = find_named(implementations, name)) return *found;
  throw bad_input("the operation '{}' has no implementation '{}'{}", operation.name, name,
                  suggestion(name, names_of(implementations, &Implementation::name)));
}

Library Library::load(const std::vector<Path>& folders, const std::vector<Path>& manifests,
                      Libraries libraries) {
  std::vector<Manifest> found;
  for (const Path& folder : folders)
    for (const Path& file : manifests_below(folder)) found.push_back(read_manifest(file));
  Library library = of(std::move(found));
  for (const Path& file : manifests) library.add(file);
  library.libraries_ = libraries;
  for (auto& [name, family] : library.families_) library.leave_out(family);
  return library;
}

void Library::leave_out(Family& family) const {
  if (libraries_ == Libraries::off)
    std::erase_if(family.implementations, &Implementation::is_routine);
}

void Library::add(const Path& file) {
  const Manifest manifest = read_manifest(file);
  if (manifest.snippet) return add_snippet(snippets_, *manifest.snippet);
  for (const Operation& operation : manifest.operations) refuse_known(families_, operation);
  for (const Family& family : load_families(file, *this)) {
    Family& known =
        families_.try_emplace(family.operation.name, Family{family.operation, {}}).first->second;
    for (const Implementation& implementation : family.implementations)
      add_implementation(known, implementation);
  }
}

Library Library::of(std::vector<Manifest> manifests) {
  Library library;
  for (const Manifest& manifest : manifests) {
    for (const Operation& operation : manifest.operations) {
      refuse_known(library.families_, operation);
      library.families_.emplace(operation.name, Family{operation, {}});
    }
    if (manifest.snippet) add_snippet(library.snippets_, *manifest.snippet);
  }
  for (Manifest& manifest : manifests)
    for (Implementation& implementation : manifest.implementations) {
      const Operation& operation = family_for(library.families_, implementation).operation;
      if (manifest.find(implementation.operation) == nullptr)
        link(implementation, operation);  // else read_manifest() did
      add_implementation(library.families_.at(operation.name), std::move(implementation));
    }
  for (auto& entry : library.families_) sort_by_name(entry.second);
  return library;
}

const Family& Library::family(std::string_view operation) const {
  const auto found = families_.find(operation);
  if (found == families_.end())
    throw bad_input("no operation '{}'{}", operation,
                    suggestion(operation, names_of(families_, &Families::value_type::first)));
  return found->second;
}

std::vector<Family> load_families(const Path& file, const Library& library) {
  const Manifest manifest = read_manifest(file);
  if (manifest.implementations.empty())
    throw bad_input("{}: has no [[implementation]], so there is nothing to run", file.string());
  std::vector<Family> families;
  for (const Operation& operation : manifest.operations) {
    if (!is_of(library.families(), operation)) refuse_known(library.families(), operation);
    families.push_back({operation, {}});
  }
  for (Implementation implementation : manifest.implementations) {
    const bool is_own = manifest.find(implementation.operation) != nullptr;
    auto family = std::ranges::find(families, implementation.operation,
                                    [](const Family& one) { return one.operation.name; });
    if (family == families.end()) {
      families.push_back({family_for(library.families(), implementation).operation, {}});
      family = families.end() - 1;
    }
    if (!is_own) link(implementation, family->operation);
    const auto known = library.families().find(implementation.operation);
    if (known != library.families().end()) refuse_known(known->second, implementation);
    add_implementation(*family, std::move(implementation));
  }
  for (Family& family : families) {
    sort_by_name(family);
    library.leave_out(family);
  }
  std::erase_if(families, [](const Family& family) { return family.implementations.empty(); });
  if (families.empty())
    throw bad_input("{}: has only routines of foreign libraries, which are left out",
                    file.string());
  return families;
}

Family load_manifest(const Path& file, const Library& library, const std::string& operation) {
  std::vector<Family> families = load_families(file, library);
  for (Family& family : families)
    if (family.operation.name == operation) return std::move(family);
  std::vector<std::string> known =
      names_of(families, [](const Family& family) { return family.operation.name; });
  if (families.size() == 1) {
    std::ranges::move(names_of(families.front().implementations, &Implementation::name),
                      std::back_inserter(known));
    if (operation.empty() || is_among(operation, known)) return std::move(families.front());
  }
  for (std::string& name : known) name.insert(0, file.string() + '/');
  throw InputError(operation.empty()
                       ? fmt::format("{} has implementations of {} operations; name one: {}",
                                     file.string(), families.size(), fmt::join(known, ", "))
                       : fmt::format("{} has no '{}'; it has {}", file.string(), operation,
                                     fmt::join(known, ", ")));
}

}  // namespace tilewright
