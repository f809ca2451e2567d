#include "tests/unit/definition/manifest/manifest_fixture.hpp"

namespace tilewright {
namespace {

TEST_F(ManifestTest, RefusesFilesThatAreNotManifests) {
  EXPECT_THROW(read_manifest(folder_.path() / "none.toml"), InputError);
  EXPECT_THROW(read_manifest(folder_.path()), InputError);
  EXPECT_NE(error_of("schema = 1\nname = \n").find(":2:"), std::string::npos);
  EXPECT_NE(error_of("schema = 1\n").find("neither"), std::string::npos);
}

TEST_F(ManifestTest, RefusesAMissingNewerOrMisspeltSchema) {
  EXPECT_NE(error_of("").find("'schema' is missing"), std::string::npos);
  EXPECT_NE(error_of("schema = 2\nnew_key = 1\n").find(":1:10: schema 2 is newer"),
            std::string::npos);
  EXPECT_NE(error_of("schema = 0\n").find("there is no schema 0"), std::string::npos);
  EXPECT_NE(error_of("schema = \"1\"\n").find("must be the integer 1, not a string"),
            std::string::npos);
}

TEST_F(ManifestTest, NamesTheNearestKnownKey) {
  expect_error("flops = ", "flop = ", place_of("flops = "), "did you mean 'flops'?");
  expect_error("host_default = 64", "host_defualt = 64", place_of("host_default"),
               "unknown key 'host_defualt' in [[operation.dimension]]; did you mean");
  expect_error("epoch = 3", "epoc = 3", place_of("epoch = 3"), "did you mean 'epoch'?");
  expect_error("zero = \"each\"", "zeros = \"each\"", place_of("zero = \"each\""),
               "did you mean 'zero'?");
  expect_error("kind = \"constant\"", "sort = \"constant\"", place_of("kind = \"constant\""),
               "unknown key 'sort'");
}

TEST_F(ManifestTest, PointsIntoExpressionsThatDoNotParse) {
  expect_error("\"2 * length * taps\"", "\"2 * length ** taps\"",
               place_of("\"2 * length * taps\"", 13), "is not an expression");
  expect_error("\"ceil_div(length, BLOCK)\"", "\"ceil_div(length BLOCK)\"",
               place_of("\"ceil_div(length, BLOCK)\"", 17), "'grid' is not an expression");
  expect_error("\"8 * length\"", "'''8 * * length'''", place_of("\"8 * length\""),
               "'bytes' is not an expression");
}

TEST_F(ManifestTest, PointsAtUnknownNamesInExpressions) {
  expect_error("\"2 * length * taps\"", "\"2 * length * tap\"",
               place_of("\"2 * length * taps\"", 14), "unknown name 'tap'; did you mean 'taps'?");
  expect_error("ceil_div(length, BLOCK)", "ceil_div(length, BLCK)",
               place_of("\"ceil_div(length", 18), "did you mean 'BLOCK'?");
  expect_error("workspace = \"4 * BLOCK\"", "workspace = \"4 * BLOK\"",
               place_of("\"4 * BLOCK\" }", 5), "did you mean 'BLOCK'?");
  expect_error("when = \"FIXED == 1\"", "when = \"device.sm_counts == 1\"",
               line_of("compiled_in = "), "did you mean 'device.sm_count'?");
  expect_error("BLOCK <= 1024", "BLOCK <= device.max_thread_per_block",
               place_of("\"BLOCK <= 1024", 10), "did you mean 'device.max_threads_per_block'?");
}

TEST_F(ManifestTest, AnOperationDoesNotDependOnTheDevice) {
  expect_error("\"8 * length\"", "\"device.sm_count\"", place_of("\"8 * length\"", 1),
               "unknown name 'device.sm_count'");
}

TEST_F(ManifestTest, RefusesLabelsThatAreNeverTrue) {
  expect_error("LOADING != 'none'", "LOADING != 'non'", place_of("'none'"),
               "'LOADING' is never 'non'; did you mean 'none'?");
  expect_error("LOADING != 'none'", "BLOCK != 'none'", line_of("when = \"LOADING"),
               "holds a number, not a label");
  expect_error("LOADING != 'none'", "LOADING != 2", place_of("'none'"),
               "its labels are one, all, none");
}

TEST_F(ManifestTest, RefusesALabelWhereANumberIsNeeded) {
  expect_error("LOADING != 'none'", "BLOCK != (FIXED ? 'one' : 'all')", line_of("when = \"LOADING"),
               "one side of '!=' is a label and the other is a number");
  expect_error("LOADING != 'none'", "FIXED ? LOADING : 1", line_of("when = \"LOADING"),
               "one side of ':' is a label");
  expect_error("LOADING != 'none'", "LOADING && BLOCK", line_of("when = \"LOADING"),
               "a label stands where a number is needed");
}

TEST_F(ManifestTest, RefusesUnknownLaunchArguments) {
  expect_error("arguments = [\"signal\", \"workspace\"", "arguments = [\"signl\", \"workspace\"",
               line_of("arguments = [\"signal\", \"work"),
               "no argument, dimension or choice 'signl'; did you mean 'signal'?");
  expect_error("\"workspace\", {", "\"\", {", line_of("arguments = [\"signal\", \"work"),
               "'arguments' is not an expression");
  expect_error("\"workspace\", {", "true, {", place_of("\"workspace\", {"),
               "a launch argument is a name, an expression, { value");
  expect_error("\"workspace\", {", "\"lenth * 2\", {", line_of("arguments = [\"signal\", \"work"),
               "did you mean 'length'?");
  expect_error("[\"signal\", \"filter\", \"result\"", "[\"signal\", \"filtre\", \"result\"",
               line_of("arguments = [\"signal\", \"filter"), "did you mean 'filter'?");
  expect_error("bytes = \"8 * BLOCK\"", "", line_of("[implementation.workspace]"), "lacks 'bytes'");
  expect_error("[implementation.workspace]\nbytes = \"8 * BLOCK\"\nzero = \"each\"\n", "",
               line_of("[[implementation.launch]]"), "there is no [implementation.workspace]");
}

TEST_F(ManifestTest, RefusesComputedDefaultsOfLaterNames) {
  expect_error("name = \"pitch\"\ndefault = 0", "name = \"pitch\"\ndefault = \"pitch + 1\"",
               place_of("0\nminimum = 0", 1), "unknown name 'pitch'");
  expect_error("default = 1024\nhost_default", "default = \"1 + 1\"\nhost_default",
               line_of("host_default"), "'host_default' does not go with");
}

TEST_F(ManifestTest, RefusesWhatCannotGoByValue) {
  const std::string last = "{ value = \"LOADING\" }";
  expect_error(last, "{ by_value = \"result\", capacity = 4 }", place_of(last),
               "no input buffer 'result' to pass by value");
  expect_error(last, "{ by_value = \"filter\", capacity = 4 }", place_of(last),
               "no input buffer 'filter' to pass by value");
  expect_error(last, "{ by_value = \"signal\" }", place_of(last), "lacks 'capacity'");
  expect_error(last, "{ value = 1, capacity = 4 }", ":", "'capacity' does not go with");
  expect_error(last, "{ value = 1, by_value = \"signal\" }", place_of(last),
               "cannot have both 'value' and 'by_value'");
  expect_error(last, "{ type = \"int32\" }", place_of(last), "needs one of");
}

TEST_F(ManifestTest, RefusesRemarksThatNoCompilerMakes) {
  const std::string launch = "[[implementation.launch]]";
  const auto remark = [](const std::string& codes, const std::string& why) {
    return "[[implementation.remark]]\ncodes = [" + codes + "]\nwhy = \"" + why + "\"\n\n";
  };
  const std::string good = remark("\"C1\"", "slow");
  const auto expect = [&](const std::string& text, const std::string& part) {
    expect_error(launch, good + text + launch, ":", part);
  };
  expect(remark("\"7510\"", "bad"), "a capital letter and digits, such as C7510, not '7510'");
  expect(remark("\"C1\", \"C75.0\"", "bad"), "not 'C75.0'");
  expect(remark("", "bad"), "'codes' must not be empty");
  expect(remark("\"C2\"", "slow"), "two remarks have the same 'why'");
  expect_error("requires = \"sm_90a\"", "target = \"sm_90a\"", ":", "generic");
  expect_error("requires = \"sm_90a\"", "max_registers = \"BLOK\"", ":", "did you mean 'BLOCK'?");
  expect_error("cluster = [2]", "dependent_launch = \"BLOK\"", ":", "did you mean 'BLOCK'?");
}

TEST_F(ManifestTest, RefusesUnitsThatCannotBeCompiled) {
  const std::string launch = "[[implementation.launch]]\nentry = \"blur<float>\"\n";
  const auto expect = [&](const std::string& units, const std::string& unit_of_launch,
                          const std::string& part) {
    const std::string unit = unit_of_launch.empty() ? "" : "unit = \"" + unit_of_launch + "\"\n";
    expect_error(launch, units + launch + unit, ":", part);
  };
  const auto unit = [](const std::string& name, const std::string& more = "") {
    return "[[implementation.unit]]\nname = \"" + name + "\"\n" + more + "\n";
  };
  expect("", "low", "there is no [[implementation.unit]] 'low'");
  expect(unit("low"), "lo", "no launch is of the unit 'low'; give one of them unit = \"low\"");
  expect(unit("low") + unit("low"), "low", "used twice");
  expect(unit("low", "source = \"gone.cu\""), "low", "gone.cu");
  expect(unit("low", "macro = { A = 1 }"), "low", "did you mean 'macros'?");
  expect(unit("low", "macros = 1"), "low", "'macros'");
  expect(unit("low", "macros = { \"A-B\" = 1 }"), "low", "'A-B' is not the name of a macro");
  expect(unit("low", "macros = { A = \"BLOK\" }"), "low", "did you mean 'BLOCK'?");
  expect(unit("low", "macros = { BLOCK = 1 }"), "low", "the macro BLOCK would be defined twice");
  expect(unit("low", "macros = { PROBLEM_BOUNDARY = 1 }"), "low", "would be defined twice");
  expect(unit("low", "max_registers = \"BLOK\""), "low", "did you mean 'BLOCK'?");
  const std::string second =
      "[[implementation.launch]]\nentry = \"blur<float>\"\ngrid = [1]\nblock = [1]\n"
      "arguments = []\n\n";
  expect(unit("low") + second, "low", "'blur<float>' is launched from two units");
  expect_error("entry = \"slow\"", "entry = \"slow\"\nunit = \"low\"", ":", "'unit'");
}

TEST_F(ManifestTest, NamesAllKeysAndThoseOfOtherTuners) {
  const std::string key = "requires = \"sm_90a\"";
  expect_error(key, "restrictions = []", ":",
               "unknown key 'restrictions' in [[implementation]]; did you mean 'constraint'?");
  expect_error(key, "tune_params = []", ":", "did you mean 'parameter'?");
  expect_error(key, "zzz = 1", ":", ", loop, compiler");
}

TEST_F(ManifestTest, RefusesBadNamesAndDoubles) {
  expect_error("name = \"pitch\"", "name = \"pit-ch\"", place_of("\"pitch\""), "is not a name");
  expect_error("name = \"pitch\"", "name = \"taps\"", place_of("\"pitch\""), "used twice");
  expect_error("name = \"pitch\"", "name = \"workspace\"", place_of("\"pitch\""), "is reserved");
  expect_error("name = \"size\"", "name = \"taps\"", place_of("\"size\""), "used twice");
  expect_error("name = \"FIXED\"", "name = \"BLOCK\"", place_of("\"FIXED\""), "used twice");
  expect_error("name = \"FIXED\"", "name = \"length\"", place_of("\"FIXED\"", 1),
               "already a name of the operation");
  expect_error("name = \"FIXED\"", "name = \"LOADING_ALL\"", place_of("\"FIXED\"", 1),
               "macro LOADING_ALL would be defined twice");
}

TEST_F(ManifestTest, RefusesLongNamesAndLabelsAndShowsTheirBeginnings) {
  const std::string most(256, 'a');
  EXPECT_EQ(read(changed("name = \"blur\"", "name = \"" + most + "\"")).operations[0].name, most);
  const std::string name(20'000, 'a');
  const std::string shown = "'" + name.substr(0, 80) + "…'";
  for (const std::string old : {"blur", "pitch", "boundary", "signal", "fast", "FIXED"})
    expect_error("name = \"" + old + "\"", "name = \"" + name + "\"", ":",
                 shown +
                     " is not a name; a name has letters, digits and '_', does not begin with "
                     "a digit, and has at most 256 characters");
  expect_error("\"one\", \"all\"", "\"" + name + "\", \"all\"", ":", shown + " is not a label");
  expect_error("[\"zero\", \"wrap\"]", "[\"zero\", \"" + name + "\"]", ":",
               shown + " is not a label");
  expect_error("epoch = 3", name + " = 3", ":", "unknown key " + shown);
  expect_error("BLOCK <= 1024", name.substr(0, 4000) + " <= 1024", ":", "unknown name " + shown);
}

TEST_F(ManifestTest, RefusesWhatBecomesTooLongAnExpression) {
  std::string labels;
  for (int i = 0; i < 300; ++i) labels += "\"label_" + std::to_string(i) + "\", ";
  expect_error("\"one\", \"all\"", labels + "\"one\", \"all\"", place_of("\"LOADING\", {"),
               "the expression that it becomes: ");
  const std::string end = "min(length, " + std::string(4060, ' ') + "128)";
  expect_error("values = [64, 128]", "values = [{ from = 64, to = \"" + end + "\" }]", ":",
               "the expression that it becomes: 41");
}

TEST_F(ManifestTest, HasAtMost256Implementations) {
  std::string text = kComplete;
  for (int i = 0; i < 256; ++i)
    text += "\n[[implementation]]\nname = \"a" + std::to_string(i) + "\"\n";
  EXPECT_NE(error_of(text).find("a manifest has at most 256 implementations"), std::string::npos);
}

TEST_F(ManifestTest, RefusesBadValuesOfParametersAndChoices) {
  expect_error("values = [64, 128]", "values = []", place_of("[64, 128]"), "must not be empty");
  expect_error("values = [64, 128]", "values = [64, 64]", place_of("128]"), "is listed twice");
  expect_error("values = [64, 128]", "values = [64, 12.5]", place_of("128]"),
               "not a number with a fraction");
  expect_error("values = [64, 128]", "values = [64, \"big\"]", place_of("128]"), "not both");
  expect_error("\"one\", \"all\"", "\"One\", \"all\"", place_of("\"one\", \"all\""),
               "is not a label");
  expect_error("default = 128", "default = 256", place_of("128\n\n[[implementation.parameter"),
               "the default 256 is not in 'values'");
  expect_error("default = \"wrap\"", "default = \"warp\"", place_of("\"wrap\"\nrole"),
               "did you mean 'wrap'?");
  expect_error("[\"zero\", \"wrap\"]", "[\"zero\", \"zero\"]", line_of("[\"zero\""),
               "is listed twice");
}

TEST_F(ManifestTest, RefusesSeedsAndChecksThatCannotBe) {
  expect_error("{ BLOCK = 128 }", "{ BLOCKS = 128 }", line_of("seeds = "), "did you mean 'BLOCK'?");
  expect_error("{ BLOCK = 128 }", "{ BLOCK = 99 }", line_of("seeds = "), "BLOCK has no value 99");
  expect_error("taps = 3 }", "taps = 2 }", place_of("3 }"), "outside 3 to");
  expect_error("{ boundary = \"wrap\" }", "{ boundary = \"wrp\" }", line_of("checks = "),
               "did you mean 'wrap'?");
  expect_error("{ boundary = \"wrap\" }", "{ border = \"wrap\" }", line_of("checks = "),
               "no dimension or choice");
}

TEST_F(ManifestTest, RefusesGeneralConfigurationsAndCostsThatCannotBe) {
  expect_error("{ LOADING = \"one\" }]]", "{ LOADING = \"two\" }]]", line_of("general = "),
               "LOADING has no value two");
  expect_error("[{}, { LOADING = \"one\" }]", "{}", line_of("general = "),
               "'general' is an array of arrays of tables, and this is a table");
  expect_error("[{}, { LOADING = \"one\" }]", "[]", line_of("general = "), "must not be empty");
  std::string many = "[{}";
  for (int i = 0; i < 128; ++i) many += ", {}";
  expect_error("[{}, { LOADING = \"one\" }]", many + "]", line_of("general = "),
               "'general' means more than 256 configurations");
  expect_error("follows = \"BLOCK == 64 && taps < 9\"", "follows = \"FIXED\"",
               line_of("follows = "),
               "'follows' may use only parameters that stand before 'FIXED'");
  expect_error("active = \"BLOCK > 64\"", "compiled_in = \"taps > 64\"", line_of("active = "),
               "'compiled_in' of a parameter may use only parameters, which 'taps' is not");
  expect_error("active = \"BLOCK > 64\"", "follows = \"BLOCK > 64\"", line_of("active = "),
               "a number stands where one of ");
  expect_error("work = \"BLOCK * taps\"\n", "", line_of("[implementation.cost]"),
               "[implementation.cost] lacks 'work'");
  expect_error("BLOCK * taps\"\nlatency", "BLOCKS * taps\"\nlatency",
               place_of("BLOCK * taps\"\nlatency"), "did you mean 'BLOCK'?");
}

TEST_F(ManifestTest, RefusesOutOfRangeAndMissingValues) {
  expect_error("maximum = 65535", "maximum = 100", line_of("default = 1024"),
               "'default' is 1024, outside 1 to 100");
  expect_error("minimum = 3", "minimum = 3000000000", kSecondDimension, "above maximum");
  expect_error("default = 9\n", "", kSecondDimension, "[[operation.dimension]] lacks 'default'");
  expect_error("capacity = 33\n", "", ":", "lacks 'capacity'");
  expect_error("capacity = 33", "capacity = 33\nvalue = 1", ":", "'value' does not go with");
  expect_error("role = \"output\"", "role = \"out\"", place_of("\"output\""),
               "'role' cannot be 'out'; did you mean 'output'?");
  expect_error("role = \"output\"\n", "", ":3:1:", "no argument with role output or inout");
  expect_error(
      "type = \"float64\"", "type = \"float46\"", place_of("float64"),
      "'float46' is neither a type nor a choice whose values are types; did you mean 'float64'?");
  expect_error("scale = 2", "scale = 0", place_of("2\nhow"), "above 0");
  expect_error("epoch = 3", "epoch = 0", place_of("3\nsource"), "at least 1");
  expect_error("requires = \"sm_90a\"", "requires = \"90a\"", place_of("\"sm_90a\""),
               "such as sm_80 or sm_90a");
}

TEST_F(ManifestTest, RefusesFillsThatDoNotFit) {
  const std::string fill = "{ kind = \"constant\", value = 0.5 }";
  expect_error(fill, "{ low = 1, high = 1 }", place_of(fill), "must be below");
  expect_error(fill, "{ kind = \"integers\" }", place_of(fill), "lacks 'low'");
  expect_error(fill, "{ kind = \"file\", path = \"x\", low = 1 }", ":", "'low' does not go with");
  expect_error("type = \"float64\"", "type = \"float64\"\nfill = { low = 0 }", ":",
               "an output is not filled");
  expect_error(fill, "{ kind = \"integers\", low = 0, high = 1, divisor = 2 }", ":",
               "'divisor' does not go with");
  expect_error(fill, "{ divisor = 0 }", place_of(fill), "'divisor' is 0 and must be above 0");
  const std::string signal = "name = \"signal\"\n";
  expect_error(signal, signal + "integers = [0, 1]\n", ":", "'integers' does not go with");
  for (const char* const wrong : {"[1]", "[1, 0]", "[0.5, 1]", "[0, 1, 2]"})
    expect_error(signal,
                 signal + "type = \"taps > 9 ? 'int8' : 'int32'\"\nintegers = " + wrong + "\n", ":",
                 "'integers' must be [low, high], two integers");
  expect_error("value = \"length * 2\"", "fill = { kind = \"uniform\" }", ":",
               "int64 cannot be filled with 'uniform'");
}

TEST_F(ManifestTest, RefusesNumbersOfFillsThatDoNotFit) {
  const std::string fill = "{ kind = \"constant\", value = 0.5 }";
  const auto expect = [&](const std::string& text, const std::string& part) {
    expect_error(fill, text, ":", part);
  };
  expect("{ kind = \"normal\", low = 1 }", "'low' does not go with this kind of fill");
  expect("{ mean = 1 }", "'mean' does not go with this kind of fill");
  expect("{ kind = \"normal\", deviation = 0 }", "'deviation' is 0 and must be above 0");
  expect("{ kind = \"normal\", deviation = \"width\" }", "unknown name 'width'");
  expect("{ kind = \"integers\", low = 0, high = \"boundary\" }",
         "a label stands where a number is needed");
  expect("{ kind = \"integers\", low = 0, high = 1.5 }", "'high' must be an integer");
  expect_error("value = \"length * 2\"", "fill = { kind = \"normal\" }", ":",
               "int64 cannot be filled with 'normal' fractions");
}

TEST_F(ManifestTest, RefusesComparisonsThatCannotBe) {
  const std::string how = "scale = 2\nhow = \"reduced\"";
  const auto expect = [&](const std::string& text, const std::string& part) {
    expect_error(how, text, ":", part);
  };
  expect("tolerance = -1", "'tolerance' is below 0");
  expect("absolute = -1e-9", "'absolute' is below 0");
  expect("relative = inf", "'relative' must be finite");
  expect("mismatches = 1.5", "'mismatches' is a share from 0 to 1");
  expect(how + "\nmismatches = 0.5", "'mismatches' does not go with how = \"reduced\"");
  expect("ignored = [\"signal\"]", "'ignored': 'signal' is no output");
  expect("ignored = [\"result\"]", "'ignored' names all outputs; one must be compared");
  expect("sums = \"float46\"", "'float46' is neither a type nor a choice");
  expect("sums = \"boundary\"", "'zero' is none of float32");
  expect("sums = \"length\"", "a number stands where one of float32");
}

TEST_F(ManifestTest, RefusesMissingFilesAndLaunches) {
  expect_error("source = \"kernel.cu\"\ninclude", "source = \"kernl.cu\"\ninclude",
               place_of("\"kernel.cu\"\ninclude"), "there is no file");
  expect_error("include = [\".\"]", "include = [\"none\"]", place_of("\".\""), "no folder");
  expect_error("grid = [\"length\"]", "grid = []", place_of("[\"length\"]"), "1 to 3 numbers");
  expect_error("grid = [\"length\"]", "grid = [1, 1, 1, 1]", place_of("[\"length\"]"), "not 4");
  expect_error("source = \"kernel.cu\"\n[[oper", "builtin = \"blur\"\n[[oper", ":",
               "has no launches");
  expect_error("source = \"kernel.cu\"\n[[oper", "source = \"kernel.cu\"\nbuiltin = \"b\"\n[[oper",
               ":", "either 'builtin' or 'source'");
  const std::string no_launch =
      std::string(kComplete).substr(0, std::string(kComplete).find("[[implementation.launch]]"));
  EXPECT_NE(error_of(no_launch).find("needs at least one [[implementation.launch]]"),
            std::string::npos);
}

TEST_F(ManifestTest, RefusesACompiledInNameThatIsNotOfTheProblem) {
  expect_error("[\"boundary\", {", "[\"bondary\", {", line_of("compiled_in = "),
               "did you mean 'boundary'?");
  expect_error("name = \"taps\", when", "name = \"boundary\", when", line_of("compiled_in = "),
               "compiled in twice");
}

TEST_F(ManifestTest, RefusesDefaultsThatBreakAConstraint) {
  expect_error("BLOCK <= 1024", "BLOCK < 128", place_of("\"BLOCK <= 1024", 1),
               "default configuration breaks this constraint: a block has at most 1024");
  expect_error("BLOCK <= 1024", "BLOCK / (FIXED - 1) < 1", line_of("BLOCK <= 1024"), "by zero");
  EXPECT_EQ(error_of(changed("BLOCK <= 1024", "BLOCK < length / 100")), "no error");
}

TEST_F(ManifestTest, ActiveSeesEarlierParametersOnly) {
  expect_error("BLOCK > 64", "FIXED == 1", place_of("\"BLOCK > 64\"", 1), "stand before 'LOADING'");
  expect_error("BLOCK > 64", "LOADING == 'all'", line_of("active = "), "stand before 'LOADING'");
}

TEST_F(ManifestTest, TheOperationOfAnImplementationIsTheFilesOwn) {
  expect_error("epoch = 3", "operation = \"sharpen\"", ":", "the operation of this file is 'blur'");
  const std::string alone =
      "schema = 1\n[[implementation]]\nname = \"x\"\nsource = \"kernel.cu\"\n";
  EXPECT_NE(error_of(alone).find(":2:1: [[implementation]] lacks 'operation'"), std::string::npos);
}

TEST_F(ManifestTest, CheckAgainstWorksWithoutAFile) {
  Manifest manifest = read(kComplete);
  Implementation& fast = manifest.implementations.at(0);
  EXPECT_NO_THROW(check_against(fast, manifest.operations.at(0)));
  fast.manifest.clear();
  fast.launches[0].block[0] = Expression::parse("BLOK");
  try {
    check_against(fast, manifest.operations.at(0));
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "implementation 'blur/fast', launch[0].block[0]: unknown name 'BLOK'; did you "
                 "mean 'BLOCK'?");
  }
}

}  // namespace
}  // namespace tilewright
