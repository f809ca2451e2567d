#include "tuner/backend/flat_source.hpp"

#include <fmt/format.h>

#include <set>
#include <sstream>
#include <string_view>

#include "tuner/backend/source.hpp"

namespace tilewright {
namespace {

// The word of a `#word …` line; empty for any other line.
std::string directive(std::string_view line) {
  std::size_t at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos || line[at] != '#') return {};
  at = line.find_first_not_of(" \t", at + 1);
  if (at == std::string_view::npos) return {};
  return std::string(line.substr(at, line.find_first_of(" \t\"<(", at) - at));
}

bool is_pragma_once(const std::string& line) {
  return directive(line) == "pragma" && line.find("once") != std::string::npos;
}

class Flattener {
 public:
  explicit Flattener(const std::map<std::string, std::string>& headers) : headers_(headers) {}

  void add(const std::string& text) {
    std::map<std::size_t, std::string> includes;
    for (const QuotedInclude& include : quoted_includes(text))
      includes[include.line] = include.name;
    std::istringstream stream(text);
    std::size_t number = 0;
    for (std::string line; std::getline(stream, line);) {
      const auto include = includes.find(++number);
      const std::string word = directive(line);
      if (include != includes.end() && headers_.contains(include->second)) {
        add_header(include->second);
      } else if (word != "line" && !is_pragma_once(line)) {
        if (word.starts_with("if")) ++conditions_;
        if (word == "endif") --conditions_;
        text_ += line + '\n';
      }
    }
  }

  std::string take() { return std::move(text_); }

 private:
  void add_header(const std::string& name) {
    if (complete_.contains(name) || open_.contains(name)) return;
    const std::string& text = headers_.at(name);
    const bool is_once = text.find("#pragma once") != std::string::npos;
    const bool is_guarded = is_once && (conditions_ > 0 || guarded_.contains(name));
    if (is_once) (conditions_ > 0 ? guarded_ : complete_).insert(name);
    const std::string guard = fmt::format("TILEWRIGHT_HEADER_{}", number_of(name));
    open_.insert(name);
    text_ += fmt::format("// ---- {}\n", name);
    if (is_guarded) text_ += fmt::format("#ifndef {0}\n#define {0}\n", guard);
    add(text);
    if (is_guarded) text_ += "#endif\n";
    text_ += fmt::format("// ---- end of {}\n", name);
    open_.erase(name);
  }

  std::size_t number_of(const std::string& name) const {
    return static_cast<std::size_t>(std::distance(headers_.begin(), headers_.find(name)));
  }

  const std::map<std::string, std::string>& headers_;
  std::string text_;
  std::set<std::string> complete_;  // in the text under every condition
  std::set<std::string> guarded_;   // in the text under a condition
  std::set<std::string> open_;      // being added; stops a circular include
  int conditions_ = 0;              // #if without #endif so far
};

}  // namespace

std::string flat_source(const std::string& source,
                        const std::map<std::string, std::string>& headers) {
  Flattener flattener(headers);
  flattener.add(source);
  return flattener.take();
}

std::string define_lines(const std::vector<std::string>& options) {
  std::string text;
  for (const std::string& option : options) {
    if (!option.starts_with("-D")) continue;
    const std::size_t equals = option.find('=');
    const std::string value = equals == std::string::npos ? "1" : option.substr(equals + 1);
    text += fmt::format("#define {} {}\n", option.substr(2, equals - 2), value);
  }
  return text;
}

std::vector<std::string> without_macros(const std::vector<std::string>& options) {
  std::vector<std::string> rest;
  for (const std::string& option : options)
    if (!option.starts_with("-D")) rest.push_back(option);
  return rest;
}

}  // namespace tilewright
