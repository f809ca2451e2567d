#include "definition/text/suggest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tilewright {
namespace {

constexpr std::size_t kLongestCompared = 64;

// How many insertions, deletions, replacements and swaps of neighbours turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) table[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) table[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

bool is_near(std::string_view unknown, std::string_view known, std::size_t distance) {
  const std::size_t shorter = std::min(unknown.size(), known.size());
  if (distance == 0) return true;
  if (shorter >= 3 && unknown.substr(0, shorter) == known.substr(0, shorter)) return true;
  return shorter >= 2 && distance <= std::max<std::size_t>(1, unknown.size() / 3);
}

}  // namespace

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string suggestion(std::string_view unknown, const std::vector<std::string>& known,
                       std::size_t most) {
  if (known.empty()) return {};
  const std::string sought = lower(unknown.substr(0, kLongestCompared));
  const std::string* nearest = nullptr;
  std::size_t least = 0;
  for (const std::string& name : known) {
    const std::string candidate = lower(std::string_view(name).substr(0, kLongestCompared));
    const std::size_t distance = edit_distance(sought, candidate);
    if (!is_near(sought, candidate, distance) || (nearest != nullptr && distance >= least))
      continue;
    nearest = &name;
    least = distance;
  }
  if (nearest != nullptr) return fmt::format("; did you mean '{}'?", *nearest);
  const auto end = known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), most));
  return fmt::format("; known: {}{}", fmt::join(known.begin(), end, ", "),
                     known.size() > most ? ", …" : "");
}

}  // namespace tilewright
