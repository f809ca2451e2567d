#include <algorithm>

#include "definition/manifest/manifest_parts.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

bool is_file(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

}  // namespace

void read_evaluator(const TableReader& table, Implementation& implementation) {
  if (!table.has("evaluator")) return table.refuse({"files"}, "a kernel");
  table.refuse({"source", "include", "options", "target", "max_registers", "compiled_in", "remark",
                "unit", "launch", "workspace", "estimate", "constant", "loop", "compiler"},
               "'evaluator'");
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
    table.fail(table.need("evaluator"),
               "no word of 'evaluator' is a file beside the manifest; name in 'files' those whose "
               "contents identify the evaluator");
  Launch launch;
  launch.entry = kEvaluatorEntry;
  implementation.launches = {launch};
}

}  // namespace tilewright
