#include <fmt/format.h>

#include <algorithm>

#include "definition/manifest/expression_check.hpp"
#include "definition/manifest/manifest_parts.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

void check_in_range(const TableReader& table, const std::string& key, std::int64_t value,
                    const Dimension& dimension) {
  if (value < dimension.minimum || value > dimension.maximum)
    table.fail(table.need(key), "'{}' is {}, outside {} to {}", key, value, dimension.minimum,
               dimension.maximum);
}

Dimension read_dimension(const TableReader& table) {
  Dimension dimension;
  read_name(table, dimension);
  const TomlNode* minimum = table.find("minimum");
  if (minimum != nullptr && minimum->kind == TomlNode::Kind::text)
    dimension.computed_minimum = table.expression("minimum");
  else
    dimension.minimum = table.integer("minimum", dimension.minimum);
  dimension.maximum = table.integer("maximum", dimension.maximum);
  if (dimension.minimum > dimension.maximum)
    table.fail(table.node(), "dimension '{}' has minimum {} above maximum {}", dimension.name,
               dimension.minimum, dimension.maximum);
  dimension.role = table.one_of("role", kProblemRoles, dimension.role);
  if (table.need("default").kind == TomlNode::Kind::text) {
    dimension.computed_default = table.expression("default");
    table.refuse({"host_default"}, "a 'default' that is an expression");
    return dimension;
  }
  dimension.default_value = table.integer("default");
  check_in_range(table, "default", dimension.default_value, dimension);
  dimension.host_default = table.integer("host_default", dimension.default_value);
  if (table.has("host_default"))
    check_in_range(table, "host_default", dimension.host_default, dimension);
  return dimension;
}

bool is_label_of(const Choice& choice, const std::string& label) {
  return is_among(label, choice.labels);
}

// `earlier`: the choices before this one, which its default may use.
Choice read_choice(const TableReader& table, const std::vector<Choice>& earlier) {
  Choice choice;
  read_name(table, choice);
  table.need("values");
  for (const TomlNode& node : table.elements("values")) {
    std::string label = table.label_of("values", node);
    if (is_label_of(choice, label)) table.fail(node, "the label '{}' is listed twice", label);
    choice.labels.push_back(std::move(label));
  }
  if (choice.labels.empty()) table.fail(table.need("values"), "'values' must not be empty");
  choice.default_label = table.text("default");
  if (!is_label_of(choice, choice.default_label)) {
    const bool is_choice = find_named(earlier, choice.default_label) != nullptr;
    if (is_label(choice.default_label) && !is_choice)
      table.fail(table.need("default"), "the default '{}' is not in 'values'{}",
                 choice.default_label, suggestion(choice.default_label, choice.labels));
    choice.computed_default = table.expression("default");
  }
  choice.absent = table.text("absent", "");
  if (table.has("absent") && !is_label_of(choice, choice.absent))
    table.fail(table.need("absent"), "'absent' is '{}', which is not in 'values'{}", choice.absent,
               suggestion(choice.absent, choice.labels));
  const bool does_not_matter = table.one_of("role", std::array{"class", "none"}, false);
  choice.role = does_not_matter ? ProblemRole::none : ProblemRole::same;
  return choice;
}

std::string wrong_value(const Operation& operation, const std::string& name, const Value& value) {
  std::vector<std::string> known;
  for (const Dimension& dimension : operation.dimensions) {
    known.push_back(dimension.name);
    if (dimension.name != name) continue;
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr) return fmt::format("{} must be an integer", name);
    if (*number >= dimension.minimum && *number <= dimension.maximum) return {};
    return fmt::format("{} = {} is outside {} to {}", name, *number, dimension.minimum,
                       dimension.maximum);
  }
  for (const Choice& choice : operation.choices) {
    known.push_back(choice.name);
    if (choice.name != name) continue;
    const std::string label = to_text(value);
    if (is_label_of(choice, label)) return {};
    return fmt::format("{} has no value '{}'{}", name, label, suggestion(label, choice.labels));
  }
  return fmt::format("no dimension or choice '{}'{}", name, suggestion(name, known));
}

// A built-in reference cannot call hooks. An operation with hooks needs a reference kernel too.
Reference read_reference(const TableReader& operation, bool has_hooks) {
  const TomlNode* const node = operation.find("reference");
  if (node == nullptr && !has_hooks) return {};
  const TableReader table(
      operation.file(), operation.need("reference"), "[operation.reference]",
      {"builtin", "source", "launch", "include", "options", "compiled_in", "constant", "loop"});
  Reference reference;
  reference.builtin = table.text("builtin", "");
  const bool has_kernel = table.has("source");
  if (has_hooks && !has_kernel)
    table.fail(table.node(),
               "[operation.reference] needs 'source', a kernel that calls the operation's hooks");
  if (!has_hooks && table.has("builtin") == has_kernel)
    table.fail(table.node(), "[operation.reference] needs either 'builtin' or 'source'");
  if (!has_kernel) {
    if (const TomlNode* launch = table.find("launch"))
      table.fail(*launch, "a built-in reference has no launches");
    table.refuse({"include", "options", "compiled_in", "constant", "loop"}, "a built-in reference");
    return reference;
  }
  reference.source = source_of(table, "source");
  reference.include_directories = read_include_directories(table);
  table.read_fields(reference);
  read_compiler_options(
      table, DeviceCompiler::nvrtc,
      {reference.options, reference.include_directories, reference.dropped_options});
  reference.launches = read_reference_launches(table);
  reference.constants = read_constants(table, {"symbol", "from"});
  reference.loops = read_loops(table, "[[operation.reference.loop]]", reference.launches);
  const auto has_workspace = [](const auto& arguments) {
    return std::ranges::any_of(arguments, uses_workspace);
  };
  if (std::ranges::any_of(reference.loops, has_workspace, &Loop::swap) ||
      std::ranges::any_of(reference.launches, has_workspace, &Launch::arguments))
    table.fail(table.node(), "a reference kernel has no workspace");
  return reference;
}

// They are outputs, and one is left.
void check_ignored(const TableReader& table, const std::vector<std::string>& ignored,
                   const std::vector<std::string>& outputs) {
  for (std::size_t i = 0; i < ignored.size(); ++i)
    if (!is_among(ignored[i], outputs))
      table.fail(table.elements("ignored")[i], "'ignored': '{}' is no output{}", ignored[i],
                 suggestion(ignored[i], outputs));
  const auto is_ignored = [&](const std::string& output) { return is_among(output, ignored); };
  if (!ignored.empty() && std::ranges::all_of(outputs, is_ignored))
    table.fail(table.need("ignored"), "'ignored' names all outputs; one must be compared");
}

Comparison read_comparison(const TableReader& given, const Operation& operation) {
  Comparison comparison;
  const TomlNode* node = given.find("compare");
  if (node == nullptr) return comparison;
  const TableReader table(given.file(), *node, "[operation.compare]",
                          {"reduction", "scale", "absolute", "relative", "how", "sums", "inputs",
                           "tolerance", "mismatches", "ignored"});
  table.read_fields(comparison, "sums");
  if (table.has("sums")) comparison.sums = type_expression(table, "sums");
  comparison.reduced = table.one_of("how", std::array{"elementwise", "reduced"}, false);
  if (comparison.scale <= 0) table.fail(table.need("scale"), "'scale' must be above 0");
  for (const char* name : {"absolute", "relative", "tolerance"})
    if (table.number(name, 0) < 0) table.fail(table.need(name), "'{}' is below 0", name);
  if (comparison.mismatches < 0 || comparison.mismatches > 1)
    table.fail(table.need("mismatches"), "'mismatches' is a share from 0 to 1");
  if (comparison.reduced) table.refuse({"mismatches"}, "how = \"reduced\"");
  check_ignored(table, comparison.ignored,
                buffers_of(operation, {ArgumentRole::output, ArgumentRole::inout}));
  return comparison;
}

// Whether the operation's one choice about preparation has the argument's name.
bool is_prepared(const Operation& operation, const Argument& argument) {
  const Choice* const choice = preparation_of(operation);
  return choice != nullptr && choice->name == argument.name &&
         std::ranges::equal(choice->labels, kPreparations) &&
         argument.kind == ArgumentKind::buffer && argument.role == ArgumentRole::input;
}

void read_problem(const TableReader& table, Operation& operation) {
  read_named(table, "dimension", "[[operation.dimension]]",
             {"name", "about", "default", "host_default", "minimum", "maximum", "role"},
             operation.dimensions, read_dimension);
  read_named(
      table, "choice", "[[operation.choice]]",
      {"name", "about", "values", "default", "absent", "role"}, operation.choices,
      [&](const TableReader& reader) { return read_choice(reader, operation.choices); },
      names_of(operation.dimensions, &Dimension::name));
  operation.constraints = read_constraints(table, "[[operation.constraint]]");
  operation.hooks = read_hooks(table);
  operation.arguments = read_arguments(table, "[[operation.argument]]");
  // Evaluators need none; check_against() asks for an output of what kernels compute.
  if (!operation.arguments.empty() &&
      std::ranges::all_of(operation.arguments, [](const Argument& argument) {
        return argument.role == ArgumentRole::input;
      }))
    table.fail(table.node(), "the operation has no argument with role output or inout");
  const Vocabulary taken = problem_vocabulary(operation);
  for (std::size_t i = 0; i < operation.arguments.size(); ++i) {
    const std::string& name = operation.arguments[i].name;
    if (taken.contains(name) && !is_prepared(operation, operation.arguments[i]))
      table.fail(table.elements("argument")[i].entries.at("name"),
                 "the name '{}' is used twice; only one choice, with the values each_call and "
                 "prepared, may have the name of an input buffer",
                 name);
  }
}

// [from, to] or [from, to, step].
Workload::Range read_range(const TableReader& sizes, const std::string& name,
                           const Operation& operation) {
  const Dimension* const dimension = find_named(operation.dimensions, name);
  const TomlNode& node = sizes.need(name);
  const std::vector<TomlNode>& elements = sizes.elements(name);
  std::vector<std::int64_t> numbers;
  for (const TomlNode& element : elements)
    if (element.kind == TomlNode::Kind::integer) numbers.push_back(element.integer);
  if (numbers.size() != elements.size() || numbers.size() < 2 || numbers.size() > 3)
    sizes.fail(node, "'{}' must be [from, to] or [from, to, step], integers", name);
  Workload::Range range{name, numbers[0], numbers[1], numbers.size() > 2 ? numbers[2] : 1};
  const std::int64_t least = std::max<std::int64_t>(dimension->minimum, 1);
  if (range.from < least || range.to < range.from || range.to > dimension->maximum ||
      range.step < 1 || range.to / range.step * range.step < range.from)
    sizes.fail(node,
               "'{}' must be from {} to {} at most, with a multiple of the step between its ends",
               name, least, dimension->maximum);
  return range;
}

Workload read_workload(const TableReader& table, const Operation& operation) {
  Workload workload{table.label("name"), table.text("about", ""), {}, table.texts("choices")};
  const TomlNode& sizes = table.need("sizes");
  const TableReader reader(table.file(), sizes, "'sizes'",
                           names_of(operation.dimensions, &Dimension::name));
  for (const auto& entry : sizes.entries)
    workload.sizes.push_back(read_range(reader, entry.first, operation));
  for (std::size_t i = 0; i < workload.choices.size(); ++i)
    if (find_named(operation.choices, workload.choices[i]) == nullptr)
      table.fail(table.elements("choices")[i], "'{}' is no choice of the operation",
                 workload.choices[i]);
  return workload;
}

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
  read_name(table, metric);
  if (table.has("unit")) metric.unit = table.line_of("unit", table.need("unit"));
  metric.value = read_value(table);
  table.need("better");
  metric.better = table.one_of("better", std::array{"lower", "higher"}, metric.better);
  return metric;
}

std::vector<Metric> read_metrics(const TableReader& operation) {
  // What `results --sort` knows besides metrics.
  const std::vector<std::string> taken = {"time", "number", "registers", "shared", "occupancy"};
  std::vector<Metric> metrics;
  read_named(operation, "metric", "[[operation.metric]]",
             {"name", "about", "unit", "value", "better"}, metrics, read_metric, taken);
  return metrics;
}

}  // namespace

Operation read_operation(const TomlFile& file, const TomlNode& node) {
  const TableReader table(
      file, node, "[operation]",
      {"name", "about", "flops", "bytes", "classes", "checks", "dimension", "choice", "constraint",
       "hook", "argument", "reference", "compare", "workload", "metric"});
  Operation operation;
  operation.manifest = file.path;
  read_name(table, operation);
  read_problem(table, operation);
  table.read_fields(operation);
  operation.reference = read_reference(table, !operation.hooks.empty());
  operation.kernel_fills = read_kernel_fills(table, operation);
  operation.comparison = read_comparison(table, operation);
  for (const TomlNode& element : table.elements("checks")) {
    const TableReader check(file, element, "an element of 'checks'");
    operation.checks.push_back(
        read_settings(check, [&](const std::string& name, const Value& value) {
          return wrong_value(operation, name, value);
        }));
  }
  operation.metrics = read_metrics(table);
  read_named(table, "workload", "[[operation.workload]]", {"name", "about", "sizes", "choices"},
             operation.workloads,
             [&](const TableReader& workload) { return read_workload(workload, operation); });
  return operation;
}

void check_metrics(const Operation& operation, const std::vector<Implementation>& implementations) {
  ExpressionCheck checker(operation.manifest, "operation", operation.name, device_vocabulary());
  for (const Dimension& dimension : operation.dimensions) checker.add(dimension.name, {});
  for (const Choice& choice : operation.choices) checker.add(choice.name, choice.labels);
  Vocabulary labels;
  for (const Implementation& implementation : implementations) {
    if (implementation.operation != operation.name) continue;
    for (const Parameter& parameter : implementation.parameters) {
      std::vector<std::string>& all = labels[parameter.name];
      for (const std::string& label : labels_of(parameter))
        if (!is_among(label, all)) all.push_back(label);
    }
  }
  for (const auto& [name, all] : labels) checker.add(name, all);
  for (std::size_t i = 0; i < operation.metrics.size(); ++i) {
    const std::string key = fmt::format("metric[{}].value", i);
    for (const char* name : kMeasuredNames) {
      if (checker.knows(name) && operation.metrics[i].value.names().contains(name))
        checker.fail(key,
                     "'{}' is what was measured here, and also a name of the operation or a "
                     "parameter; rename that",
                     name);
    }
    ExpressionCheck with_measured = checker;
    for (const char* name : kMeasuredNames) with_measured.add(name, {});
    with_measured.add_arguments(operation.arguments);
    with_measured.check(key, operation.metrics[i].value);
  }
}

}  // namespace tilewright
