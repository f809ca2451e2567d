#pragma once

#include <string>

#include "tilewright/trial.hpp"
#include "tuner/toolchain/command.hpp"

namespace tilewright {

// Why a run of the compiler gave no code, if not because of the source.
enum class Stopped {
  no,          // the compiler has judged the source
  by_machine,  // a full disk, no more descriptors or processes, a signal that asks it to end
  by_memory,   // no memory, or killed, which is what the system does when memory runs out
  by_itself,   // it crashed
  silently,    // it ended without a word, which compilers do not do
};

// What a compile that was stopped twice becomes; by_machine is a MachineError instead.
Outcome outcome_of(Stopped why);

// Judges a run that failed, by its status and by what compilers and the C library say in English.
Stopped why_stopped(const CommandResult& run);

// The line of the output that shows it, or how the program ended.
std::string stopping_line(const CommandResult& run);

// Whether the line ends with the system's words for a fault of the machine that may pass, such as
// "No space left on device".
bool names_machine_fault(std::string_view line);

}  // namespace tilewright
