#include "tools/help/help.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright::tools {

void print_help(std::ostream& out, const std::vector<Command>& commands) {
  out << fmt::format("tilewright {}.\n\nusage: tilewright SUBCOMMAND …\n\n", kAboutProgram);
  std::size_t width = 0;
  for (const Command& command : commands) width = std::max(width, command.name.size());
  for (const Command& command : commands)
    out << fmt::format("  {:<{}} {}\n", command.name, width, command.about);
  out << "\n`tilewright SUBCOMMAND --help` says more; `tilewright --version` names what it uses.\n"
      << fmt::format("\nexample:\n{}\nexit status: {}\n", kProgramExample, kExitStatus);
}

void print_help(std::ostream& out, const Command& command) {
  out << fmt::format("{}\n\nusage: tilewright {} {}\n\n{}\nexample:\n{}", command.about,
                     command.name, command.usage, describe(command.options), command.example);
}

}  // namespace tilewright::tools
