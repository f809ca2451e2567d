#include "tools/input/target.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

#include "db/exchange/exchange.hpp"
#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"
#include "definition/library/hook.hpp"
#include "definition/manifest/manifest.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/suggest.hpp"
#include "tools/input/lookup.hpp"
#include "tools/print/names.hpp"

namespace tilewright::tools {
namespace {

namespace fs = std::filesystem;

bool defines(const Library& library, const std::string& name) {
  const StoredNames names(library, Detail::brief);
  return name.find('/') == std::string::npos ? names.operation(name) != nullptr
                                             : names.implementation(name) != nullptr;
}

bool is_read(const Library& library, const fs::path& file) {
  std::error_code error;
  return std::ranges::any_of(library.families(), [&](const auto& entry) {
    const Family& family = entry.second;
    return fs::equivalent(family.operation.manifest, file, error) ||
           std::ranges::any_of(family.implementations, [&](const Implementation& one) {
             return fs::equivalent(one.manifest, file, error);
           });
  });
}

// Those of the newest sweep of this name whose files are there: of ours, or named when it was
// imported. Empty if there is none.
std::vector<fs::path> manifests_of(const Store& store, const std::string& name) {
  std::vector<SweepRecord> sweeps = store.sweeps(query_for(name));
  std::reverse(sweeps.begin(), sweeps.end());
  for (const SweepRecord& sweep : sweeps) {
    const nlohmann::json report = parse_sorted(sweep.report);
    const char* const key = sweep.imported ? kNamedManifests : kOwnManifests;
    if (!report.is_object() || !report.contains(key)) continue;
    std::vector<fs::path> files;
    std::error_code error;
    for (const nlohmann::json& file : report[key])
      if (file.is_string() && fs::is_regular_file(file.get<std::string>(), error))
        files.emplace_back(file.get<std::string>());
    if (!files.empty()) return files;
  }
  return {};
}

bool has_name(const Operation& operation, const std::string& name) {
  return find_named(operation.dimensions, name) != nullptr ||
         find_named(operation.choices, name) != nullptr ||
         find_named(operation.hooks, name) != nullptr;
}

std::string value_in(const std::string& assignment) {
  return assignment.substr(assignment.rfind('=') + 1);
}

// Adds the assignment to the lines of operations that know its names. One with a name that none
// knows goes to the first, where it is refused.
void distribute(const std::string& word, const std::vector<Family>& families,
                std::vector<std::vector<std::string>>& lines) {
  const std::vector<std::string> names = names_in(word);
  const auto knows = [](const std::string& name) {
    return [&name](const Family& family) { return has_name(family.operation, name); };
  };
  if (names.empty() || std::ranges::any_of(names, [&](const std::string& name) {
        return std::ranges::none_of(families, knows(name));
      }))
    return lines.front().push_back(word);
  for (std::size_t i = 0; i < families.size(); ++i) {
    std::string own;
    for (const std::string& name : names)
      if (has_name(families[i].operation, name)) own += name + '=';
    if (!own.empty()) lines[i].push_back(own + value_in(word));
  }
}

// Adds to the family the snippets that HOOK=VALUE names, and puts their labels into the
// assignments.
void attach_snippets(Family& family, std::vector<std::string>& assignments,
                     const std::vector<Snippet>& snippets) {
  Settings values;
  const auto hook_of = [&](const std::string& assignment) {
    const std::string name = assignment.substr(0, assignment.find('='));
    const bool is_hook = find_named(family.operation.hooks, name) != nullptr;
    return is_hook && name.size() + 1 < assignment.size() ? name : std::string();
  };
  for (const std::string& assignment : assignments)
    if (const std::string hook = hook_of(assignment); !hook.empty())
      values[hook] = assignment.substr(hook.size() + 1);
  family = with_snippets(std::move(family), values, snippets);
  for (std::string& assignment : assignments)
    if (const std::string hook = hook_of(assignment); !hook.empty())
      assignment = hook + '=' + to_text(values.at(hook));
}

// A parameter is not a part of the problem.
void refuse_parameters(const Target& target) {
  for (const std::string& assignment : target.assignments)
    for (const std::string& name : names_in(assignment))
      for (const Implementation* const implementation : target.implementations)
        if (!has_name(target.operation(), name) &&
            find_named(implementation->parameters, name) != nullptr)
          throw bad_input(
              "{}: '{}' is a parameter of {}, and not of the problem; plan and sweep take --where "
              "'{} == {}'",
              assignment, name, implementation->full_name(), name, value_in(assignment));
}

// The manifests of stored results of those `names` that `library` does not define.
std::set<fs::path> manifests_beside(const Library& library, const Places& places,
                                    const std::set<std::string>& names) {
  std::set<std::string> unknown = names;
  std::erase_if(unknown, [&](const std::string& name) { return defines(library, name); });
  const std::unique_ptr<Store> store = unknown.empty() ? nullptr : open_for_reading(places);
  std::set<fs::path> files;
  if (!store) return files;
  for (const std::string& name : unknown)
    for (fs::path& file : manifests_of(*store, name))
      if (!is_read(library, file)) files.insert(std::move(file));
  return files;
}

std::optional<Where> given_where(const std::string& text, const Target& target) {
  if (text.empty()) return std::nullopt;
  return with_dashes([&] { return parse_where(text, target); });
}

}  // namespace

std::vector<std::string> names_in(const std::string& assignment) {
  std::vector<std::string> names;
  for (std::size_t from = 0, end = 0; (end = assignment.find('=', from)) != std::string::npos;
       from = end + 1)
    names.push_back(assignment.substr(from, end - from));
  return names;
}

Library load_library(const Places& places) {
  Library library = Library::load(kernel_folders(places), {}, libraries_of(places));
  if (!places.kernels.empty() && library.families().empty() && library.snippets().empty())
    throw bad_input(
        "--kernels '{}': there is no OPERATION/operation.toml and no snippets/*.toml; a kernel "
        "whose manifest is one file is named by that file",
        fmt::join(places.kernels, "', '"));
  return library;
}

Library load_library(const Places& places, const std::set<std::string>& names) {
  Library library = load_library(places);
  const std::set<fs::path> files = manifests_beside(library, places, names);
  if (files.empty()) return library;
  return Library::load(kernel_folders(places), {files.begin(), files.end()}, libraries_of(places));
}

std::set<fs::path> stored_manifests(const Places& places, const std::set<std::string>& names) {
  return manifests_beside(load_library(places), places, names);
}

Library library_for_names(const Places& places, const std::set<std::string>& names) {
  try {
    return load_library(places, names);
  } catch (const InputError& error) {
    warn(error.what());
    return names.empty() ? Library() : library_for_names(places);
  }
}

void require_name(const std::string& name, const Library& library,
                  const std::set<std::string>& stored) {
  const std::string operation = query_for(name).operation;
  const bool is_only_stored = !library.families().contains(operation) && stored.contains(operation);
  if (!is_only_stored && !library.families().empty())
    choose_target(find_family(name, library), name);
}

Target read_target(const std::vector<std::string>& words, const Library& library) {
  if (words.empty())
    throw InputError(
        "name an operation, OPERATION/IMPLEMENTATION or FILE.toml; "
        "`tilewright kernels` lists them");
  Family family = find_family(words.front(), library);
  std::vector<std::string> assignments(words.begin() + 1, words.end());
  attach_snippets(family, assignments, library.snippets());
  Target target = choose_target(std::move(family), words.front());
  target.assignments = std::move(assignments);
  target.snippets = library.snippets();
  refuse_parameters(target);
  return target;
}

Target read_target(const std::vector<std::string>& words, const Places& places,
                   const std::string& where) {
  std::set<std::string> names;
  if (!words.empty() && !file_in(words.front())) names.insert(words.front());
  Target target = read_target(words, load_library(places, names));
  if (auto given = given_where(where, target)) {
    if (!given->left_out.empty()) std::cerr << "--" << given->left_out << '\n';
    target.implementations = std::move(given->implementations);
  }
  return target;
}

std::vector<fs::path> files_of(const Target& target) {
  const Operation& operation = target.operation();
  std::vector<fs::path> files = {operation.manifest, operation.reference.source};
  for (const Implementation* const one : target.implementations) {
    files.insert(files.end(), {one->manifest, fitted_file(one->manifest), one->source});
    for (const SourceUnit& unit : one->units) files.push_back(unit.source);
    files.insert(files.end(), one->files.begin(), one->files.end());
  }
  for (const Snippet& snippet : target.snippets) files.push_back(snippet.file);
  return files;
}

std::vector<std::vector<std::string>> by_operation(const std::vector<std::string>& words,
                                                   const Places& places) {
  const auto named = words.empty() ? std::nullopt : file_in(words.front());
  if (!named || !named->operation.empty()) return {words};
  const std::vector<Family> families = load_families(named->file, load_library(places));
  if (families.size() < 2) return {words};
  std::vector<std::vector<std::string>> lines;
  for (const Family& family : families)
    lines.push_back({named->file + '/' + family.operation.name});
  for (std::size_t i = 1; i < words.size(); ++i) distribute(words[i], families, lines);
  return lines;
}

Target with_assignments(const Target& target, const std::vector<std::string>& more) {
  Target result = target;
  result.assignments.insert(result.assignments.end(), more.begin(), more.end());
  Family family = *target.family;
  attach_snippets(family, result.assignments, result.snippets);
  result.family = std::make_shared<const Family>(std::move(family));
  result.implementations.clear();
  for (const Implementation* implementation : target.implementations)
    result.implementations.push_back(&result.family->implementation(implementation->name));
  return result;
}

std::shared_ptr<const Family> family_with(const std::shared_ptr<const Family>& family,
                                          Settings values, const std::vector<Snippet>& snippets) {
  if (!name_snippets(family->operation, values)) return family;
  return std::make_shared<const Family>(with_snippets(*family, values, snippets));
}

std::optional<Expression> read_where(const std::string& where, const Target& target) {
  const auto given = given_where(where, target);
  return given ? std::optional(given->rule) : std::nullopt;
}

}  // namespace tilewright::tools
