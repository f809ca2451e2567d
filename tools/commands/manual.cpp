#include <fmt/format.h>

#include <iostream>

#include "tilewright/error.hpp"
#include "tools/help/help.hpp"

namespace tilewright::tools {
namespace {

int run_manual(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.words();
  if (words.size() > 1)
    throw InputError(fmt::format("'{}' after {} is one too many", words[1], words[0]));
  if (words.empty())
    print_manual(std::cout, commands());
  else
    print_manual(std::cout, command_named(words.front()));
  return kDone;
}

}  // namespace

Command manual_command() {
  return {"manual",
          "Write the manual page of tilewright or of a subcommand, for man.",
          "[SUBCOMMAND]",
          "  tilewright manual sweep | man -l -\n",
          {},
          run_manual};
}

}  // namespace tilewright::tools
