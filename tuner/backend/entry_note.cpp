#include "tuner/backend/entry_note.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilewright {

std::string missing_note(const std::string& entry, const std::vector<std::string>& kernels) {
  return fmt::format("{} has the name '{}'{}{}\n", kEntryNote, entry,
                     kernels.empty() ? "" : "; there is ", fmt::join(kernels, ", "));
}

std::string ambiguous_note(const std::string& entry, const std::vector<std::string>& overloads) {
  return fmt::format(
      "{} is the only one with the name '{}': there are {}; give each kernel a name of its own\n",
      kEntryNote, entry, fmt::join(overloads, " and "));
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
