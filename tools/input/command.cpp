#include "tools/input/command.hpp"

#include <fmt/format.h>

#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"

namespace tilewright::tools {

Command command_named(const std::string& name) {
  std::vector<std::string> names;
  for (Command& command : commands()) {
    if (command.name == name) return std::move(command);
    names.push_back(command.name);
  }
  const bool is_option = name.starts_with('-');
  if (is_option) names = {"--help", "--version"};
  throw InputError(fmt::format("unknown {} '{}'{}", is_option ? "option" : "subcommand", name,
                               suggestion(name, names)));
}

}  // namespace tilewright::tools
