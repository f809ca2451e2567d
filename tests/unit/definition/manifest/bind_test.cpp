#include "definition/manifest/manifest.hpp"

#include <sys/resource.h>

#include "definition/problem.hpp"
#include "tests/unit/definition/manifest/manifest_fixture.hpp"

// Choices of types, and what settings omit.

namespace tilewright {
namespace {

constexpr const char* kTyped = R"toml(schema = 1
[operation]
name = "scale"
bytes = "size_of(x) * n + size_of(y) * n"

[[operation.dimension]]
name = "n"
default = 8

[[operation.choice]]
name = "type_x"
values = ["float32", "float16", "float64"]
default = "float32"
absent = "float32"

[[operation.choice]]
name = "type_y"
values = ["float32", "float16", "float64"]
default = "type_x"
absent = "float32"

[[operation.choice]]
name = "with_bias"
values = ["no", "yes"]
default = "no"

[[operation.hook]]
name = "epilogue"
type = "type_x == 'float64' ? 'float64' : 'float32'"
coordinates = [{ name = "i", count = "n" }]

[[operation.argument]]
name = "x"
type = "type_x"
count = "n"

[[operation.argument]]
name = "bias"
type = "type_x == 'float64' ? 'float64' : 'float32'"
when = "with_bias == 'yes'"
count = "n"

[[operation.argument]]
name = "y"
type = "type_y"
role = "output"
count = "n"

[operation.reference]
source = "kernel.cu"
[[operation.reference.launch]]
entry = "scale_by<{type_x}, {type_y}>"
grid = [1]
block = [1]
arguments = ["x", "y"]

[[implementation]]
name = "plain"
source = "kernel.cu"

[[implementation.parameter]]
name = "BLOCK"
values = [32, 64]
default = 32

[[implementation.parameter]]
name = "STAGES"
values = [1, 2]
default = 1
absent = 1

[[implementation.constraint]]
require = "STAGES * BLOCK * size_of(x) <= 256"
why = "shared memory"

[[implementation.launch]]
entry = "scale<{type_x}>"
grid = [1]
block = ["BLOCK * STAGES"]
arguments = ["x", "y", "n", "STAGES"]
)toml";

class BindTest : public ManifestTest {
 protected:
  static std::string typed(const std::string& from, const std::string& to) {
    std::string text = kTyped;
    EXPECT_NE(text.find(from), std::string::npos) << from;
    return text.replace(text.find(from), from.size(), to);
  }
  void expect_refused(const std::string& from, const std::string& to,
                      const std::string& part) const {
    const std::string message = error_of(typed(from, to));
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }

  Problem problem(const std::vector<std::string>& assignments) const {
    return make_problem(operation(), assignments, Device{});
  }
  const Operation& operation() const { return manifest_.operations.at(0); }
  const Implementation& plain() const { return manifest_.implementations.at(0); }

  const Manifest manifest_ = read(kTyped);
};

TEST_F(BindTest, AProblemOmitsTheAbsentLabelOfAChoice) {
  const Problem usual = problem({});
  EXPECT_EQ(canonical_json(usual.values), R"({"epilogue":"none","n":8,"with_bias":"no"})");
  EXPECT_EQ(problem({"type_x=float32"}), usual);
  EXPECT_EQ(problem({"type_y=float32", "type_x=float32"}), usual);
  EXPECT_EQ(find_value(operation(), usual, "type_x"), Value("float32"));
  EXPECT_EQ(find_value(operation(), usual, "n"), Value(8));
  EXPECT_EQ(find_value(operation(), usual, "m"), std::nullopt);
  check_problem(operation(), usual, Device{});
}

TEST_F(BindTest, ADefaultMayFollowAnEarlierChoice) {
  const auto types = [&](const std::vector<std::string>& assignments) {
    const Problem one = problem(assignments);
    return to_text(*find_value(operation(), one, "type_x")) + ' ' +
           to_text(*find_value(operation(), one, "type_y"));
  };
  EXPECT_EQ(types({"type_x=float16"}), "float16 float16");
  EXPECT_EQ(types({"type_y=float16"}), "float32 float16");
  EXPECT_EQ(types({"type_x=float16", "type_y=float64"}), "float16 float64");
  // Here the absent label is not the default, so that it must be said.
  const Problem mixed = problem({"type_x=float16", "type_y=float32"});
  EXPECT_EQ(mixed.values.at("type_y"), Value("float32"));
  EXPECT_NE(mixed, problem({"type_x=float16"}));
}

TEST_F(BindTest, ExpressionsKnowTypesAndTheirBytes) {
  const auto facts = [&](const std::vector<std::string>& assignments) {
    const Problem one = problem(assignments);
    const Scope scope = scope_over({&one.values});
    return to_text(type_of(operation().arguments[0], scope)) + ' ' +
           to_text(type_of(operation().arguments[1], scope)) + ' ' +
           to_text(operation().hooks[0].type.value(scope)) + ' ' +
           std::to_string(operation().bytes.evaluate(scope));
  };
  EXPECT_EQ(facts({}), "float32 float32 float32 64");
  EXPECT_EQ(facts({"type_x=float16"}), "float16 float32 float32 32");
  EXPECT_EQ(facts({"type_x=float16", "type_y=float64"}), "float16 float32 float32 80");
  EXPECT_EQ(facts({"type_x=float64"}), "float64 float64 float64 128");
  EXPECT_EQ(operand_bytes(operation(), problem({})), 64);
  EXPECT_EQ(operand_bytes(operation(), problem({"with_bias=yes"})), 96);
}

TEST_F(BindTest, AConfigurationOmitsTheAbsentValueOfAParameter) {
  EXPECT_EQ(canonical_json(default_configuration(plain()).values), R"({"BLOCK":32})");
  Configuration one = default_configuration(plain());
  set(one, plain().parameters[1], 2);
  EXPECT_EQ(*find_value(one, plain().parameters[1]), Value(2));
  set(one, plain().parameters[1], 1);
  EXPECT_EQ(one, default_configuration(plain()));
  EXPECT_EQ(*find_value(one, plain().parameters[1]), Value(1));
  EXPECT_EQ(find_value(Configuration(), plain().parameters[0]), nullptr);
  const Scope scope = scope_over({&one.values});
  EXPECT_EQ(plain().launches[0].block[0].evaluate(scope), 32);
  EXPECT_TRUE(plain().constraints[0].require.is_true(scope));
  set(one, plain().parameters[1], 2);
  EXPECT_EQ(plain().launches[0].block[0].evaluate(scope), 64);
  const Expression where = bound(Expression::parse("STAGES == 1"), plain(), operation());
  EXPECT_FALSE(where.is_true(scope));
  set(one, plain().parameters[1], 1);
  EXPECT_TRUE(where.is_true(scope));
}

TEST_F(BindTest, EntriesNameTheTypesOfCuda) {
  const auto entry = [&](const std::string& written, const std::vector<std::string>& assignments) {
    const Problem one = problem(assignments);
    return entry_of(written, operation(), scope_over({&one.values}));
  };
  EXPECT_EQ(entry("scale<{type_x}>", {}), "scale<float>");
  EXPECT_EQ(entry("scale<{type_x}, {type_y}, {type_x}>", {"type_x=float16", "type_y=float64"}),
            "scale<__half, double, __half>");
  EXPECT_EQ(entry("scale", {}), "scale");
}

TEST_F(BindTest, RefusesAnAbsentLabelThatDoesNotFit) {
  const std::string absent = "default = \"type_x\"\nabsent = \"float32\"";
  expect_refused(absent, "default = \"type_x\"\nabsent = \"float46\"",
                 "'absent' is 'float46', which is not in 'values'; did you mean 'float16'?");
  expect_refused(absent, "default = \"type_x\"\nabsent = \"float16\"",
                 "'absent' is 'float16', which is not the default of settings that omit 'type_y'");
  expect_refused("default = \"float32\"\nabsent = \"float32\"",
                 "default = \"float32\"\nabsent = \"float64\"", "which is not the default");
  expect_refused("default = 1\nabsent = 1", "default = 1\nabsent = 3",
                 "'absent' is 3, which is not in 'values'");
}

TEST_F(BindTest, RefusesADefaultOfALaterChoiceOrOfOtherLabels) {
  expect_refused("default = \"float32\"\nabsent", "default = \"type_y\"\nabsent",
                 "the default 'type_y' is not in 'values'");
  expect_refused("default = \"float32\"\nabsent",
                 "default = \"type_y == 'float16' ? 'float16' : 'float32'\"\nabsent",
                 "unknown name 'type_y'");
  expect_refused("default = \"no\"", "default = \"type_x\"", "'float32' is none of no, yes");
  expect_refused("default = \"no\"", "default = \"1 + 1\"",
                 "a number stands where one of no, yes is needed");
}

TEST_F(BindTest, RefusesTypesThatAreNone) {
  const std::string type = "type = \"type_y\"";
  expect_refused(type, "type = \"with_bias\"", "'no' is none of float32");
  expect_refused(type, "type = \"n\"", "a number stands where one of float32");
  expect_refused(type, "type = \"n > 4 ? type_x : 'half'\"", "'half' is none of float32");
  expect_refused(type, "type = \"float46\"", "did you mean 'float64'?");
  const std::string hook = "type = \"type_x == 'float64' ? 'float64' : 'float32'\"\ncoord";
  expect_refused(hook, "type = \"type_x\"\ncoord", "'float16' is none of float32, float64");
}

TEST_F(BindTest, SizeOfNamesAnArgument) {
  const std::string bytes = "size_of(x) * n + size_of(y) * n";
  expect_refused(bytes, "size_of(z) * n", "no argument 'z'");
  expect_refused(bytes, "size_of(n)", "no argument 'n'");
  expect_refused(bytes, "size_of(2)", "size_of");
  expect_refused("STAGES * BLOCK * size_of(x)", "STAGES * BLOCK * size_of(z)", "no argument 'z'");
  expect_refused("name = \"n\"", "name = \"size_of\"", "the name 'size_of' is reserved");
}

// A constraint of parameters only is judged at load, where the size of a computed type is not
// known.
TEST_F(BindTest, AConstraintOfParametersMayUseSizes) {
  const std::string rule = "STAGES * BLOCK * size_of(x) <= 256";
  EXPECT_EQ(error_of(typed(rule, "BLOCK * size_of(x) <= 64")), "no error");
  const std::string text = typed(rule, "BLOCK * size_of(z) <= 64");
  const std::string fixed = "[[operation.argument]]\nname = \"z\"\ntype = \"int16\"\ncount = 1\n\n";
  const auto with_fixed = [&](std::string all, const std::string& limit) {
    all.insert(all.find("[operation.reference]"), fixed);
    return all.replace(all.find("<= 64"), 5, limit);
  };
  EXPECT_EQ(error_of(with_fixed(text, "<= 64")), "no error");
  EXPECT_NE(error_of(with_fixed(text, "<= 63")).find("the default configuration breaks"),
            std::string::npos);
}

TEST_F(BindTest, ATypeDependsOnNoSize) {
  expect_refused("type = \"type_y\"", "type = \"size_of(x) == 4 ? 'float16' : 'float32'\"",
                 "no argument 'x'");
}

TEST_F(BindTest, ATypeThatCannotBeWorkedOutIsAnInputError) {
  const Expression type = Expression::parse("1 / n == 1 ? 'float16' : 'float32'");
  const Settings values = {{"n", 0}};
  EXPECT_THROW(type_of(type, scope_over({&values})), InputError);
}

TEST_F(BindTest, WhatIsBoundCanBeLinkedAgain) {
  const Manifest manifest = read(typed(
      "\"STAGES\"]\n",
      "{ tensor_map = \"workspace\", type = \"type_x\", dims = [8], strides = [], box = [8] }]\n"
      "[implementation.workspace]\nbytes = 64\n"));
  Implementation implementation = manifest.implementations.at(0);
  EXPECT_NO_THROW(link(implementation, manifest.operations.at(0)));
}

TEST_F(BindTest, RefusesAWhenThatIsNoNumber) {
  expect_refused("when = \"with_bias == 'yes'\"", "when = \"with_bias\"",
                 "a label stands where a number is needed");
  expect_refused("when = \"with_bias == 'yes'\"", "when = \"has_bias\"", "unknown name 'has_bias'");
}

// Types that depend on choices in many ways, in expressions that ask for their sizes many times.
TEST_F(BindTest, RefusesSizesThatBecomeTooLarge) {
  std::string type = "type_x";
  for (int i = 0; i < 150; ++i) type = "n > " + std::to_string(i) + " ? type_x : " + type;
  std::string bytes = "size_of(x)";
  for (int i = 0; i < 300; ++i) bytes += " + size_of(x)";
  const std::string typed_x = typed("type = \"type_x\"\ncount", "type = \"" + type + "\"\ncount");
  EXPECT_EQ(error_of(typed_x), "no error");
  std::string text = typed_x;
  const std::string once = "size_of(x) * n";
  text.replace(text.find(once), once.size(), bytes);
  EXPECT_NE(error_of(text).find("operation 'scale': expressions with size_of become larger than"),
            std::string::npos);
}

// A tree that leans to one side is copied once, not once a level.
TEST_F(BindTest, NeedsMemoryForEachNodeOnce) {
  const auto peak_kib = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  std::string sum = "n";
  for (int i = 0; i < 2000; ++i) sum += "+n";
  const auto before = peak_kib();
  EXPECT_EQ(error_of(typed("size_of(x) * n", sum)), "no error");
  EXPECT_LT(peak_kib() - before, 100 << 10);
}

}  // namespace
}  // namespace tilewright
