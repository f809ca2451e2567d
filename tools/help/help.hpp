#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tools/input/command.hpp"

namespace tilewright::tools {

// Of the program, which has these commands; of `job`, which are some of them; and of one command.
void print_help(std::ostream& out, const std::vector<Command>& commands);
void print_help(std::ostream& out, const std::string& first_word,
                const std::vector<Command>& commands);
void print_help(std::ostream& out, const Command& command);

// The same as JSON, from which tools/help/manual.py makes the manual pages.
void print_table(std::ostream& out, const std::vector<Command>& commands);

}  // namespace tilewright::tools
