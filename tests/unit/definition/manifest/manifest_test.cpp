#include "tests/unit/definition/manifest/manifest_fixture.hpp"

namespace tilewright {
namespace {

TEST_F(ManifestTest, ReadsTheProblemOfAnOperation) {
  const Operation operation = read(kComplete).operations.at(0);
  EXPECT_EQ(operation.name, "blur");
  ASSERT_EQ(operation.dimensions.size(), 3U);
  EXPECT_EQ(operation.dimensions[0].name, "length");
  EXPECT_EQ(operation.dimensions[0].host_default, 64);
  EXPECT_EQ(operation.dimensions[0].maximum, 65535);
  EXPECT_EQ(operation.dimensions[0].role, ProblemRole::distance);
  EXPECT_EQ(operation.dimensions[1].minimum, 3);
  EXPECT_EQ(operation.dimensions[1].host_default, 9);
  EXPECT_EQ(operation.dimensions[1].role, ProblemRole::same);
  ASSERT_EQ(operation.choices.size(), 1U);
  EXPECT_EQ(operation.choices[0].labels, (std::vector<std::string>{"zero", "wrap"}));
  EXPECT_EQ(operation.choices[0].role, ProblemRole::none);
  ASSERT_EQ(operation.checks.size(), 2U);
  EXPECT_EQ(to_text(operation.checks[0]), "length=7 taps=3");
  EXPECT_EQ(operation.classes.at(0).text(), "pitch % 4 == 0");
}

TEST_F(ManifestTest, ReadsArgumentsAndHowResultsAreJudged) {
  const Operation operation = read(kComplete).operations.at(0);
  ASSERT_EQ(operation.arguments.size(), 4U);
  EXPECT_EQ(operation.arguments[0].fill.kind, Fill::Kind::uniform);
  EXPECT_EQ(operation.arguments[1].kind, ArgumentKind::array);
  EXPECT_EQ(operation.arguments[1].capacity, 33);
  EXPECT_EQ(operation.arguments[1].fill.low, 0.5);
  EXPECT_EQ(operation.arguments[2].type, ElementType::int64);
  EXPECT_EQ(operation.arguments[2].value->text(), "length * 2");
  EXPECT_EQ(operation.arguments[3].role, ArgumentRole::output);
  EXPECT_EQ(operation.reference.source, folder_.path() / "kernel.cu");
  EXPECT_EQ(operation.reference.launches.at(0).entry, "slow");
  EXPECT_TRUE(operation.comparison.reduced);
  EXPECT_EQ(operation.comparison.scale, 2);
}

TEST_F(ManifestTest, ReadsFillsWithNumbersAndExpressions) {
  const std::string fill = "{ kind = \"constant\", value = 0.5 }";
  const auto filter = [&](const std::string& text) {
    return read(changed(fill, text)).operations.at(0).arguments.at(1);
  };
  const Argument normal = filter("{ kind = \"normal\", mean = 0.5, deviation = \"taps\" }");
  EXPECT_EQ(normal.fill.kind, Fill::Kind::normal);
  EXPECT_EQ(normal.fill.mean, 0.5);
  EXPECT_EQ(normal.computed_fill.deviation->text(), "taps");
  EXPECT_FALSE(normal.computed_fill.mean);
  EXPECT_EQ(filter("{ kind = \"normal\" }").fill.deviation, 1);
  const Argument integers = filter("{ kind = \"integers\", low = 1, high = \"length - 1\" }");
  EXPECT_EQ(integers.fill.low, 1);
  EXPECT_EQ(integers.computed_fill.high->text(), "length - 1");
  EXPECT_TRUE(integers.has_own_fill);
  EXPECT_EQ(filter("{ low = 0.5, divisor = 4 }").fill.divisor, 4);
  const Argument divided = filter("{ kind = \"normal\", divisor = \"taps * taps\" }");
  EXPECT_EQ(divided.computed_fill.divisor->text(), "taps * taps");
}

TEST_F(ManifestTest, ReadsTheIntegersOfAComputedType) {
  const std::string count = "name = \"signal\"\n";
  const Argument signal =
      read(changed(count, count + "type = \"taps > 9 ? 'int8' : 'float32'\"\nintegers = [-3, 4]\n"))
          .operations.at(0)
          .arguments.at(0);
  ASSERT_TRUE(signal.integer_fill);
  EXPECT_EQ(signal.integer_fill->kind, Fill::Kind::integers);
  EXPECT_EQ(signal.integer_fill->low, -3);
  EXPECT_EQ(signal.integer_fill->high, 4);
  EXPECT_FALSE(signal.has_own_fill);
}

TEST_F(ManifestTest, ReadsConstraintsOfTheProblem) {
  const std::string argument = "[[operation.argument]]\nname = \"signal\"";
  const Operation operation =
      read(changed(argument,
                   "[[operation.constraint]]\nrequire = \"taps < length\"\nwhy = \"the "
                   "filter is shorter\"\n\n" +
                       argument))
          .operations.at(0);
  ASSERT_EQ(operation.constraints.size(), 1U);
  EXPECT_EQ(operation.constraints[0].require.text(), "taps < length");
  EXPECT_EQ(operation.constraints[0].why, "the filter is shorter");
}

TEST_F(ManifestTest, ReadsHowOutputsAreCompared) {
  const std::string how = "scale = 2\nhow = \"reduced\"";
  const auto comparison = [&](const std::string& text) {
    return read(changed(how, text)).operations.at(0).comparison;
  };
  const Comparison all =
      comparison("sums = \"length > 9 ? 'float32' : 'float64'\"\ntolerance = 1\nmismatches = 0.01");
  EXPECT_EQ(all.sums->text(), "length > 9 ? 'float32' : 'float64'");
  EXPECT_EQ(all.tolerance, 1);
  EXPECT_EQ(all.mismatches, 0.01);
  EXPECT_EQ(comparison("sums = \"float64\"").sums->text(), "'float64'");
  EXPECT_EQ(comparison("inputs = 10").inputs.text(), "10");
  const Comparison none = comparison("");
  EXPECT_EQ(none.inputs.text(), Expression{}.text());
  EXPECT_FALSE(none.sums);
  EXPECT_FALSE(none.absolute || none.relative);
  EXPECT_EQ(comparison("absolute = 0").absolute, 0);
  EXPECT_EQ(comparison("relative = 1e-5").relative, 1e-5);
  EXPECT_EQ(none.tolerance, 0);
  EXPECT_EQ(none.mismatches, 0);
  EXPECT_TRUE(none.ignored.empty());
}

TEST_F(ManifestTest, ReadsWhatAReferenceIsCompiledWith) {
  const std::string source = "source = \"kernel.cu\"\n[[operation.reference.launch]]";
  const auto with = [&](const std::string& keys) {
    return changed(source, "source = \"kernel.cu\"\n" + keys + "[[operation.reference.launch]]");
  };
  const Reference reference =
      read(with("include = [\".\"]\noptions = [\"-DN=1\"]\ncompiled_in = [\"taps\"]\n"))
          .operations.at(0)
          .reference;
  EXPECT_EQ(reference.include_directories, std::vector{folder_.path() / ""});
  EXPECT_EQ(reference.options, std::vector<std::string>{"-DN=1"});
  EXPECT_EQ(reference.compiled_in, std::vector<std::string>{"taps"});
  EXPECT_NE(error_of(with("compiled_in = [\"tapes\"]\n")).find("did you mean 'taps'?"),
            std::string::npos);
  EXPECT_NE(error_of(with("include = [\"none\"]\n")).find("there is no folder"), std::string::npos);
  std::string builtin = kComplete;
  const std::size_t begin = builtin.find("source = \"kernel.cu\"\n[[operation.reference.launch]]");
  const std::size_t end = builtin.find("[operation.compare]");
  builtin.replace(begin, end - begin, "builtin = \"sum\"\noptions = [\"-DN=1\"]\n");
  EXPECT_NE(error_of(builtin).find("'options' does not go with a built-in reference"),
            std::string::npos)
      << error_of(builtin);
}

TEST_F(ManifestTest, ReadsAnImplementation) {
  const Implementation fast = read(kComplete).implementations.at(0);
  EXPECT_EQ(fast.full_name(), "blur/fast");
  EXPECT_EQ(fast.epoch, 3);
  EXPECT_EQ(fast.options, std::vector<std::string>{"--use_fast_math"});
  EXPECT_EQ(fast.requires_architecture, "sm_90a");
  ASSERT_EQ(fast.compiled_in.size(), 2U);
  EXPECT_EQ(fast.compiled_in[1].when.text(), "FIXED == 1");
  ASSERT_EQ(fast.parameters.size(), 3U);
  EXPECT_EQ(fast.parameters[0].name, "BLOCK");
  EXPECT_EQ(fast.parameters[1].values, (std::vector<Value>{"one", "all", "none"}));
  EXPECT_EQ(fast.parameters[1].active->text(), "BLOCK > 64");
  EXPECT_EQ(fast.constraints.at(0).why, "a block has at most 1024 threads");
  EXPECT_EQ(to_text(fast.seeds.at(1)), "BLOCK=64 LOADING=all");
  ASSERT_EQ(fast.general.size(), 4U);
  EXPECT_EQ(to_text(fast.general[1]), "BLOCK=64 LOADING=one");
  EXPECT_EQ(to_text(fast.general[2]), "BLOCK=128");
  EXPECT_EQ(fast.parameters[2].follows->text(), "BLOCK == 64 && taps < 9");
  EXPECT_EQ(fast.cost->work.text(), "BLOCK * taps");
  EXPECT_EQ(fast.cost->resident.text(), "4");
  EXPECT_EQ(fast.workspace.zero, Workspace::Fill::each);
  EXPECT_EQ(fast.estimate.registers.text(), "24");
}

TEST_F(ManifestTest, ReadsLaunches) {
  const Launch launch = read(kComplete).implementations.at(0).launches.at(0);
  EXPECT_EQ(launch.entry, "blur<float>");
  EXPECT_EQ(launch.grid[0].text(), "ceil_div(length, BLOCK)");
  EXPECT_EQ(launch.grid[1].text(), "2");
  EXPECT_EQ(launch.grid[2].text(), "1");
  EXPECT_EQ(launch.cluster[0].text(), "2");
  using Kind = LaunchArgument::Kind;
  std::vector<Kind> kinds;
  for (const LaunchArgument& argument : launch.arguments) kinds.push_back(argument.kind);
  EXPECT_EQ(kinds,
            (std::vector<Kind>{Kind::argument, Kind::workspace, Kind::workspace, Kind::argument,
                               Kind::argument, Kind::value, Kind::value, Kind::value}));
  EXPECT_EQ(launch.arguments[1].value.text(), "0");
  EXPECT_EQ(launch.arguments[2].value.text(), "4 * BLOCK");
  EXPECT_EQ(launch.arguments[6].type, ElementType::uint64);
}

TEST_F(ManifestTest, ReadsComputedDefaultsAndInputsByValue) {
  std::string text =
      changed("name = \"pitch\"\ndefault = 0", "name = \"pitch\"\ndefault = \"4 * taps\"");
  const std::string argument = "{ value = \"LOADING\" }";
  text.replace(text.find(argument), argument.size(),
               "{ by_value = \"signal\", capacity = \"length\" }");
  const std::string number = "minimum = 0";
  text.replace(text.find(number), number.size(), "minimum = \"boundary == 'zero' ? taps : 2\"");
  const Manifest manifest = read(text);
  const Dimension& pitch = manifest.operations.at(0).dimensions.at(2);
  ASSERT_TRUE(pitch.computed_minimum);
  EXPECT_EQ(pitch.computed_minimum->text(), "boundary == 'zero' ? taps : 2");
  ASSERT_TRUE(pitch.computed_default);
  EXPECT_EQ(pitch.computed_default->text(), "4 * taps");
  const LaunchArgument& last = manifest.implementations.at(0).launches.at(0).arguments.back();
  EXPECT_EQ(last.kind, LaunchArgument::Kind::by_value);
  EXPECT_EQ(last.name, "signal");
  EXPECT_EQ(last.value.text(), "length");
}

TEST_F(ManifestTest, ReadsTensorMaps) {
  const Manifest manifest = read(changed("{ value = \"LOADING\" }",
                                         "{ tensor_map = \"signal\", when = \"FIXED == 1\", dims = "
                                         "[\"length\", 2], strides = [4], box = "
                                         "[\"BLOCK\", 1], swizzle = \"BLOCK\" }"));
  const LaunchArgument& last = manifest.implementations.at(0).launches.at(0).arguments.back();
  EXPECT_EQ(last.kind, LaunchArgument::Kind::tensor_map);
  EXPECT_EQ(last.name, "signal");
  EXPECT_EQ(last.when.text(), "FIXED == 1");
  ASSERT_EQ(last.map.dims.size(), 2U);
  EXPECT_EQ(last.map.dims[0].text(), "length");
  EXPECT_EQ(last.map.strides.at(0).text(), "4");
  EXPECT_EQ(last.map.box.at(0).text(), "BLOCK");
  EXPECT_EQ(last.map.swizzle.text(), "BLOCK");
  EXPECT_EQ(last.map.promote.text(), "0");
}

TEST_F(ManifestTest, ReadsTensorMapsInIm2colMode) {
  const Manifest manifest = read(
      changed("{ value = \"LOADING\" }",
              "{ tensor_map = \"signal\", dims = [8, \"length\", 1], strides = [8, 8], box = [8, "
              "\"BLOCK\"], lower_corner = [\"-BLOCK\"], upper_corner = [2], element_strides = [3], "
              "nan_fill = \"FIXED\" }"));
  const TensorMap& map = manifest.implementations.at(0).launches.at(0).arguments.back().map;
  EXPECT_EQ(map.lower_corner.at(0).text() + map.upper_corner.at(0).text(), "-BLOCK2");
  EXPECT_EQ(map.element_strides.at(0).text() + map.nan_fill.text(), "3FIXED");
}

TEST_F(ManifestTest, ReadsTensorMapsOfTheWorkspace) {
  const Manifest manifest = read(changed(
      "{ value = \"LOADING\" }",
      "{ tensor_map = \"workspace\", type = \"float16\", offset = \"4 * BLOCK\", dims = "
      "[\"BLOCK\"], box = [64] }, { tensor_map = \"workspace\", type = \"BLOCK == 64 ? 'int8' : "
      "'uint8'\", dims = [64], box = [64] }"));
  const Launch& launch = manifest.implementations.at(0).launches.at(0);
  const LaunchArgument& plain = launch.arguments.at(launch.arguments.size() - 2);
  EXPECT_EQ(plain.kind, LaunchArgument::Kind::workspace_map);
  EXPECT_EQ(plain.value.text(), "4 * BLOCK");
  EXPECT_EQ(plain.map.type.value({}), Value("float16"));
  const Settings settings = {{"BLOCK", 128}};
  EXPECT_EQ(launch.arguments.back().map.type.value(scope_over({&settings})), Value("uint8"));
  EXPECT_EQ(launch.arguments.back().value.text(), "0");
}

TEST_F(ManifestTest, ReadsHowAnImplementationIsCompiledAndLaunched) {
  const Implementation plain = read(kComplete).implementations.at(0);
  EXPECT_FALSE(plain.architecture_specific);
  EXPECT_EQ(plain.max_registers.text(), "0");
  EXPECT_TRUE(plain.remarks.empty());
  EXPECT_EQ(plain.launches.at(0).dependent_launch.text(), "0");
  std::string text = changed("requires = \"sm_90a\"",
                             "requires = \"sm_90\"\ntarget = \"specific\"\n"
                             "max_registers = \"BLOCK == 64 ? 128 : 0\"");
  const std::string shared = "shared_bytes = \"4 * BLOCK\"\narguments";
  text.replace(text.find(shared), shared.size(), "dependent_launch = \"FIXED\"\narguments");
  const std::string launch = "[[implementation.launch]]";
  text.insert(text.find(launch),
              "[[implementation.remark]]\ncodes = [\"C7510\", \"C7511\"]\nwhy = \"products are "
              "serialised\"\n\n");
  const Implementation fast = read(text).implementations.at(0);
  EXPECT_TRUE(fast.architecture_specific);
  EXPECT_EQ(fast.max_registers.text(), "BLOCK == 64 ? 128 : 0");
  EXPECT_EQ(fast.launches.at(0).dependent_launch.text(), "FIXED");
  ASSERT_EQ(fast.remarks.size(), 1U);
  EXPECT_EQ(fast.remarks[0].codes, (std::vector<std::string>{"C7510", "C7511"}));
  EXPECT_EQ(fast.remarks[0].why, "products are serialised");
}

TEST_F(ManifestTest, ReadsSourceUnits) {
  const Implementation plain = read(kComplete).implementations.at(0);
  EXPECT_TRUE(plain.units.empty());
  EXPECT_TRUE(plain.launches.at(0).unit.empty());
  std::string text = changed("entry = \"blur<float>\"", "entry = \"blur<float>\"\nunit = \"low\"");
  text.insert(text.find("[[implementation.launch]]"),
              "[[implementation.unit]]\nname = \"low\"\nsource = \"kernel.cu\"\n"
              "macros = { STEP = \"2 * BLOCK\", LENGTH = \"length\", ONE = \"LOADING == 'one'\" }\n"
              "max_registers = \"BLOCK == 64 ? 40 : 0\"\n\n");
  const Implementation with = read(text).implementations.at(0);
  ASSERT_EQ(with.units.size(), 1U);
  const SourceUnit& unit = with.units[0];
  EXPECT_EQ(unit.name, "low");
  EXPECT_EQ(unit.source, with.source);
  EXPECT_EQ(unit.macros.at("STEP").text(), "2 * BLOCK");
  EXPECT_EQ(unit.macros.size(), 3U);
  EXPECT_EQ(unit.max_registers->text(), "BLOCK == 64 ? 40 : 0");
  EXPECT_EQ(with.launches.at(0).unit, "low");
}

TEST_F(ManifestTest, ReadsConstants) {
  const std::string launch = "[[operation.reference.launch]]";
  const std::string key = "requires = \"sm_90a\"";
  std::string text =
      changed(launch, "constant = [{ symbol = \"r\", from = \"signal\" }]\n" + launch);
  text.insert(text.find(key),
              "constant = [{ symbol = \"a::b\", from = \"signal\", when = \"BLOCK > 3\" }]\n");
  const Manifest manifest = read(text);
  ASSERT_EQ(manifest.operations.at(0).reference.constants.size(), 1U);
  EXPECT_EQ(manifest.operations.at(0).reference.constants[0].symbol, "r");
  const std::vector<ConstantSymbol>& constants = manifest.implementations.front().constants;
  ASSERT_EQ(constants.size(), 1U);
  EXPECT_EQ(constants[0].symbol, "a::b");
  EXPECT_EQ(constants[0].from, "signal");
  EXPECT_EQ(constants[0].unit, "");
  EXPECT_EQ(constants[0].when.text(), "BLOCK > 3");
}

TEST_F(ManifestTest, ReadsLoopsMacrosAndVectors) {
  std::string text = changed("name = \"signal\"\n", "name = \"signal\"\ntype = \"float16x4\"\n");
  const std::string entry = "entry = \"blur<float>\"\n";
  text.insert(text.find(entry) + entry.size(),
              "loop = \"steps\"\nmacros = { WIDTH = \"2 * BLOCK\" }\ncooperative = \"FIXED\"\n");
  text.insert(text.find("[[implementation.launch]]"),
              "[[implementation.loop]]\nname = \"steps\"\ntrips = \"taps\"\n"
              "swap = [\"result\", { workspace = \"BLOCK\" }]\n\n");
  const Manifest manifest = read(text);
  EXPECT_EQ(manifest.operations.at(0).arguments[0].type, ElementType::float16);
  EXPECT_EQ(manifest.operations.at(0).arguments[0].lanes, 4);
  const Implementation& with = manifest.implementations.at(0);
  ASSERT_EQ(with.loops.size(), 1U);
  EXPECT_EQ(with.loops[0].trips.text(), "taps");
  EXPECT_EQ(with.loops[0].swap.at(0).name, "result");
  EXPECT_EQ(with.loops[0].swap.at(1).value.text(), "BLOCK");
  EXPECT_EQ(with.launches[0].loop, "steps");
  EXPECT_EQ(with.launches[0].cooperative.text(), "FIXED");
  EXPECT_EQ(with.launches[0].unit, "launch 1");
  ASSERT_EQ(with.units.size(), 1U);
  EXPECT_EQ(with.units[0].name, "launch 1");
  EXPECT_EQ(with.units[0].source, with.source);
  EXPECT_EQ(with.units[0].macros.at("WIDTH").text(), "2 * BLOCK");
}

TEST_F(ManifestTest, PassesALabelledParameterAsTheIndexOfItsValue) {
  const Launch launch = read(kComplete).implementations.at(0).launches.at(0);
  for (const std::size_t position : {5U, 7U}) {
    const LaunchArgument& argument = launch.arguments.at(position);
    const std::vector<std::string> labels = {"one", "all", "none"};
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const Settings settings = {{"LOADING", labels[i]}};
      EXPECT_EQ(argument.value.evaluate(scope_over({&settings})), static_cast<std::int64_t>(i));
    }
  }
}

TEST_F(ManifestTest, MayHaveNoReference) {
  const Manifest manifest = read(R"(schema = 1
[operation]
name = "copy"
[[operation.argument]]
name = "y"
role = "output"
count = "1"
[[implementation]]
name = "plain"
source = "kernel.cu"
[[implementation.launch]]
entry = "copy"
grid = [1]
block = [1]
arguments = ["y"]
)");
  EXPECT_TRUE(manifest.operations.at(0).reference.builtin.empty());
  EXPECT_TRUE(manifest.operations.at(0).reference.source.empty());
}

TEST_F(ManifestTest, TakesTheDefaultsOfTheSpecification) {
  const Manifest manifest = read(R"(schema = 1
[operation]
name = "copy"
[[operation.dimension]]
name = "n"
default = 5
[[operation.argument]]
name = "ids"
type = "uint8"
role = "inout"
count = "n"
[operation.reference]
builtin = "copy"
[[implementation]]
name = "plain"
source = "kernel.cu"
[[implementation.launch]]
entry = "copy"
grid = [1]
block = [1]
arguments = []
)");
  const Operation& operation = manifest.operations.at(0);
  EXPECT_EQ(operation.dimensions[0].minimum, 1);
  EXPECT_EQ(operation.dimensions[0].maximum, 2147483647);
  EXPECT_EQ(operation.dimensions[0].host_default, 5);
  EXPECT_EQ(operation.arguments[0].fill.kind, Fill::Kind::integers);
  EXPECT_EQ(operation.arguments[0].fill.high, 100);
  EXPECT_EQ(operation.flops.text(), "0");
  EXPECT_EQ(operation.comparison.reduction.text(), "1");
  const Implementation& plain = manifest.implementations.at(0);
  EXPECT_EQ(plain.operation, "copy");
  EXPECT_EQ(plain.epoch, 1);
  EXPECT_EQ(plain.workspace.bytes.text(), "0");
  EXPECT_EQ(plain.launches[0].when.text(), "1");
}

}  // namespace
}  // namespace tilewright
