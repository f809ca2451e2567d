#include "definition/json/operation_json.hpp"

namespace tilewright {
namespace {

Json default_of(const auto& number_or_label, const std::optional<Expression>& computed) {
  return computed ? Json(computed->text()) : Json(number_or_label);
}

}  // namespace

Json describe(const Operation& operation) {
  Json dimensions = Json::array(), choices = Json::array(), arguments = Json::array();
  for (const Dimension& one : operation.dimensions)
    dimensions.push_back({{"name", one.name},
                          {"default", default_of(one.default_value, one.computed_default)},
                          {"role", kProblemRoles.at(static_cast<std::size_t>(one.role))}});
  for (const Choice& one : operation.choices)
    choices.push_back({{"name", one.name},
                       {"labels", one.labels},
                       {"default", default_of(one.default_label, one.computed_default)}});
  for (const Argument& one : operation.arguments)
    arguments.push_back({{"name", one.name},
                         {"kind", kArgumentKinds.at(static_cast<std::size_t>(one.kind))},
                         {"role", kArgumentRoles.at(static_cast<std::size_t>(one.role))},
                         {"count", one.count.text()}});
  return {{"name", operation.name},
          {"about", operation.about},
          {"dimensions", dimensions},
          {"choices", choices},
          {"arguments", arguments}};
}

}  // namespace tilewright
