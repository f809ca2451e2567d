#include "definition/text/text_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_unwritable(const fs::path& file, const std::string& reason) {
  throw MachineError(fmt::format("{} cannot be written: {}", file.string(), reason));
}

// `shown` is the file's name for the user.
void write_in_place(const fs::path& file, const fs::path& shown, const std::string& content) {
  std::ofstream out(file, std::ios::binary);
  out << content;
  out.close();
  if (!out) throw_unwritable(shown, std::strerror(errno));
}

// The end of a chain of links, even if that file does not exist yet.
fs::path link_target(fs::path file) {
  constexpr int kMostLinks = 40;  // Linux has the same limit
  std::error_code error;
  for (int links = 0; links < kMostLinks && fs::is_symlink(file, error); ++links)
    file = file.parent_path() / fs::read_symlink(file, error);
  return file;
}

}  // namespace

std::string read_text_file(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    throw InputError(fmt::format("{}: there is no such file", path.string()));
  if (fs::is_directory(status))
    throw InputError(fmt::format("{}: is a folder; give a file", path.string()));
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::string text;
  std::array<char, 1 << 16> part;
  // operator<< would take a failed read for the end of the file.
  while (stream) {
    stream.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (!stream.eof())
    throw InputError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  return text;
}

void write_file(const fs::path& file, const std::string& content) {
  std::error_code error;
  const fs::file_type type = fs::status(file, error).type();
  if (type != fs::file_type::regular && type != fs::file_type::not_found) {
    write_in_place(file, file, content);
    return;
  }
  const fs::path target = link_target(file);
  fs::path temporary = target;
  temporary += fmt::format(".{}.tmp", getpid());
  try {
    write_in_place(temporary, file, content);
    fs::rename(temporary, target, error);
    if (error) throw_unwritable(file, error.message());
  } catch (const MachineError&) {
    fs::remove(temporary, error);
    throw;
  }
}

}  // namespace tilewright
