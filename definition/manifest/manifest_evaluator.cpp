#include <algorithm>

#include "definition/command.hpp"
#include "definition/manifest/expression_check.hpp"
#include "definition/manifest/manifest_parts.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

bool is_file(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

// The words of the evaluator that serves the key 'command'.
std::vector<std::string> read_command(const TableReader& table) {
  table.refuse({"evaluator", "timed_by"}, "'command'");
  const Command command{table.texts("command"), table.text("time", ""), table.text("expect", "")};
  if (command.words.empty() || command.words.front().empty())
    table.fail(table.need("command"), "'command' has the words of a command, and it has none");
  if (!command.time.empty()) try {
      const TimePattern pattern(command.time);
    } catch (const InputError& error) {
      table.fail(table.need("time"), std::string("'time': ") + error.what());
    }
  return evaluator_of(command);
}

}  // namespace

void read_evaluator(const TableReader& table, Implementation& implementation) {
  const char* const key = table.has("command") ? "command" : "evaluator";
  if (!table.has(key))
    return table.refuse({"files", "time", "expect", "timed_by", "version"}, "a kernel");
  table.refuse({"source", "include", "options", "target", "max_registers", "compiled_in", "remark",
                "unit", "launch", "workspace", "estimate", "constant", "loop", "compiler"},
               fmt::format("'{}'", key));
  if (table.has("command"))
    implementation.evaluator = read_command(table);
  else
    table.refuse({"time", "expect"}, "'evaluator'");
  implementation.timed_by = table.one_of("timed_by", kTimedBy, implementation.timed_by);
  if (implementation.evaluator.empty() || implementation.evaluator.front().empty())
    table.fail(table.need("evaluator"), "'evaluator' has the words of a command, and it has none");
  const auto add = [&](const std::filesystem::path& file) {
    if (!is_among(file, implementation.files)) implementation.files.push_back(file);
  };
  const bool is_in_folder = table.file().is_in_folder;
  for (const std::string& word : implementation.evaluator)
    if (const auto file = path_of(table.file(), word); is_in_folder && is_file(file)) add(file);
  for (const TomlNode& node : table.elements("files")) {
    const auto file = path_of(table.file(), table.text_of("files", node));
    if (is_in_folder && !is_file(file))
      table.fail(node, "'files': there is no file {}", file.string());
    add(file);
  }
  if (implementation.files.empty())
    table.fail(table.need(key),
               "no word of '{}' is a file beside the manifest; name in 'files' those whose "
               "contents identify the evaluator",
               key);
  Launch launch;
  launch.entry = kEvaluatorEntry;
  implementation.launches = {launch};
}

void check_command(const ExpressionCheck& checker, const Implementation& implementation,
                   const Operation& operation) {
  const auto command = command_in(implementation.evaluator);
  if (!command) return;
  std::vector<std::string> known = names_of(implementation.parameters, &Parameter::name);
  for (const Dimension& dimension : operation.dimensions) known.push_back(dimension.name);
  for (const Choice& choice : operation.choices) known.push_back(choice.name);
  known.emplace_back("device");
  for (const std::string& word : command->words)
    filled(word, [&](const std::string& name) {
      if (!is_among(name, known))
        checker.fail("command", fmt::format("'{}' has no value in '{}'{}", name, word,
                                            suggestion(name, known)));
      return name;
    });
}

}  // namespace tilewright
