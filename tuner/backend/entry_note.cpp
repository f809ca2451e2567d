#include "tuner/backend/entry_note.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

namespace tilewright {
namespace {

bool has(const std::string& line, const std::string& part) {
  return line.find(part) != std::string::npos;
}

// Whether a compiler's line says that there is no such variable, as NVRTC, GCC and Clang do.
bool says_missing(const std::string& line, const std::string& variable) {
  const std::string name = variable.substr(variable.rfind(':') + 1);  // npos + 1 is 0
  const std::string space = variable.substr(0, variable.find(':'));
  bool is_named = false;
  for (const std::string& one : {name, space})
    is_named = is_named || has(line, '"' + one + '"') || has(line, '\'' + one + '\'') ||
               has(line, "‘" + one + "’");
  bool is_missing = false;
  for (const char* words : {"undefined", "not declared", "not been declared", "undeclared",
                            "has no member", "is not a member", "no member named"})
    is_missing = is_missing || has(line, words);
  if (is_named && is_missing) return true;
  std::string closed = line;
  std::erase(closed, ' ');
  return has(line, "name expression") && has(closed, "\"&" + variable + '"');
}

}  // namespace

std::string missing_note(const std::string& entry, const std::vector<std::string>& kernels) {
  std::string others;
  if (!kernels.empty())
    others = fmt::format("; there is {}", fmt::join(kernels, ", "));
  else if (entry.find('<') == std::string::npos)
    others =
        fmt::format("; if it is a template, write entry = \"{}<…>\" with its arguments", entry);
  return fmt::format("{} has the name '{}'{}\n", kEntryNote, entry, others);
}

std::string ambiguous_note(const std::string& entry, const std::vector<std::string>& overloads) {
  return fmt::format(
      "{} is the only one with the name '{}': there are {}; give each kernel a name of its own\n",
      kEntryNote, entry, fmt::join(overloads, " and "));
}

std::string missing_constant_note(const std::string& log,
                                  const std::vector<std::string>& constants) {
  for (const std::string& constant : constants) {
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);)
      if (says_missing(line, constant))
        return fmt::format(
            "the source has no variable '{}', which 'constant' in the manifest names\n", constant);
  }
  return "";
}

std::string entry_note(const std::string& log, const std::string& entry) {
  const std::string quoted = '\'' + entry + '\'';
  for (std::size_t begin = log.find(kEntryNote); begin != std::string::npos;
       begin = log.find(kEntryNote, begin + 1)) {
    const std::string line = log.substr(begin, log.find('\n', begin) - begin);
    if (line.find(quoted) != std::string::npos) return line.substr(line.find("no kernel"));
  }
  return "";
}

}  // namespace tilewright
