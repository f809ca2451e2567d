#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace tilewright {

// A kind of file from outside, and how large it may be. docs/security.md lists all limits.
struct FileLimit {
  std::string_view kind;  // "a manifest"
  std::uint64_t most_mib = 0;
  enum class Pipe { refused, accepted } pipe = Pipe::refused;
};

inline constexpr FileLimit kManifestFile = {"a manifest", 1};
inline constexpr FileLimit kSourceFile = {"a kernel's source", 16};
inline constexpr FileLimit kEvaluatorFile = {"an evaluator's file", 256};
inline constexpr FileLimit kBundleFile = {"a bundle", 1024};
inline constexpr FileLimit kCompiledFile = {"compiled code", 256};
inline constexpr FileLimit kResultsFile = {"a file of results", 512, FileLimit::Pipe::accepted};
inline constexpr FileLimit kProblemsFile = {"a list of problems", 16, FileLimit::Pipe::accepted};

// The whole content without a byte-order mark, read once. Throws InputError that names the file if
// it is missing, a folder, not a regular file, larger than the limit, or cannot be read to its end.
// Where pipes are accepted, waits for their writer, but not for a first one: an empty pipe is
// refused.
std::string read_text_file(const std::filesystem::path& path, const FileLimit& limit);

// Reads the first bytes of a regular file into `bytes`, and returns how many there are. Throws as
// read_text_file() does.
std::size_t read_beginning(const std::filesystem::path& path, std::span<std::uint8_t> bytes);

// Writes a new file with a random name in the same folder and renames it, so that a reader sees
// either the old content or the new. Owner, group and mode stay; where they cannot, and to what is
// not a regular file, such as a pipe, writes directly. Follows links. Throws MachineError.
void write_file(const std::filesystem::path& file, const std::string& content);

// The same for a file of ours, whose name others may know: puts the new file in the place of
// whatever has the name, such as a link or a pipe. Throws MachineError.
void replace_file(const std::filesystem::path& file, const std::string& content);

}  // namespace tilewright
