#include "tuner/space/configurations.hpp"

#include <algorithm>
#include <utility>

namespace tilewright {
namespace {

std::vector<Parameter> parameters_of(const Configuration& configuration) {
  std::vector<Parameter> parameters;
  for (const auto& [name, value] : configuration.values) {
    Parameter& parameter = parameters.emplace_back();
    parameter.name = name;
    parameter.values = {value};
  }
  return parameters;
}

}  // namespace

Radix::Radix(const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters)
    digits_.push_back({parameter.name, parameter.values, parameter.absent, 1});
  for (std::size_t i = digits_.size(); i-- > 1;)
    digits_[i - 1].weight = digits_[i].weight * digits_[i].values.size();
}

Configuration Radix::configuration(Code code) const {
  Configuration configuration;
  for (std::size_t i = 0; i < digits_.size(); ++i) {
    const Value& value = digits_[i].values[place(code, i)];
    if (value != digits_[i].absent) configuration.values.emplace(digits_[i].name, value);
  }
  return configuration;
}

std::optional<Code> Radix::code(const Configuration& configuration) const {
  Code code = 0;
  std::size_t known = 0;
  for (const Digit& digit : digits_) {
    const auto given = configuration.values.find(digit.name);
    const bool is_given = given != configuration.values.end();
    if (!is_given && !digit.absent) return std::nullopt;
    const Value& wanted = is_given ? given->second : *digit.absent;
    const auto value = std::find(digit.values.begin(), digit.values.end(), wanted);
    if (value == digit.values.end()) return std::nullopt;
    code += digit.weight * static_cast<Code>(value - digit.values.begin());
    known += is_given ? 1 : 0;
  }
  return known == configuration.values.size() ? std::optional(code) : std::nullopt;
}

Configurations::Configurations(Radix radix, std::vector<Code> codes)
    : radix_(std::move(radix)), codes_(std::move(codes)) {}

Configurations::Configurations(const Configuration& configuration)
    : radix_(parameters_of(configuration)), codes_{0} {}

std::optional<std::size_t> Configurations::find(const Configuration& configuration) const {
  const std::optional<Code> code = radix_.code(configuration);
  if (!code) return std::nullopt;
  const auto found = std::lower_bound(codes_.begin(), codes_.end(), *code);
  if (found == codes_.end() || *found != *code) return std::nullopt;
  return static_cast<std::size_t>(found - codes_.begin());
}

std::optional<std::size_t> Configurations::nearest(const Configuration& configuration,
                                                   const std::set<std::string>& free) const {
  const auto wanted = radix_.code(configuration);
  if (!wanted) return std::nullopt;
  using Places = std::vector<std::pair<std::size_t, std::size_t>>;  // of a digit, that is wanted
  Places fixed;
  Places movable;
  for (std::size_t i = 0; i < radix_.digits().size(); ++i) {
    Places& places = free.contains(radix_.digits()[i].name) ? movable : fixed;
    places.emplace_back(i, radix_.place(*wanted, i));
  }
  std::optional<std::size_t> found;
  std::pair<std::size_t, std::size_t> least;  // parameters that differ, and by how many places
  for (std::size_t one = 0; one < codes_.size(); ++one) {
    const auto differs = [&](const auto& digit) {
      return radix_.place(codes_[one], digit.first) != digit.second;
    };
    if (std::ranges::any_of(fixed, differs)) continue;
    std::pair<std::size_t, std::size_t> difference;
    for (const auto& [digit, own] : movable) {
      const std::size_t place = radix_.place(codes_[one], digit);
      difference.first += place == own ? 0 : 1;
      difference.second += std::max(place, own) - std::min(place, own);
    }
    if (found && difference >= least) continue;
    found = one;
    least = difference;
  }
  return found;
}

}  // namespace tilewright
