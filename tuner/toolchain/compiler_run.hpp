#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tuner/toolchain/command.hpp"
#include "tuner/toolchain/stopped.hpp"

namespace tilewright {

// A run of a compiler that should make one file.
struct CompilerRun {
  CommandResult command;
  bool has_made_file = false;     // and its exit status was 0
  Stopped stopped = Stopped::no;  // why it made none, if not because of the source
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
