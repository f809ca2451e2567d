#pragma once

#include <concepts>
#include <filesystem>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "definition/expression/expression.hpp"

namespace tilewright {

// The fields of a struct, named once. Binding, checks, messages, hashes and keys follow from the
// list, so a new field needs a member, a line in the list, and code that uses it.

// Whether hashes, keys and messages have the field.
enum class Written {
  unless_default,  // a new field changes no hash and no bundle that exists
  always,
  by_hand,  // in a form of its own, by the code that makes the hash
  never,    // tests/unit/campaign/identity_test.cpp has the reasons
};

template <class Struct, class Member, Written how>
struct Field {
  static constexpr Written written = how;

  const char* name;
  Member Struct::*member;
};

// A tuple of Field, in the order of the members. Specialised where the struct is defined.
template <class Struct>
inline constexpr std::tuple<> kFields = {};

// TILEWRIGHT_FIELDS(always, Launch, entry, grid): fields that are written alike, as a tuple. Up
// to 27.
#define TILEWRIGHT_FIELDS(written, Struct, ...) \
  std::tuple(TILEWRIGHT_SCAN(TILEWRIGHT_FIELD(written, Struct, __VA_ARGS__)))
// The list of a struct of which all are written alike.
#define TILEWRIGHT_LIST_FIELDS(written, Struct, ...) \
  template <>                                        \
  inline constexpr auto kFields<Struct> = TILEWRIGHT_FIELDS(written, Struct, __VA_ARGS__)

#define TILEWRIGHT_FIELD(how, Struct, member, ...)                                            \
  ::tilewright::Field<Struct, decltype(Struct::member), Written::how>{                        \
      #member,                                                                                \
      &Struct::member} __VA_OPT__(, TILEWRIGHT_NEXT_FIELD TILEWRIGHT_PARENTHESES(how, Struct, \
                                                                                 __VA_ARGS__))
#define TILEWRIGHT_PARENTHESES ()
#define TILEWRIGHT_NEXT_FIELD() TILEWRIGHT_FIELD
#define TILEWRIGHT_SCAN(...) TILEWRIGHT_SCAN_9(TILEWRIGHT_SCAN_9(TILEWRIGHT_SCAN_9(__VA_ARGS__)))
#define TILEWRIGHT_SCAN_9(...) TILEWRIGHT_SCAN_3(TILEWRIGHT_SCAN_3(TILEWRIGHT_SCAN_3(__VA_ARGS__)))
#define TILEWRIGHT_SCAN_3(...) TILEWRIGHT_SCAN_1(TILEWRIGHT_SCAN_1(TILEWRIGHT_SCAN_1(__VA_ARGS__)))
#define TILEWRIGHT_SCAN_1(...) __VA_ARGS__

template <class Struct>
concept HasFields =
    !std::same_as<decltype(kFields<std::remove_const_t<Struct>>), const std::tuple<>>;

// Whether these fields are the struct's members, in order.
template <class List>
constexpr bool lists_every_member(const List& list) {
  return std::apply(
      []<class Struct, class... Member, Written... how>(const Field<Struct, Member, how>&...) {
        constexpr bool takes_all = requires {
          Struct{std::declval<Member>()...};
        };
        constexpr bool takes_more = requires {
          Struct{std::declval<Member>()..., {}};
        };
        return takes_all && !takes_more;
      },
      list);
}

// Calls visit(field) for each field, in order.
template <HasFields Struct, class Visit>
constexpr void for_each_listed(const Visit& visit) {
  constexpr const auto& list = kFields<std::remove_const_t<Struct>>;
  static_assert(lists_every_member(list), "the list is not that of all members, in their order");
  std::apply([&visit](const auto&... field) { (visit(field), ...); }, list);
}

template <class AnyField>
inline constexpr Written kWritten = std::remove_cvref_t<AnyField>::written;

// Calls visit(name, value).
template <HasFields Struct, class Visit>
void for_each_field(Struct& object, const Visit& visit) {
  for_each_listed<Struct>([&](const auto& field) { visit(field.name, object.*field.member); });
}

template <class T>
inline constexpr bool kIsText =
    std::same_as<T, std::string> || std::same_as<T, std::filesystem::path>;
template <class T>
concept Pair = requires {
  typename T::first_type;
};
template <class T>
concept Optional = requires(T value) {
  value.has_value();
};

template <class T>
concept AnyExpression = std::same_as<T, Expression> || std::same_as<T, std::optional<Expression>>;

template <HasFields Struct>
std::vector<std::string> names_of_fields() {
  std::vector<std::string> names;
  for_each_listed<Struct>([&names](const auto& field) { names.emplace_back(field.name); });
  return names;
}

// Visits every expression below the value, in the order of the lists.
template <class Value, class Visit>
void for_each_expression(Value& value, const Visit& visit) {
  using Type = std::remove_const_t<Value>;
  if constexpr (std::same_as<Type, Expression>) {
    visit(value);
  } else if constexpr (HasFields<Type>) {
    for_each_field(value,
                   [&visit](const char*, auto& member) { for_each_expression(member, visit); });
  } else if constexpr (Optional<Type>) {
    if (value) for_each_expression(*value, visit);
  } else if constexpr (Pair<Type>) {
    for_each_expression(value.second, visit);
  } else if constexpr (std::ranges::range<Type> && !kIsText<Type>) {
    for (auto& element : value) for_each_expression(element, visit);
  } else {
    static_assert(kIsText<Type> || !std::is_aggregate_v<Type>, "the struct has no list of fields");
  }
}

}  // namespace tilewright
