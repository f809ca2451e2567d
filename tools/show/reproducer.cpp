#include "tools/show/reproducer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <regex>
#include <sstream>

#include "definition/text/escape.hpp"
#include "tools/show/reproducer_texts.hpp"
#include "tuner/backend/entry_key.hpp"
#include "tuner/backend/source.hpp"
#include "tuner/verify/npy.hpp"

namespace tilewright::tools {
namespace {

constexpr const char* kReferenceNamespace = "tilewright_reference";

std::string fill_namespace(const std::string& argument) {
  return "tilewright_fill_" + argument;
}

constexpr std::array kRoles = {"Role::input", "Role::output", "Role::inout"};  // by ArgumentRole
constexpr std::array kClears = {"Clear::never", "Clear::once",
                                "Clear::each"};  // by Workspace::Fill

// Correlation and border, if there are any.
std::string image_text(const Fill& fill) {
  if (fill.correlation == 1 && fill.border == 0) return "";
  return fmt::format(", {}, {}, {}, {}", fill.correlation, fill.border, fill.rows, fill.columns);
}

// Where the elements begin. 0 if it cannot be read here; then the program says so.
std::size_t begin_in_file(const PlannedBuffer& buffer) try {
  return is_npy(buffer.fill.file) ? npy_offset(buffer.fill.file, buffer.type, buffer.count) : 0;
} catch (const InputError&) {
  return 0;
}

std::string fill_text(const Fill& fill) {
  if (fill.kind == Fill::Kind::normal)
    return fmt::format("{{Filling::normal, {}, {}{}}}", fill.mean, fill.deviation,
                       image_text(fill));
  const char* const kind = fill.kind == Fill::Kind::uniform       ? "uniform"
                           : fill.kind == Fill::Kind::integers    ? "integers"
                           : fill.kind == Fill::Kind::sorted      ? "sorted"
                           : fill.kind == Fill::Kind::offsets     ? "offsets"
                           : fill.kind == Fill::Kind::permutation ? "permutation"
                                                                  : "constant";
  return fmt::format("{{Filling::{}, {}, {}{}}}", kind, fill.low, fill.high, image_text(fill));
}

// The contents of the argument before a call.
std::string contents(const PlannedBuffer& buffer, std::size_t index) {
  const std::int64_t count = buffer.kind == ArgumentKind::scalar ? 1 : buffer.count;
  const std::int64_t bytes = count * static_cast<std::int64_t>(size_of(buffer.type));
  if (buffer.role == ArgumentRole::output) return fmt::format("poison({})", bytes);
  if (buffer.has_value && buffer.is_real)
    return fmt::format("bytes_of<{}>({})", facts_of(buffer.type).cpp, buffer.real);
  if (buffer.has_value)
    return fmt::format("bytes_of<{}>({})", facts_of(buffer.type).cpp, buffer.value);
  if (buffer.fill.kind == Fill::Kind::file)
    return fmt::format("bytes_of_file({}, {}, {})", cpp_literal(buffer.fill.file.string()),
                       begin_in_file(buffer), bytes);
  return fmt::format("filled<{}>({}, {}, {}, kSeed)", facts_of(buffer.type).cpp,
                     fill_text(buffer.fill), count, index);
}

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
    text +=
        fmt::format("      argument<{}>({}, {}, {},\n       {}{}),\n", facts_of(buffer.type).cpp,
                    cpp_literal(buffer.name), kRoles.at(static_cast<std::size_t>(buffer.role)),
                    buffer.kind == ArgumentKind::buffer, contents(buffer, i),
                    constants_text(problem, i, entries));
  }
  return text + "  };\n";
}

std::string tensor_map_mode(const char* what, std::int64_t bytes, const char* unit) {
  const std::string size = bytes == 0 ? "NONE" : fmt::format(fmt::runtime(unit), bytes);
  return fmt::format("CU_TENSOR_MAP_{}_{}", what, size);
}

std::string map_text(const PlannedArgument& argument) {
  const PlannedTensorMap& map = argument.map;
  std::vector<std::int64_t> strides = map.strides;
  for (std::int64_t& stride : strides) stride *= static_cast<std::int64_t>(size_of(map.type));
  const bool is_of_workspace = argument.kind == PlannedArgument::Kind::workspace_map;
  return fmt::format(
      "tensor_map({{CU_TENSOR_MAP_DATA_TYPE_{}, {{{}}}, {{{}}}, {{{}}}, {}, {}}}, {})",
      facts_of(map.type).tensor_map, fmt::join(map.dims, ", "), fmt::join(strides, ", "),
      fmt::join(map.box, ", "), tensor_map_mode("SWIZZLE", map.swizzle, "{}B"),
      tensor_map_mode("L2_PROMOTION", map.promote, "L2_{}B"),
      is_of_workspace ? fmt::format("workspace.address({})", argument.offset)
                      : fmt::format("operands.address({})", argument.index));
}

constexpr std::array kAddressModes = {"Clamp", "Border", "Wrap", "Mirror"};  // by TextureAddress

std::string channels_text(const PlannedTexture& texture) {
  const std::int64_t count = components_of(texture);
  std::array<std::int64_t, 4> bits{};
  std::fill_n(bits.begin(), count, 8 * texture.element_bytes() / count);
  const char* const kind = !is_integer(texture.type)   ? "Float"
                           : is_unsigned(texture.type) ? "Unsigned"
                                                       : "Signed";
  return fmt::format("cudaCreateChannelDesc({}, cudaChannelFormatKind{})", fmt::join(bits, ", "),
                     kind);
}

std::string texture_text(const PlannedTexture& texture, int number) {
  const TextureExtent extent = extent_of(texture);
  const TextureModes& modes = texture.modes;
  std::vector<std::string> addresses;
  for (const TextureAddress address : modes.address)
    addresses.push_back(
        fmt::format("cudaAddressMode{}", kAddressModes.at(static_cast<std::size_t>(address))));
  return fmt::format(
      "texture(operands, {}, {}, {{{}, {}, {}, {}, {}, {}, {}, {}}}, {{{{{}}}, cudaFilterMode{}, "
      "cudaReadMode{}, 0, {{}}, {}}})",
      number, texture.index, texture.dims.size(), modes.memory == TextureMemory::array,
      channels_text(texture), extent.width, extent.height, extent.depth, extent.row_bytes,
      extent.rows_per_slice, fmt::join(addresses, ", "),
      modes.filter == TextureFilter::linear ? "Linear" : "Point",
      modes.read == TextureRead::normalized ? "NormalizedFloat" : "ElementType",
      modes.coordinates == TextureCoordinates::normalized ? 1 : 0);
}

// The bytes as a little-endian number.
std::uint64_t bits_of(const std::vector<std::uint8_t>& bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), std::min(bytes.size(), sizeof bits));
  return bits;
}

std::string parameter_text(const PlannedArgument& argument, const LaunchPlan& plan,
                           const ReproducedProblem& problem) {
  using Kind = PlannedArgument::Kind;
  if (argument.kind == Kind::workspace) return fmt::format("workspace.at({})", argument.offset);
  if (argument.kind == Kind::bytes)
    return fmt::format("number<{}>({}U)", argument.bytes.size(), bits_of(argument.bytes));
  if (argument.has_map()) return map_text(argument);
  if (argument.kind == Kind::texture)
    return texture_text(plan.textures[static_cast<std::size_t>(argument.index)], argument.index);
  const PlannedBuffer& buffer = problem.buffers[static_cast<std::size_t>(argument.index)];
  const auto size = static_cast<std::int64_t>(size_of(buffer.type));
  if (argument.kind == Kind::by_value)
    return fmt::format("operands.value<{}>({}) /* {} */", argument.size, argument.index,
                       buffer.name);
  if (buffer.kind == ArgumentKind::buffer)
    return fmt::format("operands.pointer({}) /* {} */", argument.index, buffer.name);
  const std::int64_t count = buffer.kind == ArgumentKind::array ? buffer.capacity : 1;
  return fmt::format("operands.value<{}>({}) /* {} */", count * size, argument.index, buffer.name);
}

std::string extent_text(const std::array<std::int64_t, 3>& extent) {
  return fmt::format("{{{}, {}, {}}}", extent[0], extent[1], extent[2]);
}

// Grid, block, cluster, shared memory and attributes of a launch of `kernel`.
std::string shape_text(const PlannedLaunch& launch, const std::string& kernel) {
  const std::string shape =
      fmt::format("{{{}, {}, {}, {}{}{}}}", extent_text(launch.grid), extent_text(launch.block),
                  extent_text(launch.cluster), launch.shared_bytes,
                  launch.dependent_launch ? ", true"
                  : launch.cooperative    ? ", false"
                                          : "",
                  launch.cooperative ? ", true" : "");
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
  text += fmt::format("  const Rules rules = {{{}, {}, {}, true, {}, {}, {}, {}}};\n",
                      rules.reduction, rules.scale, rules.reduced, rules.sums, rules.tolerance,
                      rules.mismatches, rules.cut);
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
  return flat_source(fmt::format("#include \"reproducer_check.h\"\n{}{}{}",
                                 maps ? "#include \"reproducer_tensor_map.h\"\n" : "",
                                 textures ? "#include \"reproducer_texture.h\"\n" : "",
                                 grids ? "#include \"reproducer_grid.h\"\n" : ""),
                     {{"tilewright/narrow_float.hpp", std::string(kNarrowFloat)},
                      {"tuner/verify/fill_elements.h", std::string(kFillElements)},
                      {"tuner/verify/compare_elements.h", std::string(kCompareElements)},
                      {"reproducer_inputs.h", std::string(kReproducerInputs)},
                      {"reproducer_harness.h", std::string(kReproducerHarness)},
                      {"reproducer_check.h", std::string(kReproducerCheck)},
                      {"reproducer_grid.h", std::string(kReproducerGrid)},
                      {"reproducer_tensor_map.h", std::string(kReproducerTensorMap)},
                      {"reproducer_texture.h", std::string(kReproducerTexture)}});
}

// A reference or a kernel that fills gets a namespace, because it and the kernel may use one name
// for two things. A namespace does not separate extern "C" names, so they become C++ names.
// Includes stay outside.
std::string text_in_namespace(const CompileRequest& request, const std::string& name) {
  static const std::regex kC(R"(\bextern\s+"C"(?!\+))");
  std::istringstream stream(
      std::regex_replace(flat_source(request.source, request.headers), kC, "extern \"C++\""));
  static const std::regex kInclude(R"(\s*#\s*include\s*<.*)");
  std::string includes;
  std::string text;
  for (std::string line; std::getline(stream, line);)
    (std::regex_match(line, kInclude) ? includes : text) += line + '\n';
  return fmt::format("{}{}namespace {} {{\n{}}}  // namespace {}\n", define_lines(request.options),
                     includes, name, text, name);
}

std::string main_text(const AllEntries& entries) {
  std::string kernels;
  for (const std::string& entry : entries.kernels) kernels += ", " + entry;
  for (const std::string& entry : entries.references)
    kernels += is_constant_key(entry)
                   ? fmt::format(", &{}::{}", kReferenceNamespace, constant_name(entry))
                   : fmt::format(", {}::{}", kReferenceNamespace, entry);
  for (const std::string& entry : entries.fills) kernels += ", " + entry;
  return fmt::format(
      "int main(int argc, char** argv) {{\n"
      "  return tilewright_reproducer::run(tilewright_reproducer::calls_to_time(argc, argv){});\n"
      "}}\n",
      kernels);
}

}  // namespace

std::string reproducer_text(const Reproducer& reproducer) {
  const AllEntries entries = entries_of(reproducer);
  std::string text;
  for (const std::string& note : reproducer.notes) text += cpp_comment(note) + '\n';
  text += '\n' + harness_text(reproducer);
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
  return text + "\n// ==== main\n" + main_text(entries);
}

}  // namespace tilewright::tools
