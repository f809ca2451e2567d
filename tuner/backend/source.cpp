#include "tuner/backend/source.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <sstream>

#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using Path = std::filesystem::path;

std::string read_text(const Path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw InputError(fmt::format("{}: is not a regular file", path.string()));
  return read_text_file(path);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

// The name in `#include "name"`, or nothing.
std::string_view quoted_include(std::string_view line) {
  line = trimmed(line);
  if (line.empty() || line.front() != '#') return {};
  line = trimmed(line.substr(1));
  constexpr std::string_view kInclude = "include";
  if (line.substr(0, kInclude.size()) != kInclude) return {};
  line = trimmed(line.substr(kInclude.size()));
  if (line.empty() || line.front() != '"') return {};
  const std::size_t end = line.find('"', 1);
  return end == std::string_view::npos ? std::string_view() : line.substr(1, end - 1);
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
    for (const QuotedInclude& include : quoted_includes(text)) {
      const Path found = find(file, include);
      const auto [entry, added] = files_.try_emplace(include.name, found);
      if (!added) {
        check_same(file, include, entry->second, found);
        continue;
      }
      const std::string& content = headers_[include.name] = read_text(found);
      follow(found, content);
    }
  }

  std::map<std::string, std::string> take() { return std::move(headers_); }

 private:
  Path find(const Path& includer, const QuotedInclude& include) const {
    std::vector<Path> places = {includer.parent_path()};
    places.insert(places.end(), directories_.begin(), directories_.end());
    for (const Path& place : places) {
      std::error_code error;
      const Path candidate = (place / include.name).lexically_normal();
      if (std::filesystem::is_regular_file(candidate, error)) return candidate;
    }
    std::string looked;
    for (const Path& place : places) looked += (looked.empty() ? "" : ", ") + place.string();
    throw InputError(fmt::format("{}:{}: there is no \"{}\" in {}", includer.string(), include.line,
                                 include.name, looked));
  }

  static void check_same(const Path& includer, const QuotedInclude& include, const Path& first,
                         const Path& second) {
    std::error_code error;
    if (first == second || std::filesystem::equivalent(first, second, error)) return;
    throw InputError(fmt::format(
        "{}:{}: \"{}\" is {} here and {} elsewhere; give one of them "
        "another name",
        includer.string(), include.line, include.name, second.string(), first.string()));
  }

  const std::vector<Path>& directories_;
  std::map<std::string, Path> files_;
  std::map<std::string, std::string> headers_;
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
  const XXH128_hash_t hash = XXH3_128bits(all.data(), all.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace

std::vector<QuotedInclude> quoted_includes(const std::string& text) {
  std::vector<QuotedInclude> includes;
  std::istringstream stream(text);
  bool inside_comment = false;
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    const std::string code = without_comments(line, inside_comment);
    if (const std::string_view name = quoted_include(code); !name.empty())
      includes.push_back({std::string(name), number});
  }
  return includes;
}

KernelSource read_source(const Path& source, const std::vector<Path>& include_directories) {
  KernelSource kernel;
  kernel.name = source.filename().string();
  kernel.text = read_text(source);
  HeaderCollector headers(include_directories);
  headers.follow(source, kernel.text);
  kernel.headers = headers.take();
  kernel.hash = hash_of(kernel);
  return kernel;
}

}  // namespace tilewright
