#include "definition/source.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <sstream>

#include "definition/text/errors.hpp"
#include "definition/text/hash.hpp"
#include "definition/text/suggest.hpp"
#include "definition/text/text_file.hpp"

namespace tilewright {
namespace {

using Path = std::filesystem::path;

// clang-format off
constexpr std::array kCompilersHeaders = {
    "assert.h", "builtin_types.h", "cassert", "cfloat", "cinttypes", "climits", "cmath",
    "cooperative_groups.h", "cstddef", "cstdint", "cstdio", "cstdlib", "cstring",
    "curand_kernel.h", "device_functions.h", "device_launch_parameters.h", "driver_types.h",
    "float.h", "inttypes.h", "limits", "limits.h", "math.h", "math_constants.h",
    "math_functions.h", "mma.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h",
    "string.h", "sys/types.h", "type_traits", "utility", "vector_functions.h", "vector_types.h"};
// clang-format on

// The include that a line without comments makes, if any.
std::optional<IncludeLine> include_in(std::string_view line) {
  if (directive_of(line) != "include") return std::nullopt;
  constexpr std::string_view kInclude = "include";
  const std::size_t begin = line.find_first_not_of(" \t", line.find(kInclude) + kInclude.size());
  if (begin == std::string_view::npos || (line[begin] != '"' && line[begin] != '<'))
    return std::nullopt;
  const bool is_quoted = line[begin] == '"';
  const std::size_t end = line.find(is_quoted ? '"' : '>', begin + 1);
  if (end == std::string_view::npos || end == begin + 1) return std::nullopt;
  return IncludeLine{std::string(line.substr(begin + 1, end - begin - 1)), 0, is_quoted};
}

// Removes /* */ comments. `inside` says whether the line begins in one, and is updated. The start
// of such a comment does not count in a line comment or a string.
std::string without_comments(std::string_view line, bool& inside) {
  std::string code;
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::string_view two = line.substr(i, 2);
    if (inside) {
      inside = two != "*/";
      if (!inside) ++i;
    } else if (quote != '\0') {
      if (line[i] == '\\') code += line[i++];
      if (i < line.size() && line[i] == quote) quote = '\0';
      if (i < line.size()) code += line[i];
    } else if (two == "//") {
      return code;
    } else if (two == "/*") {
      inside = true;
      ++i;
    } else {
      if (line[i] == '"') quote = line[i];
      code += line[i];
    }
  }
  return code;
}

// Follows quoted includes. One name must always mean the same file, because the compiler looks a
// header up by the name as it is written.
class HeaderCollector {
 public:
  explicit HeaderCollector(const std::vector<Path>& directories) : directories_(directories) {}

  void follow(const Path& file, const std::string& text) {
    if (depth_ == kDeepestInclude) refuse_deeper_includes(file.string());
    ++depth_;
    for (const IncludeLine& include : includes_of(text)) {
      if (!include.is_quoted) {
        read_from_folder(include.name);
        continue;
      }
      const Path found = find(file, include);
      if (found.empty()) continue;
      const auto [entry, added] = files_.try_emplace(include.name, found);
      if (!added) {
        check_same(file, include, entry->second, found);
        continue;
      }
      const std::string& content = headers_[include.name] = read_text_file(found, kSourceFile);
      count(found, content);
      follow(found, content);
    }
    --depth_;
  }

  std::map<std::string, std::string> take() { return std::move(headers_); }
  std::vector<Path> folders() { return std::move(folders_); }
  std::string folder_hash() const { return folders_.empty() ? "" : hex_hash(folder_texts_); }

 private:
  void count(const Path& header, const std::string& content) {
    bytes_ += content.size();
    if (headers_.size() > kMostHeaders)
      throw bad_input("{}: a kernel includes at most {} headers by \"…\"", header.string(),
                      kMostHeaders);
    if (bytes_ > kMostSourceBytes)
      throw bad_input("{}: a kernel's headers have more than {} MiB together", header.string(),
                      kMostSourceBytes >> 20);
  }

  // A header in <…> of a directory: the compiler finds it there itself.
  void read_from_folder(const std::string& name) {
    for (const Path& folder : directories_) {
      std::error_code error;
      const Path file = (folder / name).lexically_normal();
      if (!std::filesystem::is_regular_file(file, error)) continue;
      if (!is_among(folder, folders_)) folders_.push_back(folder);
      return read_folder_header(file);
    }
  }

  // For the hash, with what it includes, as far as that is found.
  void read_folder_header(const Path& file) {
    if (!folder_files_.insert(file).second) return;
    if (depth_ == kDeepestInclude) refuse_deeper_includes(file.string());
    if (folder_files_.size() > kMostInclusions)
      throw bad_input("{}: a kernel includes at most {} headers of folders", file.string(),
                      kMostInclusions);
    ++depth_;
    const std::string text = read_text_file(file, kSourceFile);
    count(file, text);
    folder_texts_ += std::to_string(text.size()) + ':' + text;
    for (const IncludeLine& include : includes_of(text)) {
      std::error_code error;
      const Path beside = (file.parent_path() / include.name).lexically_normal();
      if (include.is_quoted && std::filesystem::is_regular_file(beside, error))
        read_folder_header(beside);
      else
        read_from_folder(include.name);
    }
    --depth_;
  }

  Path find(const Path& includer, const IncludeLine& include) const {
    std::vector<Path> places = {includer.parent_path()};
    places.insert(places.end(), directories_.begin(), directories_.end());
    for (const Path& place : places) {
      std::error_code error;
      Path candidate = (place / include.name).lexically_normal();
      if (std::filesystem::is_regular_file(candidate, error)) return candidate;
    }
    if (is_compilers_header(include.name)) return {};
    std::string looked;
    for (const Path& place : places) looked += (looked.empty() ? "" : ", ") + place.string();
    throw bad_input("{}:{}: there is no \"{}\" in {}", includer.string(), include.line,
                    include.name, looked);
  }

  static void check_same(const Path& includer, const IncludeLine& include, const Path& first,
                         const Path& second) {
    std::error_code error;
    if (first == second || std::filesystem::equivalent(first, second, error)) return;
    throw bad_input("{}:{}: \"{}\" is {} here and {} elsewhere; give one of them another name",
                    includer.string(), include.line, include.name, second.string(), first.string());
  }

  const std::vector<Path>& directories_;
  std::map<std::string, Path> files_;
  std::map<std::string, std::string> headers_;
  std::vector<Path> folders_;
  std::set<Path> folder_files_;
  std::string folder_texts_;
  std::size_t bytes_ = 0;  // of all
  std::size_t depth_ = 0;
};

// Each text follows its length, so that different sources never give the same bytes.
std::string hash_of(const KernelSource& source) {
  std::string all;
  const auto add = [&all](const std::string& text) {
    all += std::to_string(text.size()) + ':' + text;
  };
  add(source.name);
  add(source.text);
  for (const auto& [name, text] : source.headers) {
    add(name);
    add(text);
  }
  if (!source.folder_hash.empty()) add(source.folder_hash);
  return hex_hash(all);
}

Path folder_of(const Implementation& evaluator) {
  std::error_code error;
  return std::filesystem::absolute(evaluator.manifest, error).parent_path();
}

// The names are relative to the manifest, so that the hash does not depend on where it is.
KernelSource source_of_evaluator(const Implementation& evaluator) {
  KernelSource source;
  source.name = evaluator.files.front().filename().string();
  KernelSource files;
  for (const Path& file : evaluator.files)
    files.headers.emplace(file.lexically_relative(folder_of(evaluator)).string(),
                          hex_hash(read_text_file(file, kEvaluatorFile)));
  source.hash = hash_of(files);
  return source;
}

}  // namespace

void refuse_deeper_includes(const std::string& file) {
  throw bad_input("{}: quoted includes nest deeper than {}", file, kDeepestInclude);
}

std::string directive_of(std::string_view line) {
  std::size_t at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos || line[at] != '#') return {};
  at = line.find_first_not_of(" \t", at + 1);
  if (at == std::string_view::npos) return {};
  return std::string(line.substr(at, line.find_first_of(" \t\r\"<(", at) - at));
}

std::vector<IncludeLine> includes_of(const std::string& text) {
  std::vector<IncludeLine> includes;
  std::istringstream stream(text);
  bool inside_comment = false;
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    std::optional<IncludeLine> include = include_in(without_comments(line, inside_comment));
    if (!include) continue;
    include->line = number;
    includes.push_back(std::move(*include));
  }
  return includes;
}

bool is_compilers_header(std::string_view name) {
  return is_among(name, kCompilersHeaders) || (name.starts_with("cuda") && name.ends_with(".h"));
}

KernelSource read_source(const Path& source, const std::vector<Path>& include_directories) {
  KernelSource kernel;
  kernel.name = source.filename().string();
  kernel.text = read_text_file(source, kSourceFile);
  HeaderCollector headers(include_directories);
  headers.follow(source, kernel.text);
  kernel.headers = headers.take();
  kernel.folder_hash = headers.folder_hash();
  kernel.folders = headers.folders();
  kernel.hash = hash_of(kernel);
  return kernel;
}

EvaluatorCommand command_of(const Implementation& evaluator) {
  EvaluatorCommand command{evaluator.evaluator, evaluator.timed_by, evaluator.version};
  const Path folder = folder_of(evaluator);
  for (std::vector<std::string>* words : {&command.words, &command.version})
    for (std::string& word : *words)
      if (const Path file = (folder / word).lexically_normal(); is_among(file, evaluator.files))
        word = file.string();
  return command;
}

KernelSource read_source(const Reference& reference) {
  return read_source(reference.source, reference.include_directories);
}

KernelSource read_source(const Implementation& implementation) {
  if (implementation.is_routine()) return {};
  if (implementation.is_evaluator()) return source_of_evaluator(implementation);
  KernelSource first = read_source(implementation.source, implementation.include_directories);
  std::string all = first.hash;
  std::vector<KernelSource> units;
  for (const SourceUnit& unit : implementation.units) {
    const bool is_same = unit.source == implementation.source;
    units.push_back(is_same ? first : read_source(unit.source, implementation.include_directories));
    if (!is_same) all += unit.name + units.back().hash;
  }
  if (all != first.hash) first.hash = hex_hash(all);
  first.units = std::move(units);
  return first;
}

}  // namespace tilewright
