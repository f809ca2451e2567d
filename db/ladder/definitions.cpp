#include "db/ladder/definitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "definition/library/hook.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"

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

Library library_of(const std::vector<ManifestText>& manifests) {
  std::vector<Manifest> read;
  for (const ManifestText& manifest : manifests) read.push_back(read_manifest(manifest));
  return Library::of(read);
}

}  // namespace

Definitions::Definitions(const std::vector<fs::path>& folders, const std::vector<fs::path>& files)
    : Definitions(Library::load(folders, files)) {}

Definitions::Definitions(const Library& library)
    : families_(library.families()), snippets_(library.snippets()) {}

Definitions::Definitions(const std::vector<ManifestText>& manifests)
    : Definitions(library_of(manifests)) {}

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
