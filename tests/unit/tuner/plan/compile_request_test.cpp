#include "tuner/plan/compile_request.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/tuner/plan/filter_operation.hpp"

namespace tilewright {
namespace {

using Names = std::vector<std::string>;

class CompileRequestTest : public testing::Test {
 protected:
  CompileRequestTest() {
    Parameter width;
    width.name = "TILE_WIDTH";
    width.values = {8, 16};
    Parameter loading;
    loading.name = "LOADING";
    loading.values = {"threads", "cooperative"};
    implementation_.parameters = {width, loading};
    implementation_.compiled_in = {{"boundary", Expression(1)},
                                   {"taps", Expression::parse("TILE_WIDTH == 16")}};
    implementation_.options = {"--use_fast_math"};
    source_ = {"text", "kernel.cu", {{"a.cuh", "TILE_WIDTH, LOADING"}}, "hash"};
  }

  Launch launch(const std::string& entry, const std::string& when) const {
    Launch result;
    result.entry = entry;
    result.when = Expression::parse(when);
    return result;
  }
  CompileRequest request() const {
    return make_compile_request(source_, implementation_, filter_operation(), problem_,
                                configuration_,
                                scope_over({&problem_.values, &configuration_.values}), "sm_90");
  }

  Implementation implementation_;
  Problem problem_{"filter", {{"n", 100}, {"taps", -5}, {"boundary", "mirror"}}};
  Configuration configuration_{{{"TILE_WIDTH", 16}, {"LOADING", "cooperative"}}};
  KernelSource source_;
};

TEST_F(CompileRequestTest, MacrosAreSortedByName) {
  EXPECT_EQ(request().options,
            (Names{"-DBOUNDARY_MIRROR=2", "-DBOUNDARY_WRAP=1", "-DBOUNDARY_ZERO=0", "-DLOADING=1",
                   "-DLOADING_COOPERATIVE=1", "-DLOADING_THREADS=0", "-DPROBLEM_BOUNDARY=2",
                   "-DPROBLEM_TAPS=(-5)", "-DTILE_WIDTH=16", "--use_fast_math"}));
}

// So compiled code from before the choice still serves.
TEST_F(CompileRequestTest, WhoPreparesAnInputIsNoMacro) {
  Operation operation = filter_operation();
  const auto options = [&] {
    return make_compile_request(source_, implementation_, operation, problem_, configuration_,
                                scope_over({&problem_.values, &configuration_.values}), "sm_90")
        .options;
  };
  const Names before = options();
  const Names of_reference = reference_options(operation, {}, problem_);
  operation.choices.push_back(preparation());
  for (const char* label : {"each_call", "prepared"}) {
    problem_.values["in"] = label;
    EXPECT_EQ(options(), before);
    EXPECT_EQ(reference_options(operation, {}, problem_), of_reference);
  }
}

TEST_F(CompileRequestTest, ATermIsAMacroWithItsValue) {
  implementation_.compiled_in = {
      {"tile_bytes", Expression(1), Expression::parse("4 * TILE_WIDTH * TILE_WIDTH")}};
  const Names options = request().options;
  EXPECT_EQ(std::count(options.begin(), options.end(), "-DTERM_TILE_BYTES=1024"), 1);
}

TEST_F(CompileRequestTest, CompilesInOnlyWhereTheConditionHolds) {
  configuration_.values["TILE_WIDTH"] = 8;
  const Names options = request().options;
  EXPECT_EQ(std::count(options.begin(), options.end(), "-DPROBLEM_TAPS=(-5)"), 0);
  EXPECT_EQ(std::count(options.begin(), options.end(), "-DPROBLEM_BOUNDARY=2"), 1);
}

TEST_F(CompileRequestTest, AParameterIsAMacroOnlyWhereItIsCompiledIn) {
  implementation_.parameters[1].compiled_in = Expression::parse("TILE_WIDTH == 8");
  const auto has = [&](const std::string& option) {
    const Names options = request().options;
    return std::find(options.begin(), options.end(), option) != options.end();
  };
  EXPECT_FALSE(has("-DLOADING=1"));
  EXPECT_TRUE(has("-DLOADING_COOPERATIVE=1"));
  configuration_.values["TILE_WIDTH"] = 8;
  EXPECT_TRUE(has("-DLOADING=1"));
}

TEST_F(CompileRequestTest, CarriesTheSource) {
  const CompileRequest made = request();
  EXPECT_EQ(made.source, "text");
  EXPECT_EQ(made.source_name, "kernel.cu");
  EXPECT_EQ(made.headers, source_.headers);
  EXPECT_EQ(made.architecture, "sm_90");
}

TEST_F(CompileRequestTest, WhatNoSourceMentionsIsNoMacro) {
  const auto has_macro = [this](const std::string& name) {
    return std::ranges::any_of(request().options, [&](const std::string& option) {
      return option.starts_with("-D" + name + '=');
    });
  };
  EXPECT_TRUE(has_macro("LOADING"));
  source_.headers["a.cuh"] = "TILE_WIDTH, LOADINGS, MY_LOADING";
  EXPECT_FALSE(has_macro("LOADING"));
  EXPECT_TRUE(has_macro("TILE_WIDTH"));
  for (const char* other : {"a##b", "a%:%:b", "LOAD\\\nING", ""}) {
    source_.text = other;
    EXPECT_TRUE(has_macro("LOADING")) << other;
  }
  source_.text = "text";
  implementation_.launches = {launch("filter<LOADING>", "1")};
  EXPECT_TRUE(has_macro("LOADING"));
  implementation_.launches.clear();
  implementation_.options = {"-DWAY=LOADING"};
  EXPECT_TRUE(has_macro("LOADING"));
}

TEST_F(CompileRequestTest, KnowsTheParametersOfWhichNoCodeDepends) {
  source_.headers["a.cuh"] = "taps";
  const auto without_code = [this] {
    return parameters_without_code(source_, implementation_, filter_operation());
  };
  implementation_.launches = {launch("filter", "1")};
  EXPECT_EQ(without_code(), Names{"LOADING"}) << "whether taps is compiled in depends on the other";
  implementation_.compiled_in.clear();
  EXPECT_EQ(without_code(), (Names{"TILE_WIDTH", "LOADING"}));
  implementation_.launches.push_back(launch("wide", "TILE_WIDTH > 8"));
  EXPECT_EQ(without_code(), Names{"LOADING"});
  implementation_.max_registers = Expression::parse("LOADING == 'direct' ? 32 : 0");
  EXPECT_EQ(without_code(), Names());
  implementation_.max_registers = Expression(0);
  source_.units = {source_};
  source_.units[0].text = "LOADING";
  EXPECT_EQ(without_code(), Names());
}

TEST_F(CompileRequestTest, EntriesAreThoseThatCanBeLaunchedWithThisCode) {
  implementation_.launches = {launch("first", "TILE_WIDTH == 16"),
                              launch("never", "TILE_WIDTH == 8"),
                              launch("first", "n > 0"),
                              launch("large_only", "n > 1000"),
                              launch("fixed", "taps > 0"),
                              launch("other_boundary", "boundary == 'zero'")};
  EXPECT_EQ(request().entries, (Names{"first", "large_only"}));
}

TEST_F(CompileRequestTest, AConfigurationMayLimitTheRegisters) {
  const std::vector<std::string> without = request().options;
  implementation_.max_registers = Expression::parse("TILE_WIDTH == 16 ? 168 : 0");
  std::vector<std::string> with = request().options;
  EXPECT_EQ(with.back(), "--maxrregcount=168");
  with.pop_back();
  EXPECT_EQ(with, without);
  configuration_.values["TILE_WIDTH"] = 8;
  EXPECT_EQ(request().options.back(), "--use_fast_math");
  implementation_.max_registers = Expression(256);
  EXPECT_EQ(input_error([&] { request(); }),
            "max_registers of / is 256; it must be 1 to 255, or 0 for no limit");
}

TEST_F(CompileRequestTest, UnitsHaveTheirEntriesMacrosAndRegisters) {
  implementation_.max_registers = Expression(168);
  const CompileRequest without = request();
  EXPECT_TRUE(without.units.empty());
  implementation_.units = {
      {"plain", "kernel.cu"},
      {"low", "low.cu", {{"STEP", Expression::parse("2 * taps")}}, Expression(40)}};
  source_.units = {source_, {"low text", "low.cu", source_.headers, "hash"}};
  implementation_.launches = {launch("first", "1"), launch("second", "1"), launch("third", "1")};
  implementation_.launches[1].unit = "low";
  implementation_.launches[2].unit = "plain";
  const CompileRequest with = request();
  EXPECT_EQ(with.unit, "");
  EXPECT_EQ(with.options, without.options);
  EXPECT_EQ(with.entries, Names{"first"});
  ASSERT_EQ(with.units.size(), 2U);
  EXPECT_EQ(with.units[0].unit, "plain");
  EXPECT_EQ(with.units[0].source, "text");
  EXPECT_EQ(with.units[0].headers, with.headers);
  EXPECT_EQ(with.units[0].options, with.options);
  EXPECT_EQ(with.units[0].entries, Names{"third"});
  EXPECT_EQ(with.units[1].source, "low text");
  EXPECT_EQ(with.units[1].source_name, "low.cu");
  EXPECT_EQ(with.units[1].architecture, "sm_90");
  EXPECT_EQ(with.units[1].entries, Names{"second"});
  Names low = without.options;
  low.back() = "-DSTEP=(-10)";
  low.emplace_back("--maxrregcount=40");
  EXPECT_EQ(with.units[1].options, low);
}

TEST_F(CompileRequestTest, UnitsWithoutALaunchAreNotCompiled) {
  implementation_.units = {{"low", "kernel.cu", {{"A", Expression(1)}}}};
  implementation_.launches = {launch("first", "TILE_WIDTH == 8"), launch("second", "1")};
  implementation_.launches[1].unit = "low";
  const CompileRequest made = request();
  EXPECT_EQ(made.unit, "low");
  EXPECT_EQ(made.options.back(), "-DA=1");
  EXPECT_EQ(made.entries, Names{"second"});
  EXPECT_TRUE(made.units.empty());
  implementation_.launches[1].when = Expression::parse("TILE_WIDTH == 8");
  EXPECT_EQ(request().unit, "");
  configuration_.values["TILE_WIDTH"] = 8;
  EXPECT_EQ(request().units.size(), 1U);
}

TEST_F(CompileRequestTest, NamesTheUnitThatIsWrong) {
  implementation_.launches = {launch("same", "1"), launch("same", "1")};
  implementation_.launches[1].unit = "low";
  const auto error_with = [&](const SourceUnit& unit) {
    implementation_.units = {unit};
    return input_error([&] { request(); });
  };
  const Expression none = Expression::parse("1 / (taps + 5)");
  EXPECT_NE(error_with({"low", "kernel.cu", {{"A", none}}}).find("the macro A of the unit 'low'"),
            std::string::npos);
  EXPECT_EQ(error_with({"low", "kernel.cu", {}, Expression(300)}),
            "max_registers of the unit 'low' of / is 300; it must be 1 to 255, or 0 for no limit");
  EXPECT_EQ(error_with({"low", "kernel.cu"}), "/: two units have the entry 'same'");
  // Expressions of units that are not compiled do not count.
  implementation_.launches[1].when = Expression(0);
  EXPECT_EQ(error_with({"low", "kernel.cu", {{"A", none}}}), "no error");
}

TEST_F(CompileRequestTest, RefusesIncompleteSettings) {
  configuration_.values["LOADING"] = "sideways";
  EXPECT_EQ(input_error([&] { request(); }), "LOADING has no value 'sideways'");
  configuration_.values.erase("LOADING");
  EXPECT_EQ(input_error([&] { request(); }), "the configuration has no 'LOADING'");
}

TEST(IncludesOthers, InAnglesOrByAMacro) {
  const auto includes = [](const std::string& text) {
    CompileRequest request;
    request.source = text;
    request.headers["a.cuh"] = "";
    return includes_others(request);
  };
  EXPECT_TRUE(includes("#include <cuda_fp16.h>"));
  EXPECT_TRUE(includes("int x;\n # \tinclude\t<a>\n"));
  EXPECT_TRUE(includes("#include HEADER\n"));
  EXPECT_TRUE(includes("#if __has_include(<a>)\n"));
  EXPECT_TRUE(includes("#include \"math.h\"\n"));
  EXPECT_FALSE(includes("#include \"a.cuh\"\n// include <a>\n"));
  EXPECT_FALSE(includes("include"));
  EXPECT_FALSE(includes("#include"));
  EXPECT_FALSE(includes(""));
}

// A reference kernel knows the choices that name types, of which some have labels that are none.
TEST(ReferenceOptions, HaveAMacroOfTheTypeWhereAllLabelsAreTypes) {
  Operation operation = filter_operation();
  operation.choices.push_back({"kind", "", {"float32", "int8"}, "int8"});
  operation.choices.push_back({"precision", "", {"float32", "tf32"}, "tf32"});
  EXPECT_FALSE(names_types(operation.choices[0]));
  EXPECT_TRUE(holds_types(operation.choices[1]));
  EXPECT_TRUE(names_types(operation.choices[2]) && !holds_types(operation.choices[2]));
  const Problem problem{"filter", {{"kind", "int8"}, {"precision", "tf32"}, {"boundary", "zero"}}};
  std::vector<std::string> expected = {
      "-DKIND=signed char", "-DKIND_FLOAT32=0", "-DKIND_INT8=1",        "-DPRECISION_FLOAT32=0",
      "-DPRECISION_TF32=1", "-DPROBLEM_KIND=1", "-DPROBLEM_PRECISION=1"};
  for (std::size_t i = 0; i < operation.choices[0].labels.size(); ++i)
    expected.push_back(
        fmt::format("-D{}={}", label_macro("boundary", operation.choices[0].labels[i]), i));
  std::ranges::sort(expected);
  EXPECT_EQ(reference_options(operation, operation.reference, problem), expected);
  operation.reference.compiled_in = {"boundary"};
  operation.reference.options = {"--use_fast_math"};
  expected.emplace_back("-DPROBLEM_BOUNDARY=0");
  std::ranges::sort(expected);
  expected.emplace_back("--use_fast_math");
  EXPECT_EQ(reference_options(operation, operation.reference, problem), expected);
}

}  // namespace
}  // namespace tilewright
