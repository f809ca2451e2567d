#include "definition/problem.hpp"

#include <gtest/gtest.h>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

Argument buffer(const std::string& name, const std::string& count) {
  Argument argument;
  argument.name = name;
  argument.count = Expression::parse(count);
  return argument;
}

Dimension dimension(const std::string& name, std::int64_t value, std::int64_t host,
                    std::int64_t maximum = 2147483647) {
  Dimension result;
  result.name = name;
  result.default_value = value;
  result.host_default = host;
  result.maximum = maximum;
  return result;
}

Operation example() {
  Operation operation;
  operation.name = "filter";
  operation.dimensions = {dimension("M", 1024, 192), dimension("N", 1024, 192),
                          dimension("taps", 9, 9, 1025)};
  Choice boundary;
  boundary.name = "boundary";
  boundary.labels = {"zero", "replicate"};
  boundary.default_label = "zero";
  operation.choices = {boundary};
  operation.arguments = {buffer("a", "M * N"), buffer("weights", "taps")};
  operation.arguments[1].kind = ArgumentKind::array;
  operation.arguments[1].capacity = 1025;
  return operation;
}

std::string problem_error(const std::vector<std::string>& assignments,
                          const Operation& operation = example()) {
  try {
    make_problem(operation, assignments, Device{});
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

void expect_error(const std::vector<std::string>& assignments, const std::string& part) {
  const std::string error = problem_error(assignments);
  EXPECT_NE(error.find(part), std::string::npos) << error;
  EXPECT_EQ(error.find("filter: "), 0U) << error;
}

TEST(MakeProblem, FillsInDefaults) {
  const Problem problem = make_problem(example(), std::vector<std::string>{"M=33"}, Device{});
  EXPECT_EQ(problem.operation, "filter");
  EXPECT_EQ(canonical_json(problem.values), R"({"M":33,"N":1024,"boundary":"zero","taps":9})");
}

TEST(MakeProblem, IsSmallerOnTheHost) {
  Device host;
  host.kind = DeviceKind::host;
  const Problem problem = make_problem(example(), std::vector<std::string>{}, host);
  EXPECT_EQ(canonical_json(problem.values), R"({"M":192,"N":192,"boundary":"zero","taps":9})");
}

TEST(MakeProblem, ComputesDefaultsFromDimensionsBefore) {
  Operation operation = example();
  Dimension pitch = dimension("pitch", 1, 1, 4096);
  pitch.computed_default = Expression::parse("N");
  Dimension anchor = dimension("anchor", 1, 1);
  anchor.minimum = 0;
  anchor.computed_default = Expression::parse("pitch / 2");
  operation.dimensions.insert(operation.dimensions.end(), {pitch, anchor});
  const auto values = [&](const std::vector<std::string>& assignments) {
    return canonical_json(make_problem(operation, assignments, Device{}).values);
  };
  EXPECT_EQ(values({"M=5", "N=77"}),
            R"({"M":5,"N":77,"anchor":38,"boundary":"zero","pitch":77,"taps":9})");
  EXPECT_EQ(values({"M=5", "N=77", "pitch=80"}),
            R"({"M":5,"N":77,"anchor":40,"boundary":"zero","pitch":80,"taps":9})");
  EXPECT_NE(problem_error({"N=5000"}, operation).find("pitch=5000 is outside 1 to 4096"),
            std::string::npos);
}

TEST(MakeProblem, ComputesFromChoicesAndRefusesWhatIsBelowAComputedMinimum) {
  Operation operation = example();
  Dimension pitch = dimension("pitch", 1, 1, 4096);
  pitch.computed_default = Expression::parse("boundary == 'zero' ? N : M");
  pitch.computed_minimum = pitch.computed_default;
  operation.dimensions.push_back(pitch);
  const std::vector<std::string> other = {"M=5", "N=77", "boundary=replicate"};
  EXPECT_EQ(make_problem(operation, other, Device{}).values.at("pitch"), Value{std::int64_t{5}});
  EXPECT_EQ(problem_error({"M=5", "N=77", "pitch=76", "boundary=replicate"}, operation),
            "no error");
  EXPECT_EQ(problem_error({"M=5", "N=77", "pitch=76"}, operation),
            "filter: pitch=76 is outside 77 to 4096");
}

TEST(MakeProblem, AssignsSeveralNamesAtOnce) {
  const Problem problem =
      make_problem(example(), std::vector<std::string>{"M=N=2000", "boundary=replicate"}, Device{});
  EXPECT_EQ(canonical_json(problem.values),
            R"({"M":2000,"N":2000,"boundary":"replicate","taps":9})");
}

TEST(MakeProblem, AcceptsSettings) {
  const Settings values = {{"M", 5}, {"boundary", "replicate"}};
  EXPECT_EQ(canonical_json(make_problem(example(), values, Device{}).values),
            R"({"M":5,"N":1024,"boundary":"replicate","taps":9})");
  EXPECT_THROW(make_problem(example(), Settings{{"M", "large"}}, Device{}), InputError);
  EXPECT_THROW(make_problem(example(), Settings{{"boundary", 1}}, Device{}), InputError);
  EXPECT_THROW(make_problem(example(), Settings{{"K", 1}}, Device{}), InputError);
}

TEST(MakeProblem, RefusesWhatIsNoSize) {
  expect_error({"M=0"}, "M=0 is outside 1 to 2147483647");
  expect_error({"M=-5"}, "M=-5 is outside 1 to");
  expect_error({"M=1.5"}, "M=1.5 is not a whole number");
  expect_error({"M=1e3"}, "not a whole number");
  expect_error({"M= 3"}, "not a whole number");
  expect_error({"M=+3"}, "not a whole number");
  expect_error({"M=N"}, "M=N is not a whole number");
  expect_error({"M=2147483648"}, "is outside");
  expect_error({"M=99999999999999999999"}, "M=99999999999999999999 is outside");
  expect_error({"taps=1026"}, "taps=1026 is outside 1 to 1025");
}

TEST(MakeProblem, TakesDigitsInGroupsAsManifestsDo) {
  EXPECT_EQ(make_problem(example(), std::vector<std::string>{"M=4_000"}, Device{}).values,
            make_problem(example(), std::vector<std::string>{"M=4000"}, Device{}).values);
  for (const char* text : {"M=_4", "M=4_", "M=4__0", "M=_"})
    expect_error({text}, "is not a whole number");
}

TEST(MakeProblem, RefusesMalformedAssignments) {
  for (const char* text : {"M", "M=", "=5", "=", "", "M==5"})
    expect_error({text}, "is not NAME=VALUE");
}

TEST(MakeProblem, RefusesANameTwice) {
  expect_error({"M=1", "M=1"}, "'M' is given twice");
  expect_error({"M=M=1"}, "'M' is given twice");
}

TEST(MakeProblem, SuggestsNames) {
  expect_error({"tasp=3"}, "no dimension or choice 'tasp'; did you mean 'taps'?");
  expect_error({"Q=3"}, "known: M, N, taps, boundary");
}

TEST(MakeProblem, ListsLabels) {
  expect_error({"boundary=clamp"}, "boundary=clamp is none of zero, replicate");
}

TEST(MakeProblem, BuffersHaveAtMost2To40Elements) {
  expect_error({"M=1048576", "N=1048577"}, "buffer 'a' would have 1099512676352 elements");
  EXPECT_EQ(problem_error({"M=1048576", "N=1048576"}), "no error");
}

TEST(MakeProblem, GivenValuesAreCheckedWithoutTheRest) {
  const Operation operation = example();
  const std::vector<std::string> large = {"M=N=2000000", "boundary=replicate"};
  const Settings given = given_values(operation, large);
  EXPECT_EQ(given, (Settings{{"M", 2000000}, {"N", 2000000}, {"boundary", "replicate"}}));
  EXPECT_THROW(given_values(operation, {"M=0"}), InputError);
  EXPECT_THROW(given_values(operation, {"M=1", "M=2"}), InputError);
}

TEST(MakeProblem, ChecksEveryCount) {
  Operation operation = example();
  operation.arguments[0].count = Expression::parse("M - N");
  EXPECT_NE(problem_error({"M=1", "N=2"}, operation).find("'a' would have -1 elements"),
            std::string::npos);
  operation.arguments[0].count = Expression::parse("M * N * M * N * M");
  EXPECT_NE(problem_error({"M=N=100000"}, operation).find("count of argument 'a'"),
            std::string::npos);
  operation.arguments[0].count = Expression(1);
  operation.arguments[1].capacity = 8;
  EXPECT_NE(problem_error({"taps=9"}, operation).find("array 'weights' would have 9 elements"),
            std::string::npos);
}

TEST(FullScope, FindsProblemThenConfigurationThenDevice) {
  const Problem problem{"filter", {{"M", 10}, {"boundary", "zero"}}};
  const Configuration configuration{{{"M", 20}, {"TILE", 16}}};
  Device device;
  device.sm_count = 132;
  device.compute_capability = 90;
  const Scope scope = full_scope(problem, configuration, device);
  EXPECT_EQ(scope("M"), Value{std::int64_t{10}});
  EXPECT_EQ(scope("TILE"), Value{std::int64_t{16}});
  EXPECT_EQ(scope("boundary"), Value{"zero"});
  EXPECT_EQ(scope("device.sm_count"), Value{std::int64_t{132}});
  EXPECT_EQ(scope("device.compute_capability"), Value{std::int64_t{90}});
  EXPECT_EQ(scope("device.kind"), Value{"cuda"});
  EXPECT_EQ(scope("sm_count"), std::nullopt);
}

TEST(DeviceNames, AllHaveValues) {
  const std::vector<std::string> names = device_names();
  EXPECT_EQ(names.size(), 12U);
  for (const std::string& name : names) EXPECT_TRUE(device_value(Device{}, name)) << name;
  EXPECT_FALSE(device_value(Device{}, "device.colour"));
}

TEST(Evaluate, NamesTheExpressionAndThePlace) {
  const Settings values = {{"M", 4}};
  const Scope scope = scope_over({&values});
  EXPECT_EQ(evaluate(Expression::parse("M * 2"), scope, "grid"), 8);
  try {
    evaluate(Expression::parse("M / (M - 4)"), scope, "gemm/tiled: grid x");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "gemm/tiled: grid x: division of 4 by zero (character 3 of 'M / (M - 4)')");
  }
}

TEST(OperandBytes, CountsBuffersOnly) {
  Operation operation = example();
  operation.arguments.push_back(buffer("sums", "M"));
  operation.arguments.back().type = ElementType::float64;
  const Problem problem =
      make_problem(operation, std::vector<std::string>{"M=10", "N=3"}, Device{});
  EXPECT_EQ(operand_bytes(operation, problem), 4 * 10 * 3 + 8 * 10);
  operation.arguments.back().count = Expression::parse("M / (N - 3)");
  EXPECT_THROW(operand_bytes(operation, problem), InputError);
}

// What check_problem() says of the values of a good problem with one other value. Without a value
// the name is left out.
std::string flaw_of(const Operation& operation, const std::string& name,
                    const std::optional<Value>& value) {
  Problem problem{operation.name, {{"M", 4}, {"N", 5}, {"taps", 9}, {"boundary", "zero"}}};
  problem.values.erase(name);
  if (value) problem.values[name] = *value;
  try {
    check_problem(operation, problem, Device{});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CheckProblem, WhatTheOperationAllows) {
  const Operation operation = example();
  EXPECT_EQ(flaw_of(operation, "M", 7), "");
  EXPECT_EQ(flaw_of(operation, "boundary", "replicate"), "");
  EXPECT_EQ(flaw_of(operation, "taps", 1026), "filter: taps=1026 is outside 1 to 1025");
  EXPECT_EQ(flaw_of(operation, "M", 0), "filter: M=0 is outside 1 to 2147483647");
  EXPECT_EQ(flaw_of(operation, "M", "many"), "filter: M=many is not a whole number");
  EXPECT_EQ(flaw_of(operation, "boundary", "wrap"),
            "filter: boundary=wrap is none of zero, replicate");
  EXPECT_EQ(flaw_of(operation, "boundary", 3), "filter: boundary=3 is none of zero, replicate");
  EXPECT_EQ(flaw_of(operation, "depth", 3),
            "filter: no dimension or choice 'depth'; known: M, N, taps, boundary");
  EXPECT_EQ(flaw_of(operation, "M", std::nullopt),
            "filter: the problem N=5 boundary=zero taps=9 has no 'M'");
  EXPECT_NE(flaw_of(operation, "boundary", std::nullopt).find("has no 'boundary'"),
            std::string::npos);
  EXPECT_EQ(flaw_of(operation, "M", 2147483647), "");  // 2³¹ elements and more
}

TEST(CheckProblem, ConstraintsNameTheirValuesAndTheReason) {
  Operation operation = example();
  operation.constraints = {
      {Expression::parse("boundary == 'zero' || taps < M"), "an edge that repeats is wider"}};
  EXPECT_EQ(flaw_of(operation, "M", 2), "");
  const std::string flaw = "filter: M=4, boundary=replicate, taps=9: an edge that repeats is wider";
  std::vector<std::string> assignments = {"M=14", "boundary=replicate"};
  Problem problem = make_problem(operation, assignments, Device{});
  EXPECT_EQ(problem.values.at("M"), Value(std::int64_t{14}));
  assignments[0] = "M=4";
  try {
    make_problem(operation, assignments, Device{});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), flaw);
  }
  problem.values["M"] = std::int64_t{4};
  try {
    check_problem(operation, problem, Device{});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), flaw);
  }
}

TEST(CheckProblem, EveryFormulaNeedsAResult) {
  const std::string huge = "M * M * M * M * M";  // overflows from M = 6209 on
  const auto flaw = [&](auto&& set) {
    Operation operation = example();
    set(operation);
    EXPECT_EQ(flaw_of(operation, "M", 9), "");
    return flaw_of(operation, "M", 100000);
  };
  const auto expect_overflow = [](const std::string& message, const std::string& what) {
    EXPECT_NE(message.find(what), std::string::npos) << message;
    EXPECT_NE(message.find("64 bits"), std::string::npos) << message;
  };
  expect_overflow(flaw([&](Operation& one) { one.flops = Expression::parse(huge); }), "flops");
  expect_overflow(flaw([&](Operation& one) { one.bytes = Expression::parse(huge); }), "bytes");
  expect_overflow(flaw([&](Operation& one) { one.classes = {Expression::parse(huge)}; }),
                  "classes");
  expect_overflow(flaw([&](Operation& one) { one.comparison.reduction = Expression::parse(huge); }),
                  "reduction");
  expect_overflow(
      flaw([&](Operation& one) { one.dimensions[2].computed_default = Expression::parse(huge); }),
      "default of 'taps'");
}

TEST(CheckProblem, AnyLabelOfASnippetButNoMissingHook) {
  Operation operation = example();
  operation.hooks = {{"epilogue", "", {}}};
  EXPECT_EQ(flaw_of(operation, "epilogue", "none"), "");
  EXPECT_EQ(flaw_of(operation, "epilogue", "bias_gelu_0f3c"), "");
  EXPECT_NE(flaw_of(operation, "epilogue", std::nullopt).find("has no 'epilogue'"),
            std::string::npos);
}

}  // namespace
}  // namespace tilewright
