#include "db/ladder/definitions.hpp"

#include <fmt/format.h>

#include "definition/library/hook.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"

namespace tilewright {

namespace {

const Family& family_of(const Library& library, std::string_view name) {
  const std::string_view operation = name.substr(0, name.find('/'));
  const auto at = library.families().find(operation);
  if (at != library.families().end()) return at->second;
  std::vector<std::string> known;
  for (const auto& [one, family] : library.families()) known.push_back(one);
  throw InputError(
      fmt::format("unknown operation '{}'{}", operation, suggestion(operation, known)));
}

ChosenOperation chosen_of(const Family& family, std::string_view name) {
  const std::size_t slash = name.find('/');
  ChosenOperation chosen{&family.operation, {}};
  if (slash != std::string_view::npos) {
    chosen.implementations.push_back(&family.implementation(name.substr(slash + 1)));
    return chosen;
  }
  for (const Implementation& one : family.implementations) chosen.implementations.push_back(&one);
  if (chosen.implementations.empty())
    throw InputError(fmt::format("operation '{}' has no implementation", family.operation.name));
  return chosen;
}

}  // namespace

ChosenOperation choose_operation(const Library& library, std::string_view name) {
  return chosen_of(family_of(library, name), name);
}

ChosenOperation choose_operation(const Library& library, std::string_view name, Settings& values) {
  const Family& known = family_of(library, name);
  if (!name_snippets(known.operation, values)) return chosen_of(known, name);
  const auto family =
      std::make_shared<const Family>(with_snippets(known, values, library.snippets()));
  ChosenOperation chosen = chosen_of(*family, name);
  chosen.family = family;
  return chosen;
}

}  // namespace tilewright
