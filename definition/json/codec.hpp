#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "definition/json/json.hpp"

namespace tilewright {

// The only place that turns JSON into text or CBOR and back, because the parser and the writer of
// nlohmann-json take seconds to compile in each file that uses them. What is read may come from
// anywhere: what nests deeper than kDeepestJson is refused, so that no stack overflows.
inline constexpr int kDeepestJson = 100;

// Throws InputError that says at which byte the text is not JSON, or that it nests deeper than
// `deepest`, which is less for what becomes a part of another document, or that an object has more
// than 4096 keys.
Json parse_document(std::string_view text, int deepest = kDeepestJson);

// The same with sorted keys. Discarded if the text is not JSON or nests too deep.
nlohmann::json parse_sorted(std::string_view text);

// Each byte that is not UTF-8 is replaced, because compiler logs may contain any bytes.
// indent: spaces a level; negative: all on one line.
std::string json_text(const Json& json, int indent = -1);
std::string json_text(const nlohmann::json& json, int indent = -1);

// Nothing if the bytes are not exactly one CBOR value as cbor_bytes() writes it, or if it nests too
// deep or consists of more than 16 million values.
std::optional<nlohmann::json> parse_cbor(std::span<const std::uint8_t> bytes);
std::optional<nlohmann::json> parse_cbor(std::string_view bytes);

std::vector<std::uint8_t> cbor_bytes(const nlohmann::json& json);

}  // namespace tilewright
