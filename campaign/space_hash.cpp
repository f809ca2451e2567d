#include "campaign/prepared_sweep.hpp"

#include <fmt/format.h>

#include "definition/source.hpp"
#include "definition/text/hash.hpp"

namespace tilewright {
namespace {

template <class T>
std::string text_of(const T& value) {
  if constexpr (Optional<T>)
    return value ? text_of(*value) : "";
  else if constexpr (std::same_as<T, std::string>)
    return value;
  else if constexpr (std::same_as<T, std::filesystem::path>)
    return value.string();
  else if constexpr (std::same_as<T, Expression>)
    return value.text();
  else if constexpr (std::same_as<T, Value> || requires { to_text(value); })
    return std::string(to_text(value));
  else if constexpr (std::is_enum_v<T>)
    return std::to_string(static_cast<int>(value));
  else
    return fmt::format("{}", value);
}

// What decides whether answers are right, and which configurations there are: the fields of the
// lists. The texts of fields that are written by hand are those of version 0.2, so that its hashes
// remain.
class Canonical {
 public:
  template <class T>
  void add(const T& value) {
    if constexpr (HasFields<T>)
      add_fields(value);
    else if constexpr (Pair<T>)
      add_text(value.first + '=' + text_of(value.second));
    else if constexpr (std::ranges::range<T> && !kIsText<T>)
      for (const auto& element : value) add(element);
    else
      add_text(text_of(value));
  }
  void add(const char* text) { add_text(text); }
  std::string hash() const { return hex_hash(text_); }

 private:
  // Each text has its length, so that different definitions never give the same one.
  void add_text(const std::string& text) { text_ += fmt::format("{}:{};", text.size(), text); }

  template <class Struct>
  void add_fields(const Struct& object) {
    static const auto& usual = *new const Struct{};
    bool is_by_hand = false;
    for_each_listed<Struct>([&](const auto& field) {
      constexpr Written written = kWritten<decltype(field)>;
      if constexpr (written == Written::always)
        add(object.*field.member);
      else if constexpr (written == Written::unless_default)
        add_if_unusual(field.name, object.*field.member, usual.*field.member);
      else if constexpr (written == Written::by_hand)
        if (!std::exchange(is_by_hand, true)) add_by_hand(object);
    });
  }

  template <class T>
  void add_if_unusual(const std::string& name, const T& value, const T& usual) {
    if constexpr (std::ranges::range<T> && !kIsText<T>) {
      for (const auto& element : value) {
        add(name + '=' + text_of(element));
        if constexpr (HasFields<std::remove_cvref_t<decltype(element)>>) add(element);
      }
    } else if (const std::string text = text_of(value); text != text_of(usual)) {
      add(std::same_as<T, bool> ? name : name + '=' + text);
    }
  }

  template <class Struct>
  void add_by_hand(const Struct&) {}  // it has no such fields

  void add_by_hand(const Launch& launch) {
    if (launch.dependent_launch.text() == Expression{}.text()) return;
    add("dependent_launch");
    add(launch.dependent_launch);
  }

  void add_by_hand(const RealValue& real) {
    if (real.number) add(fmt::format("real={}", *real.number));
    if (real.divisor) add("divisor=" + real.divisor->text());
    if (real.computed) add("real value=" + real.computed->text());
  }

  void add_by_hand(const LaunchArgument& argument) {
    using Kind = LaunchArgument::Kind;
    const bool is_workspace_map = argument.kind == Kind::workspace_map;
    if (argument.when.text() != Expression{1}.text()) add(argument.when);
    if (argument.kind == Kind::tensor_map || is_workspace_map) add(argument.map);
    if (is_workspace_map) add(argument.map.type);
    if (argument.kind != Kind::texture) return;
    add(argument.texture.dims.size());
    for_each_expression(argument.texture, [&](const Expression& one) { add(one); });
  }

  void add_by_hand(const TensorMap& map) {
    for (const auto* numbers : {&map.dims, &map.strides, &map.box}) {
      add(numbers->size());
      add(*numbers);
    }
    add(map.swizzle);
    add(map.promote);
  }

  void add_by_hand(const Loop& loop) {
    add(fmt::format("loop={} trips={}", loop.name, loop.trips.text()));
    for (const LaunchArgument& place : loop.swap)
      add(fmt::format("swap={} {}", place.name, place.value.text()));
  }

  void add_by_hand(const ConstantSymbol& constant) {
    add(fmt::format("constant={} from={}", constant.symbol, constant.from));
  }

  void add_by_hand(const SourceUnit& unit) { add("unit=" + unit.name); }

  void add_by_hand(const Remark& remark) {
    for (const std::string& code : remark.codes) add("remark=" + code);
  }

  void add_by_hand(const Argument& argument) {
    add(argument.computed_type ? argument.computed_type->text() : to_text(argument.type));
    add(argument.count);
    if (argument.when.text() != Expression{1}.text()) add(argument.when);
    if (argument.lanes != 1) add(fmt::format("lanes={}", argument.lanes));
    add(argument.read_when);
    add(argument.value);
    add(argument.real);
    const Fill& fill = argument.fill;
    add(fmt::format("{} {} {} {} {}", static_cast<int>(argument.kind),
                    static_cast<int>(argument.role), static_cast<int>(fill.kind), fill.low,
                    fill.high));
    add(fill.file);
    if (fill.kind == Fill::Kind::normal) add(fmt::format("{} {}", fill.mean, fill.deviation));
    add(argument.computed_fill);
    if (const auto& integers = argument.integer_fill)
      add(fmt::format("integers={} {}", integers->low, integers->high));
    if (fill.divisor != 1) add(fmt::format("divided={}", fill.divisor));
    if (fill.correlation != 1) add(fmt::format("correlated={}", fill.correlation));
    if (fill.border != 0 || fill.columns != 0)
      add(fmt::format("image={} {} {}", fill.border, fill.rows, fill.columns));
  }

  void add_by_hand(const Reference& reference) {
    if (reference.builtin.empty() && !reference.source.empty()) add(read_source(reference).hash);
    for (const std::string& option : reference.options) add("option=" + option);
  }

  void add_by_hand(const Comparison& comparison) {
    add(comparison.reduction);
    add(fmt::format("{} {}", comparison.reduced, comparison.scale));
  }

  void add_by_hand(const Operation& operation) {
    for (const auto& [name, fill] : operation.kernel_fills) {
      add("filled by kernel=" + name + ' ' + read_source(fill).hash);
      for (const std::string& option : fill.options) add("option=" + option);
      add(fill.launches);
    }
    for (const Settings& check : operation.checks) add(canonical_json(check));
  }

  std::string text_;
};

}  // namespace

std::string space_hash(const Implementation& implementation, const Operation& operation) {
  Canonical canonical;
  canonical.add(operation);
  canonical.add(implementation);
  return canonical.hash();
}

}  // namespace tilewright
