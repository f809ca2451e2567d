// What a definition, a launch or a compile request is, decides which results and which code are
// used again. A field that is forgotten there gives stale results, so each one is changed here.
#include <cxxabi.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <typeinfo>

#include "campaign/space_hash.hpp"
#include "definition/library/library.hpp"
#include "tests/unit/campaign/rich_definition.hpp"
#include "tilewright/error.hpp"
#include "tuner/sweep/prepare/inspector.hpp"
#include "tuner/worker/cubin_cache.hpp"

namespace tilewright::test {
namespace {

template <class Struct>
std::string name_of(const char* field) {
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(typeid(Struct).name(), nullptr, nullptr, nullptr), std::free);
  return std::string(name.get()).substr(std::string("tilewright::").size()) + '.' + field;
}

template <class T>
void change(T& value) {
  if constexpr (std::same_as<T, Value>)
    value = value == Value(std::int64_t{9}) ? Value("label") : Value(std::int64_t{9});
  else if constexpr (std::same_as<T, std::string>)
    value += 'x';
  else if constexpr (std::same_as<T, std::filesystem::path>)
    value = definitions_folder() / (value.filename() == "csr.cu" ? "sum.cu" : "csr.cu");
  else if constexpr (std::same_as<T, Expression>)
    value = Expression::parse('(' + value.text() + ") + 1");
  else if constexpr (std::is_enum_v<T>)
    value = static_cast<T>(static_cast<int>(value) == 0 ? 1 : 0);
  else if constexpr (std::same_as<T, bool>)
    value = !value;
  else if constexpr (std::is_arithmetic_v<T>)
    value += 1;
}

template <class T>
void grow(T& values) {
  if constexpr (requires { values.push_back(values.front()); })
    values.push_back(values.empty() ? typename T::value_type{} : values.back());
  else if constexpr (requires { typename T::mapped_type; })
    values.emplace("another", values.empty() ? typename T::mapped_type{} : values.begin()->second);
}

// Which fields below an object change its key, by STRUCT.FIELD. It changes each of them alone,
// wherever the object has its struct.
class Changes {
 public:
  template <class Root, class KeyOf>
  Changes(Root object, const KeyOf& key_of) {
    const std::string before = key_of(object);
    vary(object, [&] {
      try {
        return key_of(object) != before;
      } catch (const InputError&) {  // a file that is not there
        return true;
      }
    });
  }

  // Those that count for nothing.
  std::set<std::string> ignored() const {
    std::set<std::string> names;
    for (const auto& [name, counts] : counts_)
      if (!counts) names.insert(name);
    return names;
  }
  std::size_t size() const { return counts_.size(); }

 private:
  using Check = std::function<bool()>;

  template <class T>
  void vary(T& value, const Check& is_other) {
    if constexpr (HasFields<T>) {
      std::set<std::string> names;
      for_each_field(value, [&](const char* field, auto& member) {
        const std::string name = name_of<T>(field);
        EXPECT_TRUE(names.insert(name).second) << name;
        bool& counts = counts_.try_emplace(name).first->second;
        vary(member, [&] {
          const bool is_seen = is_other();
          counts |= is_seen;
          return is_seen;
        });
      });
    } else if constexpr (Optional<T>) {
      if (value) vary(*value, is_other);
      with(value, is_other, [&] { value = value ? T() : T(std::in_place); });
    } else if constexpr (Pair<T>) {
      vary(value.second, is_other);
    } else if constexpr (std::ranges::range<T> && !kIsText<T>) {
      for (auto& element : value) vary(element, is_other);
      with(value, is_other, [&] { grow(value); });
    } else {
      with(value, is_other, [&] { change(value); });
    }
  }

  template <class T, class Edit>
  static void with(T& value, const Check& is_other, const Edit& edit) {
    const T before = value;
    edit();
    is_other();
    value = before;
  }

  std::map<std::string, bool> counts_;
};

using Reasons = std::map<std::string, std::string>;

void expect_ignored(const Changes& changes, const Reasons& reasons) {
  std::set<std::string> names;
  for (const auto& [name, reason] : reasons) names.insert(name);
  EXPECT_EQ(changes.ignored(), names);
}

TEST(Identity, EachFieldOfADefinitionIsInTheSpaceHash) {
  struct Definition {
    Operation operation = rich_operation();
    Implementation implementation = rich_implementation();
  };
  const Definition all;
  const Changes of_operation(all.operation, [&](const Operation& operation) {
    return space_hash(all.implementation, operation);
  });
  const Changes of_implementation(all.implementation, [&](const Implementation& implementation) {
    return space_hash(implementation, all.operation);
  });
  EXPECT_GT(of_operation.size(), 100U);
  EXPECT_GT(of_implementation.size(), 60U);
  expect_ignored(of_operation, {});
  expect_ignored(of_implementation, {});
}

TEST(Identity, EachFieldOfASnippetIsInItsLabel) {
  const Operation operation = rich_operation();
  const Changes changes(*operation.hooks[0].snippet,
                        [](const Snippet& snippet) { return snippet.label(); });
  expect_ignored(changes, {});
}

TEST(Identity, EachFieldOfAPlanIsInTheKeyOfALaunch) {
  const Changes changes(rich_plan(), [](const LaunchPlan& plan) { return launch_key("", plan); });
  EXPECT_GT(changes.size(), 40U);
  expect_ignored(changes, {});
}

TEST(Identity, EachFieldOfACompileRequestIsInTheKeyOfTheCache) {
  const Changes changes(rich_request(), [](const CompileRequest& request) {
    return cache_key(request, "NVRTC 13.0");
  });
  expect_ignored(changes, {});
}

}  // namespace
}  // namespace tilewright::test
