#include "tuner/plan/flat_source.hpp"

#include <fmt/format.h>

#include <set>
#include <sstream>

#include "definition/source.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/escape.hpp"

namespace tilewright {
namespace {

bool is_pragma_once(const std::string& line) {
  return directive_of(line) == "pragma" && line.find("once") != std::string::npos;
}

class Flattener {
 public:
  explicit Flattener(const std::map<std::string, std::string>& headers) : headers_(headers) {}

  void add(const std::string& text) {
    std::map<std::size_t, std::string> includes;
    for (const IncludeLine& include : includes_of(text))
      if (include.is_quoted) includes[include.line] = include.name;
    std::istringstream stream(text);
    std::size_t number = 0;
    for (std::string line; std::getline(stream, line);) {
      const auto include = includes.find(++number);
      const std::string word = directive_of(line);
      if (include != includes.end() && headers_.contains(include->second)) {
        add_header(include->second);
      } else if (word != "line" && !is_pragma_once(line)) {
        if (word.starts_with("if")) ++conditions_;
        if (word == "endif") --conditions_;
        text_ += line + '\n';
      }
    }
    if (text_.size() > kMostSourceBytes)
      throw bad_input("the source with its includes has more than {} MiB", kMostSourceBytes >> 20);
  }

  std::string take() { return std::move(text_); }

 private:
  void add_header(const std::string& name) {
    if (complete_.contains(name) || open_.contains(name)) return;
    if (open_.size() == kDeepestInclude) refuse_deeper_includes(name);
    if (++inclusions_ > kMostInclusions)
      throw bad_input("{}: the source includes headers more than {} times", name, kMostInclusions);
    const std::string& text = headers_.at(name);
    const bool is_once = text.find("#pragma once") != std::string::npos;
    const bool is_guarded = is_once && (conditions_ > 0 || guarded_.contains(name));
    if (is_once) (conditions_ > 0 ? guarded_ : complete_).insert(name);
    const auto number = std::distance(headers_.begin(), headers_.find(name));
    const std::string guard = fmt::format("TILEWRIGHT_HEADER_{}", number);
    open_.insert(name);
    text_ += cpp_comment("---- " + name) + '\n';
    if (is_guarded) text_ += fmt::format("#ifndef {0}\n#define {0}\n", guard);
    add(text);
    if (is_guarded) text_ += "#endif\n";
    text_ += cpp_comment("---- end of " + name) + '\n';
    open_.erase(name);
  }

  const std::map<std::string, std::string>& headers_;
  std::string text_;
  std::set<std::string> complete_;  // in the text under every condition
  std::set<std::string> guarded_;   // in the text under a condition
  std::set<std::string> open_;      // being added; stops a circular include
  std::size_t inclusions_ = 0;
  int conditions_ = 0;  // #if without #endif so far
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
