// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "db/catalog/definitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "tilewright/error.hpp"
#include "tuner/definition/hook.hpp"
#include "tuner/definition/suggest.hpp"

namespace tilewright {

namespace fs = std::filesystem;

namespace {

const Family& family_of(const std::map<std::string, Family, std::less<>>& families,
                        std::string_view name) {
  const std::string_view operation = name.substr(0, name.find('/'));
  const auto at = families.find(operation);
  if (at != families.end()) return at->second;
  std::vector<std::string> known;
  std::transform(families.begin(), families.end(), std::back_inserter(known),
                 [](const auto& family) { return family.first; });
  throw InputError(
      fmt::format("unknown operation '{}'{}", operation, suggestion(operation, known)));
}

Definitions::Choice choice_of(const Family& family, std::string_view name) {
  const std::size_t slash = name.find('/');
  Definitions::Choice choice{&family.operation, {}, {}};
  if (slash != std::string_view::npos) {
    choice.implementations.push_back(&family.implementation(name.substr(slash + 1)));
    return choice;
  }
  for (const Implementation& one : family.implementations) choice.implementations.push_back(&one);
  if (choice.implementations.empty())
    throw InputError(fmt::format("operation '{}' has no implementation", family.operation.name));
  return choice;
}

}  // namespace

Definitions::Definitions(const std::vector<fs::path>& folders, const std::vector<fs::path>& files) {
  const Library library = Library::load(folders);
  families_ = library.families();
  snippets_ = library.snippets();
  for (const fs::path& file : files) {
    const Manifest manifest = read_manifest(file);
    if (manifest.snippet)
      add_snippet(snippets_, *manifest.snippet);
    else
      add(file, load_manifest(file, library));
  }
}

Definitions::Definitions(const std::vector<ManifestText>& manifests) {
  std::vector<Manifest> read;
  for (const ManifestText& manifest : manifests) read.push_back(read_manifest(manifest));
  const Library library = Library::of(read);
  families_ = library.families();
  snippets_ = library.snippets();
}

void Definitions::add(const fs::path& file, Family family) {
  const std::string& name = family.operation.name;
  const auto at = families_.find(name);
  if (at == families_.end()) {
    families_.emplace(name, std::move(family));
    return;
  }
  Family& known = at->second;
  if (known.operation.manifest != family.operation.manifest)
    throw InputError(fmt::format("{}: operation '{}' is defined in {} already", file.string(), name,
                                 known.operation.manifest.string()));
  for (Implementation& implementation : family.implementations) {
    const bool is_known =
        std::any_of(known.implementations.begin(), known.implementations.end(),
                    [&](const Implementation& other) { return other.name == implementation.name; });
    if (is_known)
      throw InputError(fmt::format("{}: implementation '{}' is known already", file.string(),
                                   implementation.full_name()));
    known.implementations.push_back(std::move(implementation));
  }
}

Definitions::Choice Definitions::choose(std::string_view name) const {
  return choice_of(family_of(families_, name), name);
}

Definitions::Choice Definitions::choose(std::string_view name, Settings& values) const {
  const Family& known = family_of(families_, name);
  if (!name_snippets(known.operation, values)) return choice_of(known, name);
  const auto family = std::make_shared<const Family>(with_snippets(known, values, snippets_));
  Choice choice = choice_of(*family, name);
  choice.family = family;
  return choice;
}

}  // namespace tilewright
