// What a definition, a launch or a compile request is, decides which results and which code are
// used again. A field that is forgotten there gives stale results, so each one is changed here.
#include <cxxabi.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <typeinfo>

#include "campaign/prepared_sweep.hpp"
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

// Fields that a hash or a key does not have.
struct Ignored {
  const char* where;
  const char* of;
  std::set<std::string> fields;
  const char* reason;
};

const std::vector<Ignored>& all_ignored() {
  constexpr const char* kOperation = "space hash of an operation";
  constexpr const char* kImplementation = "space hash of an implementation";
  constexpr const char* kLabel = "label of a snippet";
  constexpr const char* kProblem = "the sweep's key has the problem itself";
  constexpr const char* kText = "a text for people";
  constexpr const char* kOwnKey = "the sweep's key has it beside the hash";
  constexpr const char* kGuess = "it guides look-ups, and changes no measurement";
  constexpr const char* kShown = "it is worked out from results when they are shown";
  constexpr const char* kInHash = "the space hash has it, as the operation's argument";
  static const std::vector<Ignored> all = {
      {kOperation, "Operation", {"name", "dimensions", "choices", "hooks"}, kProblem},
      {kOperation, "Operation", {"constraints"}, "it says which problems there are"},
      {kOperation, "Operation", {"classes", "workloads"}, kGuess},
      {kOperation, "Operation", {"flops", "bytes", "own_work", "metrics"}, kShown},
      {kOperation, "Operation", {"about", "manifest"}, kText},
      {kOperation,
       "Dimension",
       {"name", "about", "default_value", "host_default", "computed_default", "minimum",
        "computed_minimum", "maximum", "role"},
       kProblem},
      {kOperation,
       "Choice",
       {"name", "about", "labels", "default_label", "computed_default", "absent", "role"},
       kProblem},
      {kOperation, "Hook", {"name", "about", "coordinates", "type", "snippet"}, kProblem},
      {kOperation, "Coordinate", {"name", "count"}, kProblem},
      {kOperation,
       "Snippet",
       {"name", "hook", "about", "code", "arguments", "file", "line", "same_as"},
       "its label is the hook's value in the problem"},
      {kOperation, "Constraint", {"require", "why"}, "it says which problems there are"},
      {kOperation, "Workload", {"name", "about", "sizes", "choices"}, kGuess},
      {kOperation, "Workload::Range", {"dimension", "from", "to", "step"}, kGuess},
      {kOperation, "OwnWork", {"flops", "bytes"}, kShown},
      {kOperation, "Metric", {"name", "about", "unit", "value", "better"}, kShown},
      {kOperation, "Argument", {"about"}, kText},
      {kOperation, "Argument", {"capacity"}, "the source declares it, too"},
      {kOperation, "Argument", {"has_own_fill"}, "hashes of version 0.2 lack it; fills differ"},
      {kOperation, "Reference", {"include_directories"}, "the hash has the texts of the headers"},
      {kOperation, "Reference", {"dropped_options"}, "no device's compiler gets them"},
      {kOperation, "Launch", {"macros"}, "they are a unit's, and a reference has none"},
      {kImplementation, "Implementation", {"name", "operation", "epoch", "source"}, kOwnKey},
      {kImplementation,
       "Implementation",
       {"include_directories"},
       "the source's hash has the texts"},
      {kImplementation, "Implementation", {"about", "manifest"}, kText},
      {kImplementation, "Implementation", {"files"}, "the hash of the source has their contents"},
      {kImplementation, "Implementation", {"version"}, "what it prints is a part of the strategy"},
      {kImplementation, "Implementation", {"dropped_options"}, "no device's compiler gets them"},
      {kImplementation, "Implementation", {"own_work"}, kShown},
      {kImplementation, "Implementation", {"terms"}, "expressions have them written out"},
      {kImplementation, "Implementation", {"snippets"}, "without them there is a constraint"},
      {kImplementation,
       "Implementation",
       {"seeds", "general", "cost", "relative_cost", "prepared_general"},
       kGuess},
      {kImplementation, "OwnWork", {"flops", "bytes"}, kShown},
      {kImplementation, "Parameter", {"about"}, kText},
      {kImplementation, "Parameter", {"follows"}, kGuess},
      {kImplementation, "Constraint", {"why"}, kText},
      {kImplementation, "Remark", {"why"}, kText},
      {kImplementation, "SourceUnit", {"source"}, kOwnKey},
      {kImplementation, "Launch", {"macros"}, "reading makes a unit of them"},
      {kImplementation,
       "CostFormulas",
       {"blocks", "multiprocessors", "resident", "work", "latency", "least", "overhead"},
       kGuess},
      {kLabel, "Snippet", {"hook"}, "it is the label's name in the problem"},
      {kLabel, "Snippet", {"about", "file", "line"}, kText},
      {kLabel, "Argument", {"about"}, kText},
      {kLabel,
       "Argument",
       {"computed_type", "role", "when", "read_when", "lanes", "capacity"},
       "reading refuses it, or the code does not depend on it"},
      {kLabel, "Argument", {"fill", "computed_fill", "has_own_fill", "integer_fill"}, kInHash},
      {kLabel,
       "ComputedFill",
       {"low", "high", "mean", "deviation", "divisor", "correlation", "border", "rows", "columns"},
       kInHash},
      {kLabel,
       "Fill",
       {"kind", "low", "high", "file", "mean", "deviation", "divisor", "correlation", "border",
        "rows", "columns"},
       kInHash},
      {"key of compiled code", "CompileRequest", {"compiler"}, "its version is a part of the key"},
  };
  return all;
}

std::set<std::string> ignored_in(const std::string& where) {
  std::set<std::string> names;
  for (const Ignored& one : all_ignored())
    for (const std::string& field : one.fields)
      if (where == one.where) names.insert(std::string(one.of) + '.' + field);
  return names;
}

TEST(Identity, EachFieldOfAnOperationIsInTheSpaceHash) {
  const Implementation implementation = rich_implementation();
  const Changes changes(rich_operation(), [&](const Operation& operation) {
    return space_hash(implementation, operation);
  });
  EXPECT_GT(changes.size(), 120U);
  EXPECT_EQ(changes.ignored(), ignored_in("space hash of an operation"));
}

TEST(Identity, EachFieldOfAnImplementationIsInTheSpaceHash) {
  const Operation operation = rich_operation();
  const Changes changes(rich_implementation(), [&](const Implementation& implementation) {
    return space_hash(implementation, operation);
  });
  EXPECT_GT(changes.size(), 80U);
  EXPECT_EQ(changes.ignored(), ignored_in("space hash of an implementation"));
}

TEST(Identity, EachFieldOfASnippetIsInItsLabel) {
  const Operation operation = rich_operation();
  const Changes changes(*operation.hooks[0].snippet,
                        [](const Snippet& snippet) { return snippet.label(); });
  EXPECT_EQ(changes.ignored(), ignored_in("label of a snippet"));
}

TEST(Identity, EachFieldOfAPlanIsInTheKeyOfALaunch) {
  const Changes changes(rich_plan(), [](const LaunchPlan& plan) { return launch_key("", plan); });
  EXPECT_GT(changes.size(), 40U);
  EXPECT_EQ(changes.ignored(), std::set<std::string>());
}

TEST(Identity, EachFieldOfACompileRequestIsInTheKeyOfTheCache) {
  const Changes changes(rich_request(), [](const CompileRequest& request) {
    return cache_key(request, "NVRTC 13.0");
  });
  EXPECT_EQ(changes.ignored(), ignored_in("key of compiled code"));
}

// Two definitions with all that version 0.2 knew.
TEST(Identity, HashesRemain) {
  Operation operation = rich_operation();
  Implementation one = rich_implementation();
  EXPECT_EQ(space_hash(one, operation), "d4d8de65964b1f2836f96612be4a441e");
  EXPECT_EQ(cache_key(rich_request(), "NVRTC 13.0"), "28c69b40f8462c7c3422e84eef139f86");
  operation.comparison = {true, Expression{3}, 2,    Expression{1}, Expression{5},
                          0.5,  0.25,          1e-3, 1e-4};
  for (Argument& argument : operation.arguments) {
    argument.computed_fill.low = Expression{2};
    argument.computed_fill.columns = Expression{7};
    argument.fill.divisor = 3;
    argument.fill.correlation = 5;
    argument.fill.file = "x";
    argument.real.number = 0.5;
    argument.value = Expression{9};
    argument.lanes = 2;
    argument.when = Expression{4};
  }
  operation.reference.loops = one.loops;
  operation.reference.constants = one.constants;
  one.architecture_specific = true;
  one.compiler = DeviceCompiler::nvcc;
  one.max_registers = Expression{3};
  one.units[0].max_registers = Expression{7};
  one.parameters[0].absent = Value(std::int64_t{2});
  one.parameters[0].active = Expression{5};
  one.parameters[0].compiled_in = Expression{6};
  one.workspace.zero = Workspace::Fill::each;
  one.launches[0].dependent_launch = Expression{1};
  one.launches[0].cooperative = Expression{1};
  one.launches[0].unit = "low";
  one.launches[0].arguments[1].real.number = 0.25;
  one.launches[0].arguments[0].when = Expression{7};
  EXPECT_EQ(space_hash(one, operation), "2e3cd9353d19b1cf35b11bd1466a1378");
  operation.reference.builtin = "gemm";
  EXPECT_EQ(space_hash(one, operation), "10e084109bb9a87de12d8f72167e2181");
}

// Of manifests, as version 0.2 made them.
TEST(Identity, HashesOfManifestsRemain) {
  const std::map<std::string, std::string> expected = {
      {"async_copy/async_copy", "57d4afc8936dcce2a74f3d314d474f40"},
      {"blend/strided", "45c1405633ff929cc27c6f941a247fbb"},
      {"block_reduce/cub", "90beb676aa48da7c773d2472654fcb43"},
      {"box_store/boxes", "e03cb303542bffc4b2734d0252ea96fa"},
      {"constants/kernel_tuner", "cf0e30b7b0333fdb13654ddcb5b2363c"},
      {"cooperative/grid", "7154da61d635f5c0460b3045010abf5d"},
      {"csr/lanes", "b135fabb311847a3748fb5626b44a329"},
      {"iterate/step_by_step", "81f17cd8cd26e04bbf1524a1e972a406"},
      {"large_tile/tiles", "b3a36438dacb05175e3b9f7714ff423b"},
      {"lookup/fetched", "edb3068a3b928d1a1df02137bda13d16"},
      {"lookup/interpolated", "ad0add1eb797c0fab16227a856cc8895"},
      {"ring/ring", "aad6a222dd797a5331f0d88d5f67cbb5"},
      {"separable2d/two_pass", "1794d4c45f0165fda2237c0730df2e2d"},
      {"slopes/strided", "91c99f032c9617c5aff578814e8e8272"},
      {"split_k/split_k", "e20ccd3fe8f80194e3c1b3eda2a14726"},
      {"sum/two_stage", "29943d38e98efdf7604c6f2e4060f0a0"},
      {"tensor_map/boxes", "58a1872107889d124957fe386eec29b5"},
      {"texture/loads", "ade86d12976caf269887c0875b15c19b"},
      {"texture/texture", "538c82e50cf05b33b219efce501b3c84"},
      {"two_stage/stages", "f34e3ed07a7341344c1db7b7aaf16183"},
      {"units/two_units", "8778c78091d57534e49e5f6bd32b10ac"},
      {"volume/texture", "91f85693fa1ebffc79c3fa355a7f4136"},
  };
  for (const auto& [name, hash] : expected) {
    const auto slash = name.find('/');
    const auto families =
        load_families(definitions_folder() / (name.substr(0, slash) + ".toml"), Library::load({}));
    bool is_found = false;
    for (const Family& family : families)
      for (const Implementation& one : family.implementations)
        if (one.name == name.substr(slash + 1)) {
          is_found = true;
          EXPECT_EQ(space_hash(one, family.operation), hash) << name;
        }
    EXPECT_TRUE(is_found) << name;
  }
}

}  // namespace
}  // namespace tilewright::test
