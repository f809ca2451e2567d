// Ranges of parameters' values, and real values of scalars.
#include <limits>

#include "definition/library/library.hpp"
#include "tests/unit/definition/manifest/manifest_fixture.hpp"

namespace tilewright {
namespace {

TEST_F(ManifestTest, WritesOutRangesOfValues) {
  const auto values_of = [&](const std::string& values) {
    return read(changed("values = [64, 128]", "values = [" + values + "]"))
        .implementations.at(0)
        .parameters.at(0)
        .values;
  };
  EXPECT_EQ(values_of("128, { from = 2, to = 7, step = 2 }, { from = 32, to = 100, times = 2 }"),
            values_of("128, 2, 4, 6, 32, 64"));
  EXPECT_EQ(values_of("{ from = -1, to = 1 }, 64, 128"), values_of("-1, 0, 1, 64, 128"));
  EXPECT_EQ(
      values_of("64, 128, { from = 9223372036854775806, to = 9223372036854775807, step = 5 }"),
      values_of("64, 128, 9223372036854775806"));
  EXPECT_EQ(
      values_of("64, 128, { from = 4611686018427387904, to = 9223372036854775807, times = 2 }"),
      values_of("64, 128, 4611686018427387904"));
  EXPECT_EQ(values_of("{ from = 64, to = 64 }, 128"), values_of("64, 128"));
}

// The values are those up to the greatest end; a constraint has the end that the problem gives.
TEST_F(ManifestTest, ARangeMayEndWhereTheProblemSays) {
  const Manifest manifest =
      read(changed("values = [64, 128]",
                   "values = [{ from = 64, to = \"min(length, 200)\", step = 64 }, 1000]"));
  const Implementation& fast = manifest.implementations.at(0);
  EXPECT_EQ(fast.parameters.at(0).values,
            (std::vector<Value>{std::int64_t{64}, std::int64_t{128}, std::int64_t{192},
                                std::int64_t{1000}}));
  const Constraint& end = fast.constraints.back();
  EXPECT_EQ(end.why, "BLOCK is at most min(length, 200)");
  const auto is_legal = [&](std::int64_t block, std::int64_t length) {
    const Settings values = {{"BLOCK", block}, {"length", length}};
    return end.require.is_true(scope_over({&values}));
  };
  EXPECT_TRUE(is_legal(128, 150));
  EXPECT_FALSE(is_legal(192, 150));
  EXPECT_TRUE(is_legal(192, 5000));
  EXPECT_TRUE(is_legal(1000, 1)) << "it is not of the range";
  try {
    read(changed("values = [64, 128]",
                 "values = [{ from = 64, to = \"min(lenth, 128)\", step = 64 }]"));
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'lenth'; did you mean 'length'?"), std::string::npos)
        << error.what();
  }
}

TEST_F(ManifestTest, ARangeMayBeLong) {
  const Parameter block = read(changed("values = [64, 128]", "values = [{ from = 1, to = 65536 }]"))
                              .implementations.at(0)
                              .parameters.at(0);
  EXPECT_EQ(block.values.size(), 65536U);
}

TEST_F(ManifestTest, RefusesRangesThatAreNone) {
  const auto expect = [&](const std::string& range, const std::string& sentence) {
    SCOPED_TRACE(range);
    expect_error("values = [64, 128]", "values = [" + range + "]", line_of("values = [64"),
                 sentence);
  };
  expect("{ from = 1, to = 9, step = 0 }", "'step' is 0; it must be at least 1");
  expect("{ from = 1, to = 9, step = -2 }", "'step' is -2; it must be at least 1");
  expect("{ from = 9, to = 1 }", "the range is empty: 'from' 9 is above 'to' 1");
  expect("{ from = 1, to = 9, times = 1 }", "'times' is 1; it must be at least 2");
  expect("{ from = 0, to = 9, times = 2 }", "'from' is 0; with 'times' it must be at least 1");
  expect("{ from = 1, to = 9, times = 2, step = 1 }", "'step' does not go with 'times'");
  expect("{ from = 1 }", "a range of 'values' lacks 'to'");
  expect("{ from = 1, to = 9, by = 2 }", "unknown key 'by' in a range of 'values'");
  expect("{ from = 1.5, to = 9 }", "'from' must be an integer");
  expect("{ from = 1, to = 9223372036854775807 }", "'values' has more than 65536 values");
  expect("{ from = 1, to = 65536 }, 0", "'values' has more than 65536 values");
  expect("{ from = 1, to = \"length\" }",
         "'to' needs a number that it never exceeds: \"min(length, 1024)\"");
  expect("64, 128, { from = 1, to = 64 }", "the value 64 is listed twice");
  expect("\"some\", { from = 1, to = 64 }", "all integers or all labels, not both");
}

TEST_F(ManifestTest, RefusesRealNumbersForIntegers) {
  const std::string second = line_of("\n[[operation.argument]]\nname = \"result\"");
  expect_error("value = \"length * 2\"", "value = 0.5", line_of("value = \"length"),
               "a value of type int64 is a whole number");
  expect_error("value = \"length * 2\"", "value = \"length\"\ndivisor = 2", second,
               "a value of type int64 is a whole number");
  expect_error("value = \"length * 2\"", "divisor = 2", line_of("value = \"length"),
               "'divisor' does not go with a scalar without 'value'");
  expect_error("type = \"int64\"\nvalue = \"length * 2\"", "value = inf",
               line_of("type = \"int64\"\nvalue"), "must be finite");
  expect_error("type = \"int64\"\nvalue = \"length * 2\"", "value = 1\ndivisor = \"lenth\"",
               line_of("value = \"length"), "did you mean 'length'?");
}

TEST_F(ManifestTest, AScalarMayBeWorkedOutInRealNumbers) {
  const auto scalar = [&](const std::string& value) {
    const std::string text =
        changed("type = \"int64\"\nvalue = \"length * 2\"", "type = \"float32\"\nvalue = " + value);
    return load_manifest(folder_.write("own.toml", text), Library{}).operation.arguments;
  };
  const auto real_of = [](const std::vector<Argument>& arguments) {
    return std::ranges::find_if(
               arguments,
               [](const Argument& one) { return one.kind == ArgumentKind::scalar && one.value; })
        ->real;
  };
  EXPECT_EQ(real_of(scalar("\"1 / sqrt(length)\"")).computed->text(), "1 / sqrt(length)");
  EXPECT_EQ(real_of(scalar("\"0.5 * length\"")).computed->text(), "0.5 * length");
  EXPECT_FALSE(real_of(scalar("\"length / 2\"")).is_used());
  expect_error("type = \"int64\"\nvalue = \"length * 2\"",
               "type = \"float32\"\nvalue = \"1 / sqrt(lenth)\"", line_of("value = \"length"),
               "did you mean 'length'?");
  expect_error("value = \"length * 2\"", "value = \"sqrt(length)\"", line_of("value = \"length"),
               "a value of type int64 is a whole number");
  expect_error("count = \"length\"", "count = \"sqrt(length)\"", line_of("count = \"length"),
               "sqrt gives a real number");
}

TEST_F(ManifestTest, AnImplementationMaySayItsOwnWork) {
  const std::string epoch = "epoch = 3\n";
  const std::string text = changed(epoch, epoch + "flops = \"length * BLOCK * device.sm_count\"\n");
  const Family family = load_manifest(folder_.write("own.toml", text), Library{});
  const OwnWork& own = family.operation.own_work.at("blur/fast");
  EXPECT_EQ(own.flops->text(), "length * BLOCK * device.sm_count");
  EXPECT_FALSE(own.bytes);
  EXPECT_NE(error_of(changed(epoch, epoch + "bytes = \"length * BLOK\"\n")).find("'BLOCK'?"),
            std::string::npos);
}

TEST_F(ManifestTest, ReadsFillsWithAnOrder) {
  const std::string shape =
      "kind = \"array\"\ncapacity = 33\ncount = \"taps\"\nfill = { kind = "
      "\"constant\", value = 0.5 }";
  const auto with = [&](const std::string& type, const std::string& fill) {
    return changed(shape, "type = \"" + type + "\"\ncount = \"taps\"\nfill = " + fill);
  };
  const auto read_fill = [&](const std::string& type, const std::string& fill) {
    return read(with(type, fill)).operations.at(0).arguments.at(1);
  };
  const Argument offsets = read_fill("int32", "{ kind = \"offsets\", high = \"4 * taps\" }");
  EXPECT_EQ(offsets.fill.kind, Fill::Kind::offsets);
  EXPECT_EQ(offsets.fill.low, 0);
  EXPECT_EQ(offsets.computed_fill.high->text(), "4 * taps");
  EXPECT_EQ(read_fill("uint8", "{ kind = \"permutation\", low = 1 }").fill.low, 1);
  EXPECT_EQ(read_fill("float32", "{ correlation = 8 }").fill.correlation, 8);
  const Argument image =
      read_fill("float64", "{ kind = \"normal\", border = 2, rows = \"taps\", columns = 9 }");
  EXPECT_EQ(image.fill.border, 2);
  EXPECT_EQ(image.computed_fill.rows->text(), "taps");
  EXPECT_EQ(image.fill.columns, 9);

  const auto expect = [&](const std::string& type, const std::string& fill,
                          const std::string& part) {
    const std::string message = error_of(with(type, fill));
    EXPECT_NE(message.find(part), std::string::npos) << fill << message;
  };
  expect("int32", "{ kind = \"offsets\" }", "'fill' lacks 'high'");
  expect("float32", "{ kind = \"offsets\", high = 4 }", "'offsets', which are integers");
  expect("int8", "{ kind = \"offsets\", high = 400 }", "'high' is 400, which int8 cannot hold");
  expect("uint8", "{ kind = \"offsets\", low = -1, high = 4 }", "'low' is below 0");
  expect("int32", "{ kind = \"offsets\", low = 5, high = 4 }", "must be at most 'high', 4");
  expect("int32", "{ kind = \"offsets\", high = 4.5 }", "cannot be filled with fractions");
  expect("int32", "{ kind = \"permutation\", high = 4 }", "'high' does not go with this kind");
  expect("int32", "{ kind = \"permutation\", border = 4 }", "'border' does not go with this kind");
  expect("float32", "{ correlation = 0 }", "'correlation' is 0 and must be at least 1");
  expect("float32", "{ correlation = 1.5 }", "'correlation' is 1.5 and must be a whole number");
  expect("float32", "{ correlation = 1e300 }",
         "'correlation' is 1e+300 and must be a whole number");
  expect("float32", "{ border = 1, rows = 1, columns = 1099511627777 }",
         "'columns' is 1099511627777 and");
  expect("complex64", "{ correlation = 2 }", "complex64 cannot be correlated");
  expect("int32", "{ kind = \"integers\", low = 0, high = 1, correlation = 2 }",
         "does not go with");
  expect("float32", "{ border = 2, rows = 3 }", "'fill' lacks 'columns'");
  expect("float32", "{ border = 2, rows = 0, columns = 3 }", "'border' needs 'rows' and 'columns'");
  expect("float32", "{ border = -1, rows = 1, columns = 3 }", "'border' is -1");
  expect("float32", "{ rows = 3 }", "'rows' does not go with a fill without 'border'");
  expect("float32", "{ columns = 3 }", "'columns' does not go with a fill without");
}

// Attention's masks are -inf.
TEST_F(ManifestTest, AConstantFillMayBeInfinite) {
  const auto filled = [&](const std::string& value) {
    return changed("fill = { kind = \"constant\", value = 0.5 }",
                   "fill = { kind = \"constant\", value = " + value + " }");
  };
  const Fill fill = read(filled("-inf")).operations.at(0).arguments.at(1).fill;
  EXPECT_EQ(fill.low, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(fill.low, fill.high);
  EXPECT_EQ(fill_error(fill, ElementType::float16), std::nullopt);
  EXPECT_EQ(fill_error(fill, ElementType::float8_e4m3), "float8_e4m3 has no infinity");
  EXPECT_NE(fill_error(fill, ElementType::int32), std::nullopt);
  expect_error("value = 0.5 }", "value = nan }", line_of("fill = { kind"), "must be finite");
}

TEST_F(ManifestTest, AnExpressionMayBeTrueOrFalse) {
  const auto compiled_in = [&](const std::string& value) {
    return read(changed("values = [64, 128]", "values = [64, 128]\ncompiled_in = " + value))
        .implementations.at(0)
        .parameters.at(0)
        .compiled_in.text();
  };
  EXPECT_EQ(compiled_in("false"), compiled_in("0"));
  EXPECT_EQ(compiled_in("true"), compiled_in("1"));
}

}  // namespace
}  // namespace tilewright
