#include "tools/print/names.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

#include "db/ladder/question.hpp"

namespace tilewright::tools {
namespace {

std::string assigned(const Parameter& parameter, const Value& value) {
  return parameter.name + '=' + to_text(value);
}

void print_dropped(std::ostream& out, const std::string& whose,
                   const std::vector<std::string>& options) {
  if (options.empty()) return;
  out << fmt::format("  options{} without effect: {}\n", whose, fmt::join(options, " "));
}

}  // namespace

const Implementation* implementation_named(const Family& family, const std::string& full_name) {
  const auto& all = family.implementations;
  const auto found = std::ranges::find(all, full_name, &Implementation::full_name);
  return found == all.end() ? nullptr : &*found;
}

std::string configuration_text(const Implementation& implementation,
                               const Configuration& configuration, Detail detail) {
  if (implementation.parameters.empty()) return "no parameters";
  std::vector<std::string> words;
  std::size_t others = 0;
  for (const Parameter& parameter : implementation.parameters) {
    const Value* const value = find_value(configuration, parameter);
    if (value == nullptr) continue;  // a stored one, from before there was the parameter
    if (detail == Detail::brief && *value == parameter.default_value)
      ++others;
    else
      words.push_back(assigned(parameter, *value));
  }
  if (others > 0 && words.empty()) return "the default";
  if (others > 0)
    words.push_back(fmt::format("({} {}: default)", others, others == 1 ? "other" : "others"));
  return fmt::format("{}", fmt::join(words, " "));
}

std::string configuration_text(const std::vector<const Implementation*>& all,
                               const std::string& full_name, const Configuration& configuration,
                               Detail detail) {
  const Implementation* const known = find_implementation(all, full_name);
  return known == nullptr ? to_text(configuration.values)
                          : configuration_text(*known, configuration, detail);
}

std::string joined(const std::vector<Value>& values, const char* separator) {
  std::vector<std::string> texts;
  for (const Value& value : values) texts.push_back(to_text(value));
  return fmt::format("{}", fmt::join(texts, separator));
}

std::string difference_text(const Implementation& implementation,
                            const Configuration& configuration, const Configuration& other) {
  std::vector<std::string> words;
  for (const Parameter& parameter : implementation.parameters) {
    const Value* const value = find_value(other, parameter);
    const Value* const own = find_value(configuration, parameter);
    if (value != nullptr && (own == nullptr || *own != *value))
      words.push_back(assigned(parameter, *value));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

void print_dropped_options(std::ostream& out, const Implementation& implementation) {
  print_dropped(out, "", implementation.dropped_options);
}

void print_dropped_options(std::ostream& out, const Operation& operation) {
  print_dropped(out, " of the reference", operation.reference.dropped_options);
  for (const auto& [argument, fill] : operation.kernel_fills)
    print_dropped(out, " of the kernel that fills " + argument, fill.dropped_options);
}

std::string named_problem(const std::string& name, const std::string& problem) {
  return problem.empty() ? name : name + ' ' + problem;
}

std::string named_problem(const Operation& operation, const Problem& problem) {
  return named_problem(operation.name, problem_text(operation, problem));
}

std::string policy_text(const Policy& policy) {
  if (policy.submission == kTimedByAuthor) return "warm, self-timed";
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
  return found == families_.end() ? nullptr : implementation_named(*found->second, full_name);
}

}  // namespace tilewright::tools
