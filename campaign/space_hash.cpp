#include "campaign/space_hash.hpp"

#include <fmt/format.h>

#include "definition/source.hpp"
#include "definition/text/hash.hpp"
#include "tuner/sweep/prepare/checks.hpp"

namespace tilewright {
namespace {

// Each field has its length, so that different definitions never give the same text.
class Canonical {
 public:
  void add(const std::string& field) { text_ += fmt::format("{}:{};", field.size(), field); }
  void add(const Expression& expression) { add(expression.text()); }
  void add(const std::array<Expression, 3>& expressions) {
    for (const Expression& expression : expressions) add(expression);
  }
  std::string hash() const { return hex_hash(text_); }

 private:
  std::string text_;
};

void add_tensor_map(Canonical& canonical, const TensorMap& map) {
  for (const auto* numbers : {&map.dims, &map.strides, &map.box}) {
    canonical.add(std::to_string(numbers->size()));
    for (const Expression& number : *numbers) canonical.add(number);
  }
  canonical.add(map.swizzle);
  canonical.add(map.promote);
}

void add_real(Canonical& canonical, const RealValue& real) {
  if (real.number) canonical.add(fmt::format("real={}", *real.number));
  if (real.divisor) canonical.add("divisor=" + real.divisor->text());
}

void add_launch(Canonical& canonical, const Launch& launch) {
  using Kind = LaunchArgument::Kind;
  canonical.add(launch.entry);
  canonical.add(launch.when);
  canonical.add(launch.grid);
  canonical.add(launch.block);
  canonical.add(launch.cluster);
  canonical.add(launch.shared_bytes);
  for (const LaunchArgument& argument : launch.arguments) {
    canonical.add(std::to_string(static_cast<int>(argument.kind)));
    canonical.add(argument.name);
    canonical.add(argument.value);
    canonical.add(to_text(argument.type));
    // Added only if present, so that definitions without them keep their hash.
    add_real(canonical, argument.real);
    if (argument.when.text() != Expression{1}.text()) canonical.add(argument.when);
    if (argument.kind == Kind::tensor_map || argument.kind == Kind::workspace_map)
      add_tensor_map(canonical, argument.map);
    if (argument.kind == Kind::workspace_map) canonical.add(argument.map.type);
    if (argument.kind == Kind::texture) {
      canonical.add(std::to_string(argument.texture.dims.size()));
      for_each_expression(argument.texture, [&](const Expression& one) { canonical.add(one); });
    }
  }
  if (launch.dependent_launch.text() != Expression{}.text()) {
    canonical.add("dependent_launch");
    canonical.add(launch.dependent_launch);
  }
  if (launch.cooperative.text() != Expression{}.text())
    canonical.add("cooperative=" + launch.cooperative.text());
  if (!launch.loop.empty()) canonical.add("loop=" + launch.loop);
  if (!launch.unit.empty()) canonical.add("unit=" + launch.unit);
}

void add_loops(Canonical& canonical, const std::vector<Loop>& loops) {
  for (const Loop& loop : loops) {
    canonical.add(fmt::format("loop={} trips={}", loop.name, loop.trips.text()));
    for (const LaunchArgument& place : loop.swap)
      canonical.add(fmt::format("swap={} {}", place.name, place.value.text()));
  }
}

void add_constants(Canonical& canonical, const std::vector<ConstantSymbol>& constants) {
  for (const ConstantSymbol& constant : constants) {
    canonical.add(fmt::format("constant={} from={}", constant.symbol, constant.from));
    canonical.add(constant.unit);
    canonical.add(constant.when);
  }
}

void add_unit(Canonical& canonical, const SourceUnit& unit) {
  canonical.add("unit=" + unit.name);
  for (const auto& [name, value] : unit.macros) canonical.add(name + '=' + value.text());
  if (unit.max_registers) canonical.add("max_registers=" + unit.max_registers->text());
}

// Everything that decides whether an answer is right: inputs, checks, reference, comparison.
void add_judgement(Canonical& canonical, const Operation& operation) {
  for (const Argument& argument : operation.arguments) {
    canonical.add(argument.name);
    canonical.add(argument.computed_type ? argument.computed_type->text() : to_text(argument.type));
    canonical.add(argument.count);
    if (argument.when.text() != Expression{1}.text()) canonical.add(argument.when);
    if (argument.lanes != 1) canonical.add(fmt::format("lanes={}", argument.lanes));
    canonical.add(argument.read_when);
    canonical.add(argument.value ? argument.value->text() : "");
    add_real(canonical, argument.real);
    canonical.add(fmt::format("{} {} {} {} {}", static_cast<int>(argument.kind),
                              static_cast<int>(argument.role), static_cast<int>(argument.fill.kind),
                              argument.fill.low, argument.fill.high));
    canonical.add(argument.fill.file.string());
    if (argument.fill.kind == Fill::Kind::normal)
      canonical.add(fmt::format("{} {}", argument.fill.mean, argument.fill.deviation));
    for (const FillNumber& one : kFillNumbers)
      if (const auto& number = argument.computed_fill.*one.computed)
        canonical.add(fmt::format("{}={}", one.key, number->text()));
    if (const auto& integers = argument.integer_fill)
      canonical.add(fmt::format("integers={} {}", integers->low, integers->high));
    if (argument.fill.divisor != 1) canonical.add(fmt::format("divided={}", argument.fill.divisor));
    const Fill& fill = argument.fill;
    if (fill.correlation != 1) canonical.add(fmt::format("correlated={}", fill.correlation));
    if (fill.border != 0 || fill.columns != 0)
      canonical.add(fmt::format("image={} {} {}", fill.border, fill.rows, fill.columns));
  }
  for (const auto& [name, fill] : operation.kernel_fills) {
    canonical.add("filled by kernel=" + name + ' ' + read_source(fill).hash);
    for (const std::string& option : fill.options) canonical.add("option=" + option);
    for (const Launch& launch : fill.launches) add_launch(canonical, launch);
  }
  for (const Settings& check : operation.checks) canonical.add(canonical_json(check));
  const Reference& reference = operation.reference;
  canonical.add(reference.builtin);
  if (reference.builtin.empty() && has_reference(operation))
    canonical.add(read_source(reference).hash);
  for (const std::string& option : reference.options) canonical.add("option=" + option);
  for (const std::string& name : reference.compiled_in) canonical.add("compiled_in=" + name);
  for (const Launch& launch : reference.launches) add_launch(canonical, launch);
  add_loops(canonical, reference.loops);
  add_constants(canonical, reference.constants);
  canonical.add(operation.comparison.reduction);
  const Comparison& comparison = operation.comparison;
  canonical.add(fmt::format("{} {}", comparison.reduced, comparison.scale));
  if (comparison.sums) canonical.add("sums=" + comparison.sums->text());
  if (comparison.inputs.text() != Expression{}.text())
    canonical.add("inputs=" + comparison.inputs.text());
  if (comparison.tolerance != 0) canonical.add(fmt::format("tolerance={}", comparison.tolerance));
  if (comparison.mismatches != 0)
    canonical.add(fmt::format("mismatches={}", comparison.mismatches));
  if (comparison.absolute) canonical.add(fmt::format("absolute={}", *comparison.absolute));
  if (comparison.relative) canonical.add(fmt::format("relative={}", *comparison.relative));
}

}  // namespace

std::string space_hash(const Implementation& implementation, const Operation& operation) {
  Canonical canonical;
  add_judgement(canonical, operation);
  canonical.add(implementation.requires_architecture);
  for (const Parameter& parameter : implementation.parameters) {
    canonical.add(parameter.name);
    for (const Value& value : parameter.values) canonical.add(tilewright::to_text(value));
    canonical.add(tilewright::to_text(parameter.default_value));
    if (parameter.absent) canonical.add("absent=" + tilewright::to_text(*parameter.absent));
    canonical.add(parameter.active ? parameter.active->text() : "");
    if (parameter.compiled_in.text() != Expression(1).text())
      canonical.add("compiled_in=" + parameter.compiled_in.text());
  }
  for (const Constraint& constraint : implementation.constraints) canonical.add(constraint.require);
  for (const Remark& remark : implementation.remarks)
    for (const std::string& code : remark.codes) canonical.add("remark=" + code);
  if (implementation.architecture_specific) canonical.add("architecture_specific");
  if (implementation.compiler == DeviceCompiler::nvcc) canonical.add("compiler=nvcc");
  if (implementation.max_registers.text() != Expression{}.text())
    canonical.add("max_registers=" + implementation.max_registers.text());
  for (const std::string& option : implementation.options) canonical.add(option);
  for (const CompiledIn& item : implementation.compiled_in) {
    canonical.add(item.name);
    canonical.add(item.when);
    if (item.term) canonical.add("term=" + item.term->text());
  }
  for (const SourceUnit& unit : implementation.units) add_unit(canonical, unit);
  for (const Launch& launch : implementation.launches) add_launch(canonical, launch);
  add_loops(canonical, implementation.loops);
  add_constants(canonical, implementation.constants);
  canonical.add(implementation.workspace.bytes);
  canonical.add(std::to_string(static_cast<int>(implementation.workspace.zero)));
  canonical.add(implementation.estimate.shared_bytes);
  canonical.add(implementation.estimate.registers);
  return canonical.hash();
}

}  // namespace tilewright
