#include "tuner/toolchain/compiler_run.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

// `what`: "read" or "written".
[[noreturn]] void throw_unusable(const fs::path& file, const char* what, std::error_code why) {
  throw MachineError(fmt::format("{} cannot be {}: {}", file.string(), what, why.message()));
}

std::error_code last_error() {
  return {errno, std::generic_category()};
}

CompilerRun run_once(const fs::path& program, const std::vector<std::string>& arguments,
                     const fs::path& folder, const std::string& file) {
  CompilerRun run{run_command(program, arguments, folder)};
  // The file must exist, too, because a program that ignores SIGCHLD learns no exit status.
  run.has_made_file = run.command.status == 0 && fs::exists(folder / file);
  if (!run.has_made_file) run.stopped = why_stopped(run.command);
  return run;
}

}  // namespace

CompilerRun run_compiler(const fs::path& program, const std::vector<std::string>& arguments,
                         const fs::path& folder, const std::string& file) {
  CompilerRun run = run_once(program, arguments, folder, file);
  return run.stopped == Stopped::no ? run : run_once(program, arguments, folder, file);
}

void write_source(const fs::path& file, const std::string& text) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (stream.fail()) throw_unusable(file, "written", last_error());
}

std::vector<std::uint8_t> read_code(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) throw_unusable(file, "read", error);
  std::ifstream stream(file, std::ios::binary);
  std::vector<std::uint8_t> bytes(size);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (stream.fail()) throw_unusable(file, "read", last_error());
  return bytes;
}

}  // namespace tilewright
