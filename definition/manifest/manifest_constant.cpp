#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "definition/manifest/manifest_parts.hpp"

namespace tilewright {
namespace {

// Names with "::" between them. The text becomes a part of code.
bool is_qualified_name(std::string_view text) {
  constexpr std::string_view kScope = "::";
  for (;;) {
    const std::size_t end = text.find(kScope);
    if (!is_identifier(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + kScope.size());
  }
}

ConstantSymbol read_constant(const TableReader& table) {
  ConstantSymbol constant;
  constant.symbol = table.text("symbol");
  if (!is_qualified_name(constant.symbol))
    table.fail(table.need("symbol"),
               fmt::format("'{}' is not the name of a variable, such as d_filter or mine::d_filter",
                           constant.symbol));
  constant.from = table.identifier("from");
  if (table.has("unit")) constant.unit = table.identifier("unit");
  constant.when = table.expression("when", constant.when);
  return constant;
}

}  // namespace

std::vector<ConstantSymbol> read_constants(const TableReader& owner,
                                           const std::vector<std::string>& keys) {
  std::vector<ConstantSymbol> constants;
  for (const TomlNode& node : owner.elements("constant")) {
    if (constants.size() == kMostConstants)
      owner.fail(node, fmt::format("there are more than {} constants", kMostConstants));
    const TableReader table(owner.file(), node, "an element of 'constant'", keys);
    ConstantSymbol constant = read_constant(table);
    const auto is_same = [&](const ConstantSymbol& other) {
      return other.symbol == constant.symbol && other.unit == constant.unit;
    };
    if (std::ranges::any_of(constants, is_same))
      table.fail(table.need("symbol"), fmt::format("'{}' is filled twice", constant.symbol));
    constants.push_back(std::move(constant));
  }
  return constants;
}

}  // namespace tilewright
