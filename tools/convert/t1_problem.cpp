#include "tools/convert/t1_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "definition/json/codec.hpp"
#include "definition/manifest/table_reader.hpp"
#include "tilewright/error.hpp"
#include "tools/convert/json_place.hpp"
#include "tools/convert/legal_default.hpp"
#include "tools/convert/quotient.hpp"
#include "tools/convert/quotient_parts.hpp"
#include "tools/convert/t1_argument.hpp"

namespace tilewright::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 3> kAxes = {"X", "Y", "Z"};
constexpr std::array<const char*, 3> kDimensions = {"problem_size_x", "problem_size_y",
                                                    "problem_size_z"};
constexpr std::array<const char*, 3> kBlockNames = {"block_size_x", "block_size_y", "block_size_z"};

std::string name_in(const JsonPlace& place) {
  std::string name = place.text();
  if (!is_identifier(name))
    place.fail(fmt::format("'{}' must be a name as in C: letters, digits and _", name));
  return name;
}

PythonList values_of(const JsonPlace& place) {
  if (!place.is_array()) return place.read([&] { return python_list(place.text()); });
  PythonList values;
  for (const JsonPlace& value : place.elements()) values.push_back(value.integer());
  return values;
}

T1Parameter parameter_of(const JsonPlace& place) {
  const JsonPlace type = place.at("Type");
  const std::string kind = type.text();
  if (kind != "int" && kind != "uint" && kind != "bool")
    type.fail(fmt::format("'{}': values of a parameter must be of type int, uint or bool", kind));
  const JsonPlace given = place.at("Values");
  T1Parameter parameter{name_in(place.at("Name")), values_of(given)};
  if (parameter.values.empty()) given.fail("it has no values");
  PythonList sorted = parameter.values;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    given.fail(fmt::format("{} is there twice", *twice));
  parameter.default_value = parameter.values.front();
  if (const auto usual = place.find("Default"); usual && !usual->is_array()) {
    // Kernel Tuner ignores a default that is no value.
    const std::string number = usual->number();
    for (const std::int64_t value : parameter.values)
      if (std::to_string(value) == number) parameter.default_value = value;
  }
  return parameter;
}

class Reader {
 public:
  Reader(const Json& json, fs::path folder) : root_(json, ""), folder_(std::move(folder)) {}

  T1Problem read() {
    const JsonPlace kernel = root_.at("KernelSpecification");
    refuse_other_languages(kernel.at("Language"));
    problem_.kernel = kernel.at("KernelName").text();
    problem_.source = source_of(kernel.at("KernelFile"));
    if (const auto options = kernel.find("CompilerOptions"))
      for (const JsonPlace& option : options->elements()) problem_.options.push_back(option.text());
    if (const auto bytes = kernel.find("SharedMemory")) problem_.shared_bytes = bytes->integer();
    read_space(root_.at("ConfigurationSpace"));
    read_sizes(kernel);
    read_block(kernel.at("LocalSize"));
    read_grid(kernel);
    if (const auto arguments = kernel.find("Arguments"))
      for (const JsonPlace& place : arguments->elements()) {
        T1Argument argument = t1_argument(place, values_);
        if (!argument.file.empty()) argument.file = (folder_ / argument.file).string();
        problem_.arguments.push_back(std::move(argument));
      }
    check_arguments(kernel);
    note_the_rest(kernel);
    return std::move(problem_);
  }

 private:
  static void refuse_other_languages(const JsonPlace& place) {
    if (const std::string language = place.text(); language != "CUDA")
      place.fail(fmt::format("'{}': only CUDA can be tuned here", language));
  }

  // Kernel Tuner looks beside the problem and one folder above, too.
  fs::path source_of(const JsonPlace& place) const {
    const fs::path file = place.text();
    for (const fs::path& candidate : {folder_ / file, folder_ / ".." / file}) {
      std::error_code error;
      if (fs::is_regular_file(candidate, error)) return candidate.lexically_normal();
    }
    place.fail(fmt::format("{} is neither in {} nor one folder above", file.string(),
                           folder_.empty() ? "." : folder_.string()));
  }

  void read_space(const JsonPlace& space) {
    for (const JsonPlace& place : space.at("TuningParameters").elements()) {
      T1Parameter parameter = parameter_of(place);
      const auto least = std::ranges::min(parameter.values);
      if (!names_.emplace(parameter.name, ManifestName{parameter.name, least}).second)
        place.fail(fmt::format("'{}' is there twice", parameter.name));
      values_[parameter.name] = parameter.values;
      problem_.parameters.push_back(std::move(parameter));
    }
    const auto conditions = space.find("Conditions");
    if (!conditions) return;
    for (const JsonPlace& place : conditions->elements()) {
      const JsonPlace expression = place.at("Expression");
      T1Condition condition{
          expression.read([&] { return translated(expression.text(), names_).text; }),
          expression.text()};
      const auto same = [&](const T1Condition& one) { return one.python == condition.python; };
      if (std::ranges::none_of(problem_.conditions, same))
        problem_.conditions.push_back(std::move(condition));
    }
    conditions->read([&] { choose_legal_default(problem_.parameters, problem_.conditions); });
  }

  // ProblemSize and GridDiv are Kernel Tuner's additions.
  void read_sizes(const JsonPlace& kernel) {
    const auto given = kernel.find("ProblemSize");
    if (!given) return;
    const std::vector<JsonPlace> sizes =
        given->is_array() ? given->elements() : std::vector<JsonPlace>{*given};
    if (sizes.empty() || sizes.size() > kAxes.size()) given->fail("give 1 to 3 sizes");
    PythonList all;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      const std::int64_t size =
          sizes[axis].read([&] { return python_integer(sizes[axis].expression(), values_); });
      if (size < 1 || size > INT32_MAX) sizes[axis].fail("a size is from 1 to 2147483647");
      all.push_back(size);
      extents_.push_back({kDimensions.at(axis), Binding::atom, size});
    }
    problem_.sizes = all;
    values_["ProblemSize"] = all;
  }

  void read_block(const JsonPlace& local) {
    for (const char* axis : kAxes) {
      const auto threads = local.find(axis);
      block_.push_back(threads ? extent(*threads) : Quotient{"1", Binding::atom, 1});
      problem_.block.push_back(block_.back().text);
    }
  }

  Quotient extent(const JsonPlace& place) const {
    return place.read([&] { return grid_extent(translated(place.expression(), names_), {}); });
  }

  void read_grid(const JsonPlace& kernel) {
    if (!extents_.empty()) return divide_sizes(kernel);
    const auto type = kernel.find("GlobalSizeType");
    const std::string counts = type ? type->text() : "CUDA";
    if (counts != "CUDA" && counts != "OpenCL" && counts != "Vulkan")
      type->fail(fmt::format("'{}': give CUDA, OpenCL or Vulkan", counts));
    const JsonPlace global = kernel.at("GlobalSize");
    for (std::size_t i = 0; i < kAxes.size(); ++i) {
      const auto place = global.find(kAxes.at(i));
      if (!place) {
        problem_.grid.emplace_back("1");
        continue;
      }
      const std::vector<Quotient> threads = {block_[i]};
      problem_.grid.push_back(place->read([&] {
        const Quotient size = translated(place->expression(), names_);
        return grid_extent(size, counts == "OpenCL" ? threads : std::vector<Quotient>{}).text;
      }));
    }
  }

  void divide_sizes(const JsonPlace& kernel) {
    for (std::size_t i = 0; i < kAxes.size(); ++i) {
      std::vector<Quotient> divisors;
      const std::string key = std::string("GridDiv") + kAxes.at(i);
      const auto given = kernel.find(key.c_str());
      const std::vector<JsonPlace> listed = given ? given->elements() : std::vector<JsonPlace>{};
      for (const JsonPlace& one : listed)
        divisors.push_back(
            one.read([&] { return truncated(translated(one.expression(), names_)); }));
      if (listed.empty() && names_.contains(kBlockNames.at(i)))
        divisors.push_back(translated(kBlockNames.at(i), names_));
      const Quotient size = i < extents_.size() ? extents_[i] : Quotient{"1", Binding::atom, 1};
      problem_.grid.push_back(kernel.read([&] { return grid_extent(size, divisors).text; }));
    }
  }

  void check_arguments(const JsonPlace& kernel) const {
    std::vector<std::string> names;
    bool writes = false;
    for (const T1Argument& argument : problem_.arguments) {
      writes = writes || argument.role == "output" || argument.role == "inout";
      if (!argument.literal.empty()) continue;
      if (std::ranges::find(names, argument.name) != names.end())
        kernel.fail(fmt::format("two arguments are called '{}'", argument.name));
      names.push_back(argument.name);
    }
    if (!writes)
      kernel.fail(
          "no argument has AccessType WriteOnly or ReadWrite, so there is nothing to check");
  }

  void note_the_rest(const JsonPlace& kernel) {
    auto& notes = problem_.notes;
    notes.emplace_back(
        "right answers are not described: add [operation.reference], or tune from a program that "
        "has them (docs/tune.md)");
    if (kernel.find("ReferenceArguments")) notes.emplace_back("ReferenceArguments are left out");
    if (root_.find("Search")) notes.emplace_back("Search is left out: give --strategy to sweep");
    if (root_.find("Budget"))
      notes.emplace_back("Budget is left out: give --budget or --time to sweep");
  }

  JsonPlace root_;
  fs::path folder_;
  T1Problem problem_;
  ManifestNames names_;
  PythonValues values_;
  std::vector<Quotient> extents_, block_;
};

}  // namespace

T1Problem read_t1(std::string_view text, const fs::path& folder) {
  const Json json = parse_document(text);
  if (!json.is_object() || !json.contains("ConfigurationSpace") ||
      !json.contains("KernelSpecification"))
    throw InputError(
        "this is no tuning problem of the format T1: it has ConfigurationSpace and "
        "KernelSpecification");
  return Reader(json, folder).read();
}

}  // namespace tilewright::tools
