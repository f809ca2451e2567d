#include "definition/json/codec.hpp"

#include <fmt/format.h>

#include "tilewright/error.hpp"

namespace tilewright {

namespace {

struct TooDeep {};

// Keeps everything while nothing nests too deep.
bool check_depth(int depth) {
  if (depth > kDeepestJson) throw TooDeep{};
  return true;
}

// Reads CBOR without building anything, and stops where it nests too deep: the library's reader
// calls itself once a level.
class DepthCheck final : public nlohmann::json::json_sax_t {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(std::int64_t) override { return true; }
  bool number_unsigned(std::uint64_t) override { return true; }
  bool number_float(double, const std::string&) override { return true; }
  bool string(std::string&) override { return true; }
  bool binary(nlohmann::json::binary_t&) override { return true; }
  bool key(std::string&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ <= kDeepestJson; }
  bool end_object() override { return depth_-- > 0; }
  bool start_array(std::size_t) override { return ++depth_ <= kDeepestJson; }
  bool end_array() override { return depth_-- > 0; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    return false;
  }

 private:
  int depth_ = 0;
};

}  // namespace

Json parse_document(std::string_view text) {
  try {
    return Json::parse(text, [](int depth, auto, auto&) { return check_depth(depth); });
  } catch (const TooDeep&) {
    throw InputError(fmt::format("the JSON nests deeper than {} levels", kDeepestJson));
  } catch (const Json::out_of_range&) {  // 1e999
    throw InputError("the JSON has a number beyond those of 64 bits, such as 1e999");
  } catch (const Json::parse_error& error) {
    if (error.byte > text.size())
      throw InputError(fmt::format("the text ends at byte {}, before its JSON does", text.size()));
    throw InputError(fmt::format("not JSON at byte {}", error.byte));
  }
}

nlohmann::json parse_sorted(std::string_view text) {
  try {
    return nlohmann::json::parse(
        text, [](int depth, auto, auto&) { return check_depth(depth); }, false);
  } catch (const TooDeep&) {
    return nlohmann::json::value_t::discarded;
  }
}

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string json_text(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<nlohmann::json> parse_cbor(std::span<const std::uint8_t> bytes) {
  DepthCheck depth;
  if (!nlohmann::json::sax_parse(bytes.begin(), bytes.end(), &depth,
                                 nlohmann::json::input_format_t::cbor))
    return std::nullopt;
  return nlohmann::json::from_cbor(bytes.begin(), bytes.end());
}

std::optional<nlohmann::json> parse_cbor(std::string_view bytes) {
  return parse_cbor(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
}

std::vector<std::uint8_t> cbor_bytes(const nlohmann::json& json) {
  return nlohmann::json::to_cbor(json);
}

}  // namespace tilewright
