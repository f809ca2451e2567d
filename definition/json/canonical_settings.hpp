#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "tilewright/settings.hpp"

namespace tilewright {

// Reads the pairs of canonical_json() in the order of names. It makes no copies, because a look-up
// needs only a few numbers of each of thousands of problems.
class CanonicalSettings {
 public:
  explicit CanonicalSettings(std::string_view text) : rest_(text) {}

  struct Pair {
    std::string_view name;
    std::variant<std::int64_t, std::string_view> value;
  };
  // The next pair; nothing at the end, or if the text is not canonical JSON.
  std::optional<Pair> next();
  // Whether next() has reached the end of canonical JSON.
  bool is_at_end() const { return is_at_end_; }

 private:
  bool take(char expected);
  std::optional<std::string_view> quoted();
  std::optional<std::int64_t> number();

  std::string_view rest_;
  bool has_begun_ = false;
  bool is_at_end_ = false;
};

// Nothing if the text is not canonical JSON.
std::optional<Settings> settings_from_canonical(std::string_view text);

}  // namespace tilewright
