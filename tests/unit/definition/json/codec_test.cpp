#include "definition/json/codec.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

std::string refusal_of(const std::string& text) {
  try {
    parse_document(text);
    return "no error";
  } catch (const InputError& error) {
    return error.what();
  }
}

using Bytes = std::vector<std::uint8_t>;

TEST(Codec, ReadsJsonDownToTheDeepestLevel) {
  EXPECT_EQ(refusal_of(nested(kDeepestJson)), "no error");
  for (const std::size_t levels : {std::size_t{kDeepestJson} + 1, std::size_t{75'000}}) {
    EXPECT_EQ(refusal_of(nested(levels)), "the JSON nests deeper than 100 levels");
    EXPECT_TRUE(parse_sorted(nested(levels)).is_discarded());
  }
  EXPECT_EQ(json_text(parse_sorted(nested(kDeepestJson))), nested(kDeepestJson));
  EXPECT_THROW(parse_document("[[]]", 1), InputError);
  EXPECT_NO_THROW(parse_document("[[]]", 2));
}

TEST(Codec, ObjectsHaveALimitedNumberOfKeys) {
  const auto with_keys = [](int keys) {
    std::string text = "{";
    for (int i = 0; i < keys; ++i) text += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":0";
    return text + "}";
  };
  EXPECT_EQ(refusal_of(with_keys(4096)), "no error");
  EXPECT_EQ(refusal_of('[' + with_keys(4096) + ',' + with_keys(4096) + ']'), "no error");
  const std::string many = with_keys(100'000);  // would take a minute
  EXPECT_EQ(refusal_of(many), "the JSON has an object of more than 4096 keys");
  EXPECT_EQ(refusal_of(many + '!'), "not JSON at byte " + std::to_string(many.size() + 1));
  EXPECT_EQ(parse_sorted(many).size(), 100'000U);
}

TEST(Codec, NumbersThatDoNotFitAreRefused) {
  EXPECT_EQ(refusal_of("[1e999]"), "the JSON has a number beyond those of 64 bits, such as 1e999");
  EXPECT_TRUE(parse_sorted("[1e999]").is_discarded());
}

TEST(Codec, ReadsCborThatItWrote) {
  const nlohmann::json json = {{"none", nullptr},
                               {"small", {0, 23, 24, 255, 256, 65535, 65536, 4294967296}},
                               {"negative", {-1, -24, -25, -256, -257, -4294967297}},
                               {"reals", {0.5, 1e300}},
                               {"words", {true, false}},
                               {"bytes", nlohmann::json::binary(Bytes(300, 7))},
                               {"text", std::string(70'000, 'x')},
                               {"empty", {nlohmann::json::array(), nlohmann::json::object(), ""}}};
  EXPECT_EQ(parse_cbor(cbor_bytes(json)), json);
  Bytes bytes = cbor_bytes(json);
  bytes.push_back(0);
  EXPECT_FALSE(parse_cbor(bytes));
  for (std::size_t size = 0; size < 200; ++size)
    EXPECT_FALSE(parse_cbor(std::span<const std::uint8_t>(bytes).first(size))) << size;
}

TEST(Codec, CborThatNestsTooDeepIsRefused) {
  constexpr std::size_t deep = 200'000;
  EXPECT_TRUE(parse_cbor(cbor_bytes(parse_sorted(nested(kDeepestJson)))));
  Bytes one_more(kDeepestJson, 0x81);
  one_more.push_back(0x80);
  EXPECT_FALSE(parse_cbor(one_more));
  // Arrays, maps with the key "", tags, and arrays, maps, bytes and texts of indefinite length.
  for (const Bytes& level : {Bytes{0x81}, Bytes{0xA1, 0x60}, Bytes{0xC1}, Bytes{0x9F},
                             Bytes{0xBF, 0x60}, Bytes{0x5F}, Bytes{0x7F}}) {
    Bytes bytes;
    for (std::size_t i = 0; i < deep; ++i) bytes.insert(bytes.end(), level.begin(), level.end());
    bytes.push_back(0);
    EXPECT_FALSE(parse_cbor(bytes)) << int{level.front()};
  }
}

TEST(Codec, CborThatPromisesMoreThanItHasIsRefused) {
  for (const Bytes& bytes :
       {Bytes{}, Bytes{0x9B, 255, 255, 255, 255, 255, 255, 255, 255},
        Bytes{0xBB, 128, 0, 0, 0, 0, 0, 0, 0}, Bytes{0x5A, 255, 255, 255, 255, 1}, Bytes{0x82, 1},
        Bytes{0xA1, 1, 1}, Bytes{0x1C}, Bytes{0xFF}, Bytes{0xF8}})
    EXPECT_FALSE(parse_cbor(bytes));
}

}  // namespace
}  // namespace tilewright
