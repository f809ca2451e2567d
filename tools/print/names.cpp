#include "tools/print/names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "campaign/texts.hpp"

namespace tilewright::tools {
namespace {

std::string assigned(const Parameter& parameter, const Value& value) {
  return parameter.name + '=' + to_text(value);
}

void append(std::string& text, const std::string& word) {
  text += (text.empty() ? "" : " ") + word;
}

}  // namespace

const Implementation* implementation_named(const std::vector<const Implementation*>& all,
                                           const std::string& full_name) {
  const auto found = std::ranges::find(all, full_name, &Implementation::full_name);
  return found == all.end() ? nullptr : *found;
}

std::string configuration_text(const Implementation& implementation,
                               const Configuration& configuration, Detail detail) {
  std::string text;
  std::size_t others = 0;
  for (const Parameter& parameter : implementation.parameters) {
    const Value* const value = find_value(configuration, parameter);
    if (value == nullptr) continue;  // a stored one, from before there was the parameter
    if (detail == Detail::brief && *value == parameter.default_value)
      ++others;
    else
      append(text, assigned(parameter, *value));
  }
  if (others == 0) return text;
  if (text.empty()) return "the default";
  return text + fmt::format(" ({} {}: default)", others, others == 1 ? "other" : "others");
}

std::string difference_text(const Implementation& implementation,
                            const Configuration& configuration, const Configuration& other) {
  std::string text;
  for (const Parameter& parameter : implementation.parameters) {
    const Value* const value = find_value(other, parameter);
    const Value* const own = find_value(configuration, parameter);
    if (value != nullptr && (own == nullptr || *own != *value))
      append(text, assigned(parameter, *value));
  }
  return text;
}

std::string named_problem(const std::string& name, const std::string& problem) {
  return problem.empty() ? name : name + ' ' + problem;
}

std::string policy_text(const Policy& policy) {
  return policy.cache == CachePolicy::robust ? "cold and warm" : to_text(policy.cache);
}

StoredNames::StoredNames(const Library& library, Detail detail) : detail_(detail) {
  for (const auto& [name, family] : library.families()) families_.emplace(name, &family);
}

std::string StoredNames::problem(const Problem& problem) const {
  const Operation* const known = operation(problem.operation);
  return known == nullptr ? to_text(problem.values) : problem_text(*known, problem);
}

std::string StoredNames::configuration(const std::string& implementation_name,
                                       const Configuration& configuration) const {
  const Implementation* const known = implementation(implementation_name);
  return known == nullptr ? to_text(configuration.values)
                          : configuration_text(*known, configuration, detail_);
}

const Operation* StoredNames::operation(const std::string& name) const {
  const auto found = families_.find(name);
  return found == families_.end() ? nullptr : &found->second->operation;
}

const Implementation* StoredNames::implementation(const std::string& full_name) const {
  const auto found = families_.find(full_name.substr(0, full_name.find('/')));
  if (found == families_.end()) return nullptr;
  const auto& all = found->second->implementations;
  const auto one = std::ranges::find(all, full_name, &Implementation::full_name);
  return one == all.end() ? nullptr : &*one;
}

}  // namespace tilewright::tools
