#include "definition/json/canonical_settings.hpp"

#include <charconv>
#include <string>

namespace tilewright {

bool CanonicalSettings::take(char expected) {
  if (!rest_.starts_with(expected)) return false;
  rest_.remove_prefix(1);
  return true;
}

// The text has no escapes, so it ends at the next quotation mark.
std::optional<std::string_view> CanonicalSettings::quoted() {
  if (!take('"')) return std::nullopt;
  const std::size_t end = rest_.find('"');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view text = rest_.substr(0, end);
  rest_.remove_prefix(end + 1);
  return text;
}

std::optional<std::int64_t> CanonicalSettings::number() {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  if (error != std::errc{}) return std::nullopt;
  rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  return value;
}

std::optional<CanonicalSettings::Pair> CanonicalSettings::next() {
  if (is_at_end_) return std::nullopt;
  const bool is_first = !has_begun_;
  if (is_first && !take('{')) return std::nullopt;
  has_begun_ = true;
  if (take('}')) {
    is_at_end_ = rest_.empty();
    return std::nullopt;
  }
  if (!is_first && !take(',')) return std::nullopt;
  const auto name = quoted();
  if (!name || !take(':')) return std::nullopt;
  if (rest_.starts_with('"')) {
    const auto label = quoted();
    return label ? std::optional(Pair{*name, *label}) : std::nullopt;
  }
  const auto value = number();
  return value ? std::optional(Pair{*name, *value}) : std::nullopt;
}

std::optional<Settings> settings_from_canonical(std::string_view text) {
  Settings settings;
  CanonicalSettings pairs(text);
  while (const auto pair = pairs.next()) {
    const auto* label = std::get_if<std::string_view>(&pair->value);
    settings.insert_or_assign(
        settings.end(), std::string(pair->name),
        label == nullptr ? Value(std::get<std::int64_t>(pair->value)) : Value(std::string(*label)));
  }
  return pairs.is_at_end() ? std::optional(std::move(settings)) : std::nullopt;
}

}  // namespace tilewright
