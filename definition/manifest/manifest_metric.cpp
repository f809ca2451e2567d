#include <fmt/format.h>

#include <algorithm>

#include "definition/manifest/expression_check.hpp"
#include "definition/manifest/manifest_parts.hpp"

namespace tilewright {
namespace {

const std::vector<std::pair<std::string, Metric::Better>> kDirections = {
    {"lower", Metric::Better::lower}, {"higher", Metric::Better::higher}};

Expression read_value(const TableReader& table) {
  const TomlNode& node = table.need("value");
  if (node.kind != TomlNode::Kind::text)
    table.fail(node, "'value' must be an expression, a string");
  try {
    return Expression::parse_real(node.text);
  } catch (const ExpressionError& error) {
    table.file().fail_in_text(node, error.position(),
                              fmt::format("'value' is not an expression: {}", error.what()));
  }
}

Metric read_metric(const TableReader& table) {
  Metric metric;
  metric.name = table.identifier("name");
  metric.about = table.text("about", "");
  if (table.has("unit")) metric.unit = table.line_of("unit", table.need("unit"));
  metric.value = read_value(table);
  table.need("better");
  metric.better = table.one_of("better", kDirections, metric.better);
  return metric;
}

}  // namespace

std::vector<Metric> read_metrics(const TableReader& operation) {
  // What `results --sort` knows besides metrics.
  std::vector<std::string> taken = {"time", "number", "registers", "shared", "occupancy"};
  std::vector<Metric> metrics;
  for (const TomlNode& node : operation.elements("metric")) {
    const TableReader table(operation.file(), node, "[[operation.metric]]",
                            {"name", "about", "unit", "value", "better"});
    metrics.push_back(read_metric(table));
    take_name(table, metrics.back().name, taken);
  }
  return metrics;
}

void check_metrics(const Operation& operation, const std::vector<Implementation>& implementations) {
  ExpressionCheck checker(operation.manifest, "operation", operation.name, device_vocabulary());
  for (const Dimension& dimension : operation.dimensions) checker.add(dimension.name, {});
  for (const Choice& choice : operation.choices) checker.add(choice.name, choice.labels);
  std::map<std::string, std::vector<std::string>> labels;
  for (const Implementation& implementation : implementations)
    for (const Parameter& parameter : implementation.parameters) {
      std::vector<std::string>& all = labels[parameter.name];
      for (const std::string& label : labels_of(parameter))
        if (std::ranges::find(all, label) == all.end()) all.push_back(label);
    }
  for (const auto& [name, all] : labels) checker.add(name, all);
  for (std::size_t i = 0; i < operation.metrics.size(); ++i) {
    const std::string key = fmt::format("metric[{}].value", i);
    for (const char* name : kMeasuredNames) {
      if (checker.knows(name) && operation.metrics[i].value.names().contains(name))
        checker.fail(key, fmt::format("'{}' is what was measured here, and also a name of the "
                                      "operation or a parameter; rename that",
                                      name));
    }
    ExpressionCheck with_measured = checker;
    for (const char* name : kMeasuredNames) with_measured.add(name, {});
    with_measured.add_arguments(operation.arguments);
    with_measured.check(key, operation.metrics[i].value);
  }
}

}  // namespace tilewright
