#include <fmt/ranges.h>

#include "definition/text/escape.hpp"
#include "tools/input/command.hpp"
#include "tools/input/target.hpp"
#include "tools/print/names.hpp"
#include "tools/print/terminal.hpp"

namespace tilewright::tools {
namespace {

// What a manifest computes is shown as its expression.
Value shown_value(const std::optional<Expression>& computed, std::int64_t given) {
  return computed ? Value{computed->text()} : Value{given};
}

nlohmann::json json_of_implementation(const Implementation* implementation) {
  const auto json_of_parameter = [](const Parameter& one) -> nlohmann::json {
    return {{"name", one.name},
            {"about", one.about},
            {"values", json_list(one.values, json_of_value)},
            {"default", json_of_value(one.default_value)},
            {"active", one.active ? one.active->text() : ""}};
  };
  const auto json_of_constraint = [](const Constraint& one) -> nlohmann::json {
    return {{"require", one.require.text()}, {"why", one.why}};
  };
  const auto json_of_remark = [](const Remark& one) -> nlohmann::json {
    return {{"codes", one.codes}, {"why", one.why}};
  };
  return {{"name", implementation->full_name()},
          {"about", implementation->about},
          {"epoch", implementation->epoch},
          {"requires", implementation->requires_architecture},
          {"parameters", json_list(implementation->parameters, json_of_parameter)},
          {"constraints", json_list(implementation->constraints, json_of_constraint)},
          {"remarks", json_list(implementation->remarks, json_of_remark)},
          {"source", implementation->source.string()},
          {"evaluator", implementation->evaluator}};
}

nlohmann::json json_of_family(const Operation& operation,
                              const std::vector<const Implementation*>& implementations) {
  const auto json_of_dimension = [](const Dimension& one) -> nlohmann::json {
    return {{"name", one.name},
            {"about", one.about},
            {"default", json_of_value(shown_value(one.computed_default, one.default_value))},
            {"minimum", json_of_value(shown_value(one.computed_minimum, one.minimum))},
            {"maximum", one.maximum}};
  };
  const auto json_of_choice = [](const Choice& one) -> nlohmann::json {
    return {{"name", one.name},
            {"about", one.about},
            {"values", one.labels},
            {"default", one.default_label}};
  };
  const auto json_of_hook = [](const Hook& hook) -> nlohmann::json {
    return {{"name", hook.name}, {"about", hook.about}};
  };
  return {{"name", operation.name},
          {"about", operation.about},
          {"dimensions", json_list(operation.dimensions, json_of_dimension)},
          {"choices", json_list(operation.choices, json_of_choice)},
          {"hooks", json_list(operation.hooks, json_of_hook)},
          {"implementations", json_list(implementations, json_of_implementation)}};
}

std::vector<std::string> snippet_names(const Hook& hook, const std::vector<Snippet>& snippets) {
  std::vector<std::string> names = {kNoSnippet};
  for (const Snippet& snippet : snippets)
    if (snippet.hook == hook.name) names.push_back(snippet.name);
  names.emplace_back("FILE.toml");
  return names;
}

// A dimension, a choice, a hook or a parameter.
struct NamedLine {
  std::string name;
  std::string usual;
  std::string values;
  std::string about;
};

std::string shortened(const std::string& text, std::size_t most) {
  return width_of(text) > most ? clipped(text, most - 3) + "..." : text;
}

// Brief in one line if its values leave room; what it means is cut there. Else it stands below.
void print_named(std::ostream& out, const NamedLine& named, Detail detail) {
  constexpr std::size_t kLongest = 100, kLongestDefault = 40;
  const auto& [name, usual, values, about] = named;
  const bool is_brief = detail == Detail::brief;
  const std::string head = visible_line(fmt::format(
      "{} = {}  ({})", name, is_brief ? shortened(usual, kLongestDefault) : usual, values));
  const std::size_t columns = columns_of(out) == 0 ? kLongest : columns_of(out);
  if (!is_brief || about.empty() || width_of(head) + 12 > columns) {
    print_wrapped(out, "  ", head);
    if (!is_brief) print_wrapped(out, "      ", visible_line(about));
    return;
  }
  out << "  " << shortened(head + "  " + visible_line(about), columns - 2) << '\n';
}

void print_operation(std::ostream& out, const Operation& operation,
                     const std::vector<Snippet>& snippets, Detail detail) {
  print_wrapped(out, "", operation.name + ": " + operation.about);
  out << "\nproblem (name = default)\n";
  for (const Dimension& dimension : operation.dimensions)
    print_named(
        out,
        {dimension.name, to_text(shown_value(dimension.computed_default, dimension.default_value)),
         fmt::format("{} to {}",
                     to_text(shown_value(dimension.computed_minimum, dimension.minimum)),
                     dimension.maximum),
         dimension.about},
        detail);
  for (const Choice& choice : operation.choices)
    print_named(out,
                {choice.name, choice.default_label,
                 fmt::format("{}", fmt::join(choice.labels, " ")), choice.about},
                detail);
  for (const Hook& hook : operation.hooks)
    print_named(out,
                {hook.name, kNoSnippet,
                 fmt::format("{}", fmt::join(snippet_names(hook, snippets), " ")), hook.about},
                detail);
  print_dropped_options(out, operation);
}

void print_rules(std::ostream& out, const Implementation& implementation) {
  Table rules({"constraint"});
  for (const Constraint& constraint : implementation.constraints) {
    rules.add({"- " + (constraint.why.empty() ? constraint.require.text() : constraint.why)});
    if (!constraint.why.empty()) rules.add({"    " + constraint.require.text()});
  }
  if (!rules.empty()) rules.print(out, "  ");
  Table remarks({"compiler's remark", ""});
  for (const Remark& remark : implementation.remarks)
    remarks.add({fmt::format("{}", fmt::join(remark.codes, " ")), remark.why});
  if (!remarks.empty()) remarks.print(out, "  ");
}

void print_implementation(std::ostream& out, const Implementation& implementation, Detail detail) {
  constexpr std::size_t kLongestValues = 60;
  print_wrapped(out << '\n', "", implementation.full_name() + ": " + implementation.about);
  if (!implementation.requires_architecture.empty())
    out << "  needs " << implementation.requires_architecture << '\n';
  if (implementation.architecture_specific)
    out << "  compiled for the specific target of the architecture\n";
  print_dropped_options(out, implementation);
  for (const Parameter& parameter : implementation.parameters) {
    std::string about = parameter.about;
    if (parameter.active) about += fmt::format(" (where {})", parameter.active->text());
    std::string values = joined(parameter.values, " ");
    if (detail == Detail::brief) values = shortened(values, kLongestValues);
    print_named(out, {parameter.name, to_text(parameter.default_value), values, about}, detail);
  }
  if (detail == Detail::full)
    print_rules(out, implementation);
  else if (const std::size_t rules = implementation.constraints.size(); rules > 0)
    out << fmt::format("  {}: --verbose\n", counted(rules, "constraint"));
}

void add_rows(Table& table, const std::vector<const Implementation*>& implementations) {
  for (const Implementation* one : implementations)
    table.add({one->full_name(), std::to_string(one->parameters.size()), one->about});
}

// Brief, several are a line each.
void print_implementations(std::ostream& out, const Target& target, Detail detail) {
  const std::vector<const Implementation*>& all = target.implementations;
  if (detail == Detail::full || all.size() == 1) {
    for (const Implementation* one : all) print_implementation(out, *one, detail);
    return;
  }
  Table table({"implementation", "parameters", ""}, {1});
  add_rows(table, all);
  table.print(out << '\n');
  out << fmt::format("the parameters: `tilewright kernels {}`; all of all: --verbose\n",
                     all.front()->full_name());
}

struct KernelsGiven : GivenPrinting {
  Places places;

  void declare(Options& all) {
    places.declare(all, {kKernels});
    GivenPrinting::declare(all);
  }
};

// What one name means: an operation, or all of a file.
int show_named(const KernelsGiven& given) {
  if (given.words.size() > 1)
    throw bad_input("kernels takes one name; '{}' is one too many", given.words[1]);
  std::vector<nlohmann::json> all;
  for (const std::vector<std::string>& words : by_operation(given.words, given.places)) {
    const Target target = read_target(words, given.places);
    if (!given.json && !all.empty()) std::cout << '\n';
    all.push_back(json_of_family(target.operation(), target.implementations));
    if (given.json) continue;
    print_operation(std::cout, target.operation(), target.snippets, given.detail);
    print_implementations(std::cout, target, given.detail);
  }
  if (given.json)
    print_json(std::cout, all.size() == 1 ? all.front() : nlohmann::json{{"operations", all}});
  return kDone;
}

int run_all(const KernelsGiven& given) {
  const Library library = load_library(given.places);
  nlohmann::json json = nlohmann::json::array();
  Table table({"name", "parameters", ""});
  for (const auto& [name, family] : library.families()) {
    std::vector<const Implementation*> implementations;
    table.add({name, "", family.operation.about});
    for (const Implementation& one : family.implementations) implementations.push_back(&one);
    add_rows(table, implementations);
    json.push_back(json_of_family(family.operation, implementations));
  }
  if (given.json) {
    print_json(std::cout, nlohmann::json{{"operations", json}});
  } else if (table.empty()) {
    std::cerr << "no kernel definitions found; name a folder with --kernels\n";
  } else {
    table.print(std::cout);
  }
  return json.empty() ? kNothing : kDone;
}

int run_kernels(const KernelsGiven& given) {
  return given.words.empty() ? run_all(given) : show_named(given);
}

}  // namespace

Command kernels_command() {
  return make_command(
      {"kernels", Purpose::tune,
       "List operations and implementations, or the dimensions and parameters of one.",
       "[OPERATION[/IMPLEMENTATION]|FILE.toml] [options]",
       "  tilewright kernels\n"
       "  tilewright kernels gemm/tiled\n"},
      run_kernels);
}

}  // namespace tilewright::tools
