#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "definition/json/codec.hpp"
#include "tests/fuzz/mutate.hpp"
#include "tests/fuzz/target.hpp"

// Changes JSON, or CBOR if FUZZ_CBOR is defined, as a tree, so that most inputs get past the
// parser.

namespace {

using nlohmann::json;
using tilewright::fuzz::below;
using tilewright::fuzz::Random;

void collect(json& node, std::vector<json*>& all) {
  all.push_back(&node);
  if (node.is_structured())
    for (json& child : node) collect(child, all);
}

json extreme(Random& random) {
  static const std::vector<json> values = {nullptr,
                                           true,
                                           0,
                                           -1,
                                           1,
                                           1e308,
                                           -1e308,
                                           0.5,
                                           std::numeric_limits<std::int64_t>::max(),
                                           std::numeric_limits<std::int64_t>::min(),
                                           std::numeric_limits<std::uint64_t>::max(),
                                           std::int64_t{1} << 62,
                                           "",
                                           "nan",
                                           "inf",
                                           "-inf",
                                           "\x1b[2J\r\n",
                                           "measured",
                                           json::array(),
                                           json::object(),
                                           json::array({1, 2, 3}),
                                           {{"", 0}}};
  return values[below(random, values.size())];
}

void change(json& root, Random& random) {
  std::vector<json*> all;
  collect(root, all);
  json& node = *all[below(random, all.size())];
  switch (below(random, 5)) {
    case 0:
      node = extreme(random);
      return;
    case 1: {
      json copy = *all[below(random, all.size())];
      node = std::move(copy);
      return;
    }
    case 2:
      if (node.is_structured() && !node.empty())
        node.erase(
            std::next(node.begin(), static_cast<std::ptrdiff_t>(below(random, node.size()))));
      return;
    case 3:
      if (node.is_array() && !node.empty()) node.push_back(json(node[below(random, node.size())]));
      return;
    default:
      if (node.is_number_integer()) node = node.get<std::int64_t>() ^ (1LL << below(random, 63));
      if (node.is_number_float()) node = node.get<double>() * -1e3;
      if (node.is_string()) node = node.get<std::string>() + static_cast<char>(below(random, 128));
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  Random random(seed + 1);
  const std::string_view text = tilewright::fuzz::text_of(data, size);
#ifdef FUZZ_CBOR
  json root = tilewright::parse_cbor(text).value_or(json(json::value_t::discarded));
#else
  json root = tilewright::parse_sorted(text);
#endif
  if (root.is_discarded() || below(random, 10) == 0) return LLVMFuzzerMutate(data, size, most);
  for (std::size_t i = 0; i <= below(random, 3); ++i) change(root, random);
#ifdef FUZZ_CBOR
  const std::vector<std::uint8_t> bytes = tilewright::cbor_bytes(root);
#else
  const std::string bytes = tilewright::json_text(root);
#endif
  if (bytes.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}
