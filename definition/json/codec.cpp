#include "definition/json/codec.hpp"

#include <iterator>
#include <tuple>
#include <vector>

#include "definition/text/errors.hpp"

namespace tilewright {

namespace {

// Json looks for each key among those before it, so that many take time with their square.
constexpr int kMostKeys = 4096;

// Of one CBOR document. Each takes up to 100 bytes of memory, and may take one byte in the
// document.
constexpr std::size_t kMostValues = std::size_t{1} << 24;

enum class Shape { usual, too_deep, too_wide };

// By the brackets and colons that are not in strings.
Shape shape_of(std::string_view text, int deepest) {
  std::vector<int> keys;  // of each open object or array
  bool in_string = false;
  Shape shape = Shape::usual;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      keys.push_back(0);
      if (std::ssize(keys) > deepest) return Shape::too_deep;
    } else if ((c == '}' || c == ']') && !keys.empty()) {
      keys.pop_back();
    } else if (c == ':' && !keys.empty() && ++keys.back() > kMostKeys) {
      shape = Shape::too_wide;
    }
  }
  return shape;
}

// Walks over one CBOR value without building or calling anything, because the library's reader
// calls itself once a level, also in texts of indefinite length.
class CborWalk {
 public:
  explicit CborWalk(std::span<const std::uint8_t> cbor) : left_(cbor) {}

  // Whether the bytes are exactly one value of at most kMostValues that nests at most kDeepestJson
  // deep. Tags and indefinite lengths are refused, because cbor_bytes() never writes them.
  bool run() {
    std::size_t values = 0;
    do {
      if (!open_.empty()) --open_.back();
      if (++values > kMostValues || !step()) return false;
      while (!open_.empty() && open_.back() == 0) open_.pop_back();
    } while (!open_.empty());
    return left_.empty();
  }

 private:
  enum Major { bytes = 2, text = 3, array = 4, map = 5, tag = 6 };

  bool step() {
    if (left_.empty()) return false;
    const int major = left_.front() >> 5;
    std::uint64_t size = left_.front() & 0x1F;
    left_ = left_.subspan(1);
    if (major == tag || !read_size(size)) return false;
    if (major < bytes || major > map) return true;  // a number, or a word such as true
    if (size > left_.size()) return false;
    if (major == bytes || major == text) {
      left_ = left_.subspan(size);
      return true;
    }
    open_.push_back(major == map ? 2 * size : size);
    return open_.size() <= kDeepestJson;
  }

  // Replaces the five bits in a value's first byte by the number that they announce.
  bool read_size(std::uint64_t& size) {
    constexpr std::uint64_t kFirstAnnounced = 24, kLastAnnounced = 27;
    if (size < kFirstAnnounced) return true;
    if (size > kLastAnnounced) return false;
    const std::size_t width = std::size_t{1} << (size - kFirstAnnounced);
    if (left_.size() < width) return false;
    size = 0;
    for (const std::uint8_t byte : left_.first(width)) size = size << 8 | byte;
    left_ = left_.subspan(width);
    return true;
  }

  std::span<const std::uint8_t> left_;
  std::vector<std::uint64_t> open_;  // values that each open array or map still has
};

}  // namespace

Json parse_document(std::string_view text, int deepest) {
  const Shape shape = shape_of(text, deepest);
  if (shape == Shape::too_deep) throw bad_input("the JSON nests deeper than {} levels", deepest);
  try {
    if (shape == Shape::too_wide) {
      std::ignore = nlohmann::json::parse(text);  // what is not JSON is said first
      throw bad_input("the JSON has an object of more than {} keys", kMostKeys);
    }
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    if (error.byte > text.size())
      throw bad_input("the text ends at byte {}, before its JSON does", text.size());
    throw bad_input("not JSON at byte {}", error.byte);
  } catch (const Json::out_of_range&) {
    throw InputError("the JSON has a number beyond those of 64 bits, such as 1e999");
  }
}

nlohmann::json parse_sorted(std::string_view text) {
  if (shape_of(text, kDeepestJson) == Shape::too_deep) return nlohmann::json::value_t::discarded;
  return nlohmann::json::parse(text, nullptr, false);
}

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string json_text(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<nlohmann::json> parse_cbor(std::span<const std::uint8_t> bytes) {
  if (!CborWalk(bytes).run()) return std::nullopt;
  nlohmann::json json = nlohmann::json::from_cbor(bytes.begin(), bytes.end(), true, false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

std::optional<nlohmann::json> parse_cbor(std::string_view bytes) {
  return parse_cbor(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
}

std::vector<std::uint8_t> cbor_bytes(const nlohmann::json& json) {
  return nlohmann::json::to_cbor(json);
}

}  // namespace tilewright
