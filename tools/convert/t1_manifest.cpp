#include "tools/convert/t1_manifest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "definition/text/escape.hpp"

namespace tilewright::tools {
namespace {

namespace fs = std::filesystem;

std::string list_of(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(toml_string(text));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

std::string relative_name(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  const fs::path from = fs::absolute(folder.empty() ? "." : folder, error).lexically_normal();
  return fs::absolute(file, error).lexically_normal().lexically_proximate(from).generic_string();
}

// The letters and digits of the kernel's name.
std::string name_of(const T1Problem& problem) {
  std::string name;
  for (const char c : problem.kernel)
    name += (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ? c : '_';
  return name.front() >= '0' && name.front() <= '9' ? "_" + name : name;
}

class Writer {
 public:
  Writer(const T1Problem& problem, const fs::path& folder) : problem_(problem), folder_(folder) {}

  std::string text() {
    line("schema = 1");
    write_operation();
    write_implementation();
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += text + "\n"; }
  void table(const char* name) { line(fmt::format("\n{}", name)); }
  void key(const char* name, const std::string& value) {
    line(fmt::format("{} = {}", name, value));
  }

  void write_operation() {
    table("[operation]");
    key("name", toml_string(name_of(problem_)));
    constexpr std::array<const char*, 3> kDimensions = {"problem_size_x", "problem_size_y",
                                                        "problem_size_z"};
    for (std::size_t i = 0; i < problem_.sizes.size(); ++i) {
      const std::string size = std::to_string(problem_.sizes[i]);
      table("[[operation.dimension]]");
      key("name", toml_string(kDimensions.at(i)));
      for (const char* bound : {"default", "minimum", "maximum"}) key(bound, size);
    }
    for (const T1Argument& argument : problem_.arguments) {
      if (!argument.literal.empty()) continue;
      table("[[operation.argument]]");
      key("name", toml_string(argument.name));
      key("type", toml_string(argument.type));
      key("role", toml_string(argument.role));
      key("count", std::to_string(argument.count));
      if (!argument.fill.empty()) key("fill", argument.fill);
      if (!argument.file.empty())
        key("fill", fmt::format("{{ kind = \"file\", path = {} }}",
                                toml_string(relative_name(argument.file, folder_))));
    }
  }

  void write_implementation() {
    table("[[implementation]]");
    key("name", toml_string("kernel"));
    key("source", toml_string(relative_name(problem_.source, folder_)));
    if (!problem_.options.empty()) key("options", list_of(problem_.options));
    std::vector<std::string> constants;
    for (const T1Argument& argument : problem_.arguments)
      if (argument.is_constant)
        constants.push_back(
            fmt::format("{{ symbol = {0}, from = {0} }}", toml_string(argument.name)));
    if (!constants.empty()) key("constant", fmt::format("[{}]", fmt::join(constants, ", ")));
    for (const T1Parameter& parameter : problem_.parameters) {
      table("[[implementation.parameter]]");
      key("name", toml_string(parameter.name));
      key("values", fmt::format("[{}]", fmt::join(parameter.values, ", ")));
      key("default", std::to_string(parameter.default_value));
    }
    for (const T1Condition& condition : problem_.conditions) {
      table("[[implementation.constraint]]");
      key("require", toml_string(condition.require));
      key("why", toml_string("condition: " + condition.python));
    }
    write_launch();
  }

  void write_launch() {
    table("[[implementation.launch]]");
    key("entry", toml_string(problem_.kernel));
    key("grid", list_of(problem_.grid));
    key("block", list_of(problem_.block));
    if (problem_.shared_bytes != 0) key("shared_bytes", std::to_string(problem_.shared_bytes));
    std::vector<std::string> arguments;
    for (const T1Argument& argument : problem_.arguments) {
      if (!argument.is_launched) continue;
      arguments.push_back(argument.literal.empty()
                              ? toml_string(argument.name)
                              : fmt::format("{{ value = {}, type = {} }}", argument.literal,
                                            toml_string(argument.type)));
    }
    key("arguments", fmt::format("[{}]", fmt::join(arguments, ", ")));
  }

  const T1Problem& problem_;
  const fs::path& folder_;
  std::string text_;
};

}  // namespace

std::string manifest_text(const T1Problem& problem, const fs::path& folder) {
  return Writer(problem, folder).text();
}

}  // namespace tilewright::tools
