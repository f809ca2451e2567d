#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "db/store/store.hpp"
#include "definition/library/library.hpp"
#include "tools/input/command.hpp"

namespace tilewright::tools {

// Of the program, which has these commands; of `job`, which are some of them; and of one command.
void print_help(std::ostream& out, const std::vector<Command>& commands);
void print_help(std::ostream& out, const std::string& first_word,
                const std::vector<Command>& commands);
void print_help(std::ostream& out, const Command& command);

// The same as JSON, from which tools/help/manual.py makes the manual pages.
void print_table(std::ostream& out, const std::vector<Command>& commands);

// One way to go on at a command line.
struct Completion {
  std::string text;   // the whole word; one that ends with = is not finished
  std::string about;  // empty: nothing is said
};

// What may stand in place of the last of these words, which follow `tilewright`, and begins with
// it. None if only names of files come into question. The scripts for shells ask for it. `store`
// may be null.
std::vector<Completion> candidates(const std::vector<std::string>& words,
                                   const std::vector<Command>& commands, const Library& library,
                                   const Store* store);

}  // namespace tilewright::tools
