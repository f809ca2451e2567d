#include "tools/show/reproducer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "definition/source.hpp"
#include "definition/text/escape.hpp"
#include "definition/text/scanner.hpp"
#include "tilewright/error.hpp"
#include "tuner/host/compile/adapt.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/plan/flat_source.hpp"

namespace tilewright::tools {
namespace {

constexpr const char* kReferenceNamespace = "tilewright_reference";

std::string fill_namespace(const std::string& argument) {
  return "tilewright_fill_" + argument;
}

constexpr std::array kRoles = {"Role::input", "Role::output", "Role::inout"};  // by ArgumentRole
constexpr std::array kClears = {"Clear::never", "Clear::once",
                                "Clear::each"};  // by Workspace::Fill

// Kernels, and variables as constant_key() names them.
using Entries = std::vector<std::string>;

void add_entry(Entries& entries, const std::string& entry) {
  if (std::find(entries.begin(), entries.end(), entry) == entries.end()) entries.push_back(entry);
}

void add_entries(Entries& entries, const LaunchPlan& plan) {
  for (const PlannedLaunch& launch : plan.launches) add_entry(entries, launch.entry);
  for (const PlannedConstant& constant : plan.constants) add_entry(entries, constant.key);
}

struct AllEntries {
  Entries kernels;
  Entries references;
  Entries fills;  // with their namespaces
};

// The launches of a kernel that fills the argument, with the entries of its namespace.
LaunchPlan in_namespace(LaunchPlan plan, const std::string& argument) {
  for (PlannedLaunch& launch : plan.launches)
    launch.entry = fill_namespace(argument) + "::" + launch.entry;
  return plan;
}

// The variables that an argument fills, by the names of the function's parameters.
void add_constants(std::vector<std::string>& names, const LaunchPlan& plan, std::size_t argument,
                   const Entries& entries, const char* prefix) {
  for (const PlannedConstant& constant : plan.constants)
    if (static_cast<std::size_t>(constant.index) == argument)
      names.push_back(
          fmt::format("{}_{}", prefix,
                      std::find(entries.begin(), entries.end(), constant.key) - entries.begin()));
}

std::string constants_text(const ReproducedProblem& problem, std::size_t argument,
                           const AllEntries& entries) {
  std::vector<std::string> names;
  add_constants(names, problem.launches, argument, entries.kernels, "kernel");
  if (problem.reference)
    add_constants(names, *problem.reference, argument, entries.references, "reference");
  return names.empty() ? "" : fmt::format(", {{{}}}", fmt::join(names, ", "));
}

std::string arguments_text(const ReproducedProblem& problem, const AllEntries& entries) {
  std::string text = fmt::format("  {}std::vector<Argument> arguments = {{\n",
                                 problem.fills.empty() ? "const " : "");
  for (std::size_t i = 0; i < problem.buffers.size(); ++i) {
    const PlannedBuffer& buffer = problem.buffers[i];
    const std::vector<std::string>& ignored = problem.comparison.ignored;
    const bool is_compared = std::ranges::find(ignored, buffer.name) == ignored.end();
    text += fmt::format(
        "      argument<{}>({}, {}, {},\n       {}{}),\n", facts_of(buffer.type).cpp,
        cpp_literal(buffer.name),
        is_compared ? kRoles.at(static_cast<std::size_t>(buffer.role)) : "Role::ignored",
        buffer.kind == ArgumentKind::buffer, contents(buffer, i),
        constants_text(problem, i, entries));
  }
  return text + "  };\n";
}

std::string initializer(const std::array<std::int64_t, 3>& extent) {
  return fmt::format("{{{}, {}, {}}}", extent[0], extent[1], extent[2]);
}

// Grid, block, cluster, shared memory and attributes of a launch of `kernel`.
std::string shape_text(const PlannedLaunch& launch, const std::string& kernel) {
  std::string attributes;  // the members of Shape have the order of PlannedLaunch
  std::string last;
  for_each_attribute(launch, [&](std::string_view, auto value) {
    last += fmt::format(", {}", value);
    if (value != 0) attributes += std::exchange(last, "");
  });
  const std::string shape =
      fmt::format("{{{}, {}, {}, {}{}}}", initializer(launch.grid), initializer(launch.block),
                  initializer(launch.cluster), launch.shared_bytes, attributes);
  if (!launch.has_open_grid()) return shape;
  std::array<std::string, 3> grid = launch.grid_texts;
  for (std::size_t i = 0; i < grid.size(); ++i)
    if (grid.at(i).empty()) grid.at(i) = std::to_string(launch.grid.at(i));
  return fmt::format(
      "with_grid({}, {}, {},\n"
      "           [](Whole resident) {{ return Grid{{{}}}; }})",
      cpp_literal(launch.entry), kernel, shape, fmt::join(grid, ", "));
}

// `kernel` is the prefix of the kernels' names.
std::string launches_text(const LaunchPlan& plan, const ReproducedProblem& problem,
                          const Entries& entries, const char* kernel) {
  std::string text;
  for (const PlannedLaunch& launch : plan.launches) {
    const auto number = std::find(entries.begin(), entries.end(), launch.entry) - entries.begin();
    const std::string name = fmt::format("{}_{}", kernel, number);
    text += fmt::format(
        "    // grid, block, cluster, bytes of dynamic shared memory{}\n"
        "    launch({}, {}, {}, stream",
        launch.dependent_launch ? ", may begin early" : "", cpp_literal(launch.entry), name,
        shape_text(launch, name));
    for (const PlannedArgument& argument : launch.arguments)
      text += ",\n           " + parameter_text(argument, plan, problem);
    text += ");\n";
  }
  return text;
}

const std::string& filled_argument(const ReproducedProblem& problem, int argument) {
  return problem.buffers[static_cast<std::size_t>(argument)].name;
}

AllEntries entries_of(const Reproducer& reproducer) {
  AllEntries all;
  for (const ReproducedProblem& problem : reproducer.problems) {
    add_entries(all.kernels, problem.launches);
    if (problem.reference) add_entries(all.references, *problem.reference);
    for (const auto& [argument, fill] : problem.fills)
      add_entries(all.fills, in_namespace(fill, filled_argument(problem, argument)));
  }
  return all;
}

// "class Kernel0, class Reference0" or "Kernel0 kernel_0, …": `form` has the places {0} for the
// number, {1} for the beginning of a type and {2} for that of a name.
std::vector<std::string> kernel_words(const AllEntries& entries, const char* form) {
  std::vector<std::string> words;
  const auto add = [&](const Entries& all, const char* type, const char* name) {
    for (std::size_t i = 0; i < all.size(); ++i)
      words.push_back(fmt::format(fmt::runtime(form), i, type, name));
  };
  add(entries.kernels, "Kernel", "kernel");
  add(entries.references, "Reference", "reference");
  add(entries.fills, "Fill", "fill");
  return words;
}

std::string begin_function(const AllEntries& entries, const std::string& name,
                           const char* first_parameters) {
  std::vector<std::string> parameters = kernel_words(entries, "{1}{0} {2}_{0}");
  parameters.insert(parameters.begin(), first_parameters);
  return fmt::format("template <{}>\n{}({}) {{\n",
                     fmt::join(kernel_words(entries, "class {1}{0}"), ", "), name,
                     fmt::join(parameters, ", "));
}

// Of the arguments that kernels fill, in order.
std::string fills_text(const ReproducedProblem& problem, const AllEntries& entries) {
  std::string text;
  for (const auto& [argument, fill] : problem.fills)
    text += fmt::format(
        "  fill(arguments, {}, [=](const Operands& operands, cudaStream_t stream) {{\n{}  }});\n",
        argument,
        launches_text(in_namespace(fill, filled_argument(problem, argument)), problem,
                      entries.fills, "fill"));
  return text;
}

std::string problem_text(const ReproducedProblem& problem, std::size_t number,
                         const AllEntries& entries) {
  const LaunchPlan& plan = problem.launches;
  std::string text = cpp_comment(problem.label) + '\n';
  text += begin_function(entries, fmt::format("bool problem_{}", number), "int calls");
  text += fmt::format("  std::printf(\"%s\\n\", {});\n", cpp_literal(problem.label));
  text += arguments_text(problem, entries) + fills_text(problem, entries);
  const PlannedComparison& rules = problem.comparison;
  text += fmt::format("  const Rules rules = {{{}, {}, {}, true, {}, {}, {}, {}, {}, {}}};\n",
                      rules.reduction, rules.scale, rules.reduced, rules.sums, rules.tolerance,
                      rules.mismatches, rules.cut, rules.absolute, rules.relative);
  text += fmt::format("  const Workspace scratch({}, {});\n", plan.workspace_bytes,
                      kClears.at(static_cast<std::size_t>(plan.workspace_zero)));
  text +=
      "  const auto call = [=](const Operands& operands, const Workspace& workspace,\n"
      "                        cudaStream_t stream) {\n    workspace.begin_call(stream);\n" +
      launches_text(plan, problem, entries.kernels, "kernel") + "  };\n";
  if (problem.reference)
    text += "  const auto reference = [=](const Operands& operands, cudaStream_t stream) {\n" +
            launches_text(*problem.reference, problem, entries.references, "reference") + "  };\n";
  text += fmt::format("  const bool right = is_right(arguments, rules, scratch, call, {});\n",
                      problem.reference ? "reference" : "NoReference()");
  return text + "  print_time(arguments, scratch, call, calls);\n  return right;\n}\n\n";
}

std::string run_text(const Reproducer& reproducer, const AllEntries& entries) {
  const std::string kernels = fmt::format("{}", fmt::join(kernel_words(entries, "{2}_{0}"), ", "));
  std::string text = begin_function(entries, "int run", "int calls") + "  bool right = true;\n";
  for (std::size_t i = 0; i < reproducer.problems.size(); ++i)
    text +=
        fmt::format("  right = problem_{}({}, {}) && right;\n", i, i == 0 ? "calls" : "0", kernels);
  return text + "  return right ? 0 : 1;\n}\n";
}

bool has_tensor_map(const PlannedLaunch& launch) {
  return std::ranges::any_of(launch.arguments, &PlannedArgument::has_map);
}

bool any_launch(const Reproducer& reproducer, bool (*is_one)(const PlannedLaunch&)) {
  const auto in = [is_one](const LaunchPlan& plan) {
    return std::ranges::any_of(plan.launches, is_one);
  };
  return std::ranges::any_of(reproducer.problems, [&](const ReproducedProblem& problem) {
    return in(problem.launches) || (problem.reference && in(*problem.reference)) ||
           std::ranges::any_of(problem.fills, [&](const auto& fill) { return in(fill.second); });
  });
}

bool has_texture(const ReproducedProblem& problem) {
  return !problem.launches.textures.empty() ||
         (problem.reference && !problem.reference->textures.empty());
}

std::string harness_text(const Reproducer& reproducer) {
  const bool maps = any_launch(reproducer, has_tensor_map);
  const bool textures = std::ranges::any_of(reproducer.problems, has_texture);
  const bool grids =
      any_launch(reproducer, [](const PlannedLaunch& launch) { return launch.has_open_grid(); });
  if (reproducer.is_for_host() && (maps || textures))
    throw InputError(
        "a reproducer for the host device has no tensor maps and no textures; --source writes the "
        "kernel");
  std::map<std::string, std::string> files = reproducer.shim;
  files.merge(reproducer_headers());
  return flat_source(
      fmt::format("#include {}\n#include \"reproducer_check.h\"\n{}{}{}",
                  reproducer.is_for_host() ? "\"reproducer_host.h\"" : "<cuda_runtime.h>",
                  maps ? "#include \"reproducer_tensor_map.h\"\n" : "",
                  textures ? "#include \"reproducer_texture.h\"\n" : "",
                  grids ? "#include \"reproducer_grid.h\"\n" : ""),
      files);
}

// The headers in <…> that a text includes, for in front of it. Its own lines then have no effect,
// so they may stay where names of the headers must not be defined.
std::string includes_in_front(const std::string& text) {
  std::string result;
  for (const IncludeLine& include : includes_of(text))
    if (!include.is_quoted) result += host::include_if_present(include.name);
  return result;
}

// A reference or a kernel that fills gets a namespace, because it and the kernel may use one name
// for two things. A namespace does not separate extern "C" names, so they become C++ names.
std::string text_in_namespace(const CompileRequest& request, const std::string& name) {
  const std::string text = replace_at(flat_source(request.source, request.headers), "extern",
                                      [](Scanner& scanner) -> std::optional<std::string> {
                                        if (!scanner.blanks() || !scanner.piece("\"C\""))
                                          return std::nullopt;
                                        return "extern \"C++\"";
                                      });
  return fmt::format("{}{}namespace {} {{\n{}}}  // namespace {}\n", define_lines(request.options),
                     includes_in_front(text), name, text, name);
}

// The text with names of its namespace for those of the global one: "::f" with tilewright_program.
std::string with_program_names(std::string text) {
  constexpr std::string_view kProgram = "tilewright_program";
  for (std::size_t at = text.find("::", 1); at != std::string::npos; at = text.find("::", at + 2)) {
    const char before = text[at - 1];
    if (is_of_name(before) || before == '>' || before == ')' || at + 2 == text.size() ||
        !is_of_name(text[at + 2]))
      continue;
    text.insert(at, kProgram);
    at += kProgram.size();
  }
  return text;
}

// The names and macros of the host device's built-ins must not meet those of the C++ library.
std::string apart_from_library(const std::string& program) {
  return fmt::format(
      "{}namespace tilewright_program {{\nnamespace std = ::std;\n{}}}\n\n"
      "int main(int argc, char** argv) {{\n  return tilewright_program::main(argc, argv);\n}}\n",
      includes_in_front(program), with_program_names(program));
}

std::string main_text(const AllEntries& entries, int calls) {
  std::string kernels;
  for (const std::string& entry : entries.kernels) kernels += ", " + entry;
  for (const std::string& entry : entries.references)
    kernels += is_constant_key(entry)
                   ? fmt::format(", &{}::{}", kReferenceNamespace, constant_name(entry))
                   : fmt::format(", {}::{}", kReferenceNamespace, entry);
  for (const std::string& entry : entries.fills) kernels += ", " + entry;
  return fmt::format(
      "int main(int argc, char** argv) {{\n"
      "  return tilewright_reproducer::run(tilewright_reproducer::calls_to_time(argc, argv, "
      "{}){});\n"
      "}}\n",
      calls, kernels);
}

// A configuration makes loops and constants of a template superfluous.
constexpr const char* kQuiet =
    "\n#ifdef __NVCC__\n"
    "#pragma nv_diag_suppress 128  // loop is not reachable\n"
    "#pragma nv_diag_suppress 177  // declared but never referenced\n"
    "#endif\n";

}  // namespace

std::string reproducer_text(const Reproducer& reproducer) {
  const AllEntries entries = entries_of(reproducer);
  std::string text = kQuiet + ('\n' + harness_text(reproducer));
  text += fmt::format(
      "\nnamespace tilewright_reproducer {{\n\nconstexpr std::uint64_t kSeed = "
      "{}U;\n\n",
      reproducer.seed);
  for (std::size_t i = 0; i < reproducer.problems.size(); ++i)
    text += problem_text(reproducer.problems[i], i, entries);
  text += run_text(reproducer, entries) + "\n}  // namespace tilewright_reproducer\n";
  if (reproducer.reference)
    text +=
        "\n// ==== the reference\n" + text_in_namespace(*reproducer.reference, kReferenceNamespace);
  for (const auto& [argument, request] : reproducer.fills)
    text += fmt::format("\n// ==== the kernel that fills {}\n{}", argument,
                        text_in_namespace(request, fill_namespace(argument)));
  text += "\n// ==== the configuration and the kernel\n" + define_lines(reproducer.kernel.options);
  text += flat_source(reproducer.kernel.source, reproducer.kernel.headers);
  text += "\n// ==== main\n" + main_text(entries, reproducer.calls);
  std::string notes;
  for (const std::string& note : reproducer.notes) notes += cpp_comment(note) + '\n';
  return notes + (reproducer.is_for_host() ? apart_from_library(text) : text);
}

}  // namespace tilewright::tools
