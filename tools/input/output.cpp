#include "tools/input/output.hpp"

#include <fmt/format.h>

#include "db/tables/sqlite.hpp"
#include "tilewright/error.hpp"

namespace tilewright::tools {

void check_output(const Arguments& arguments,
                  const std::vector<std::filesystem::path>& files_read) {
  const auto output = arguments.text("output");
  if (!output) return;
  if (is_sqlite_file(*output))
    throw InputError(fmt::format("--output '{}' is a database; name another file", *output));
  std::error_code ignored;
  for (const std::filesystem::path& file : files_read)
    if (std::filesystem::equivalent(*output, file, ignored))
      throw InputError(
          fmt::format("--output '{}' is a file that this command reads; name another", *output));
}

}  // namespace tilewright::tools
