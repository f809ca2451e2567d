#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/trial.hpp"

namespace tilewright {

struct CommandResult {
  int status = 0;      // exit status, or 128 + the signal that ended it
  int signal = 0;      // the signal that ended it, if one did
  std::string output;  // standard output and error together
  std::string errors;  // standard error, if it is apart
};

enum class StandardError { in_output, apart };

// Runs a program in `folder` with an empty standard input, and waits for it. Its temporary files
// are in `folder` too, and its messages are in English. Throws MachineError if it cannot be
// started, or does not end within the limit (zero: none), or writes over 16 MiB in a run that has a
// limit; then it is killed with its descendants.
CommandResult run_command(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments,
                          const std::filesystem::path& folder,
                          std::chrono::milliseconds limit = std::chrono::milliseconds(0),
                          StandardError where = StandardError::in_output);

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

// Whether the line ends with the system's words for a fault of the machine that may pass, such as
// "No space left on device".
bool names_machine_fault(std::string_view line);

// A run of a compiler that should make one file.
struct CompilerRun {
  CommandResult command;
  bool has_made_file = false;      // and its exit status was 0
  Stopped stopped = Stopped::no;   // why it made none, if not because of the source
  std::string stopping_line = {};  // of the output that shows it, or how the program ended
};

// Runs the program in `folder`, where it should make `file`. What stops it may have passed, so then
// it runs once more; what stops it twice is its answer. Throws MachineError as run_command() does.
CompilerRun run_compiler(const std::filesystem::path& program,
                         const std::vector<std::string>& arguments,
                         const std::filesystem::path& folder, const std::string& file);

// A compiler's files. Writing makes the folders that it needs. Both throw MachineError that names
// the file.
void write_source(const std::filesystem::path& file, const std::string& text);
std::vector<std::uint8_t> read_code(const std::filesystem::path& file);

}  // namespace tilewright
