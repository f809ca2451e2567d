#include "tuner/host/compile/overloads.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>

#include "definition/text/names.hpp"
#include "tuner/backend/entry_note.hpp"

namespace tilewright::host {
namespace {

// As GCC and Clang say it.
constexpr std::array<std::string_view, 3> kOverloaded = {
    "unresolved overloaded function", "matches converting function", "no overload of"};

std::string with_single_spaces(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!is_space || (!result.empty() && result.back() != ' ')) result += is_space ? ' ' : c;
  }
  return result;
}

// "name(parameters)" if this is the head of a kernel of this name, else empty.
std::string declaration_in(std::string_view head, std::string_view name) {
  for (std::size_t at = head.find(name); at != std::string_view::npos;
       at = head.find(name, at + 1)) {
    const std::string_view rest = head.substr(at + name.size());
    const std::size_t open = rest.find_first_not_of(" \t\r\n");
    const bool is_whole_name = at > 0 && !is_of_name(head[at - 1]);
    if (is_whole_name && open != std::string_view::npos && rest[open] == '(')
      return with_single_spaces(head.substr(at, head.find_last_of(')') + 1 - at));
  }
  return "";
}

void add_declarations(std::set<std::string>& found, std::string_view text, std::string_view name) {
  constexpr std::string_view kKernel = "__global__";
  constexpr std::size_t kLongestHead = 4096;  // else a hostile source would take minutes
  for (std::size_t begin = text.find(kKernel); begin != std::string_view::npos;
       begin = text.find(kKernel, begin + 1)) {
    const std::string_view head = text.substr(begin, kLongestHead);
    const std::string declared = declaration_in(head.substr(0, head.find_first_of(";{")), name);
    if (!declared.empty()) found.insert(declared);
  }
}

}  // namespace

std::string overload_notes(const std::string& log, const CompileRequest& request) {
  std::string notes;
  if (std::ranges::none_of(kOverloaded, [&](std::string_view words) {
        return log.find(words) != std::string::npos;
      }))
    return notes;
  for (const std::string& entry : request.entries) {
    if (entry.empty() || !std::ranges::all_of(entry, is_of_name)) continue;
    std::set<std::string> found;
    add_declarations(found, request.source, entry);
    for (const auto& [name, text] : request.headers) add_declarations(found, text, entry);
    if (found.size() > 1) notes += ambiguous_note(entry, {found.begin(), found.end()});
  }
  return notes;
}

}  // namespace tilewright::host
