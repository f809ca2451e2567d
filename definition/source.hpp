#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "definition/definition.hpp"

namespace tilewright {

// A source and all headers that it includes by "…". A sweep reads an implementation's once.
struct KernelSource {
  std::string text;
  std::string name;
  std::map<std::string, std::string> headers;
  std::string hash;                      // XXH3-128 of names and texts, in hex
  std::vector<KernelSource> units = {};  // of the implementation's further units, in their order
  // Those of the include directories that have headers included in <…>.
  std::vector<std::filesystem::path> folders = {};
  std::string folder_hash = {};  // of these headers and what they include; empty: there are none
};

// Limits for hostile sources. The depth is that of common compilers.
inline constexpr std::size_t kDeepestInclude = 200;
inline constexpr std::size_t kMostHeaders = 1000;
inline constexpr std::size_t kMostInclusions = 10'000;  // of headers without `#pragma once`
inline constexpr std::size_t kMostSourceBytes = std::size_t{64} << 20;  // with all includes

// Throws InputError if a file or a quoted include cannot be read, or exceeds a limit. Not read are
// includes in <…>, and quoted ones of is_compilers_header() that are in no folder.
KernelSource read_source(const std::filesystem::path& source,
                         const std::vector<std::filesystem::path>& include_directories);

// The sources of all units. The hash is of all of them; without sources of other units than the
// first, it is the hash of that source alone. Empty for a routine, which has none. Of an evaluator,
// whose files are no text to compile, only the name and the hash.
KernelSource read_source(const Implementation& implementation);

// What starts an evaluator's process.
struct EvaluatorCommand {
  std::vector<std::string> words = {};  // empty: there is no evaluator
  TimedBy timed_by = TimedBy::author;
  std::vector<std::string> version = {};  // another command, which prints its version; empty: none

  bool empty() const { return words.empty(); }
  // Whether it has operands, answers and times of its own.
  bool is_timed_by_author() const { return !empty() && timed_by == TimedBy::author; }
  bool operator==(const EvaluatorCommand&) const = default;
};

// Words that name files in the folder of the evaluator's manifest have the full path.
EvaluatorCommand command_of(const Implementation& evaluator);

// That of a reference kernel.
KernelSource read_source(const Reference& reference);

// `#include "name"` or `#include <name>` outside comments, with its line, counted from 1.
struct IncludeLine {
  std::string name;
  std::size_t line = 0;
  bool is_quoted = false;
};
std::vector<IncludeLine> includes_of(const std::string& text);

// Whether compilers for GPUs have this header, or we have it for them: "cuda_runtime.h", "math.h".
bool is_compilers_header(std::string_view name);

// The word of a `#word …` line; empty for any other line.
std::string directive_of(std::string_view line);

// Throws InputError: `file` is included deeper than kDeepestInclude.
[[noreturn]] void refuse_deeper_includes(const std::string& file);

}  // namespace tilewright
