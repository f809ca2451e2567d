#include "tools/input/output.hpp"

#include <fmt/format.h>

#include "db/tables/sqlite.hpp"
#include "definition/manifest/manifest.hpp"
#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tools/print/terminal.hpp"

namespace tilewright::tools {

std::vector<std::filesystem::path> files_of(const Target& target) {
  const Operation& operation = target.operation();
  std::vector<std::filesystem::path> files = {operation.manifest, operation.reference.source};
  for (const Implementation* const one : target.implementations) {
    files.insert(files.end(), {one->manifest, fitted_file(one->manifest), one->source});
    for (const SourceUnit& unit : one->units) files.push_back(unit.source);
  }
  for (const Snippet& snippet : target.snippets) files.push_back(snippet.file);
  return files;
}

void check_output(const std::string& output, const Places& places,
                  const std::vector<std::filesystem::path>& files_read) {
  if (output.empty()) return;
  if (is_sqlite_file(output))
    throw InputError(fmt::format("--output '{}' is a database; name another file", output));
  std::vector<std::filesystem::path> files = files_read;
  files.insert(files.end(), places.shipped.begin(), places.shipped.end());
  std::error_code ignored;
  for (const std::filesystem::path& file : files)
    if (std::filesystem::equivalent(output, file, ignored))
      throw InputError(
          fmt::format("--output '{}' is a file that this command reads; name another", output));
}

void write_output(const std::string& output, const std::string& content) {
  if (output.empty())
    print_content(content);
  else
    write_file(output, content);
}

}  // namespace tilewright::tools
