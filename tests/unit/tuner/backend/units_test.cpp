#include "tuner/backend/units.hpp"

#include <gtest/gtest.h>

#include "tuner/backend/evaluator.hpp"

namespace tilewright {
namespace {

using Bytes = std::vector<std::uint8_t>;

CompileRequest unit(const std::string& name, std::vector<std::string> entries) {
  CompileRequest request;
  request.unit = name;
  request.entries = std::move(entries);
  return request;
}

CompileRequest two_units() {
  CompileRequest request = unit("", {"first"});
  request.units = {unit("low", {"second", "third"})};
  return request;
}

// Code that has the unit's first entry as its text, and the same symbol for every entry.
CompileResult compiled(const CompileRequest& request) {
  EXPECT_TRUE(request.units.empty());
  CompileResult result;
  const std::string text = request.entries.front();
  result.code.assign(text.begin(), text.end());
  result.code_hash = "hash of " + text;
  result.milliseconds = 2;
  if (!request.unit.empty()) result.log = "info: " + request.unit;
  for (const std::string& entry : request.entries) result.entries[entry] = {"symbol", {}};
  return result;
}

std::string text_of(CodeBytes bytes) {
  return {bytes.begin(), bytes.end()};
}

template <class Work>
std::string refusal(const Work& work) {
  try {
    work();
  } catch (const TrialError& error) {
    EXPECT_EQ(error.failure().outcome, Outcome::launch_failed);
    return error.what();
  }
  return "no error";
}

TEST(Units, OneIsAsItWas) {
  const CompileResult result = compile_units(unit("low", {"first"}), compiled);
  EXPECT_EQ(text_of(result.code), "first");
  EXPECT_EQ(result.code_hash, "hash of first");
  EXPECT_EQ(result.log, "info: low");
  EXPECT_EQ(result.entries.at("first").symbol, "symbol");
  const std::vector<CodeBytes> units = units_of(result.code);
  ASSERT_EQ(units.size(), 1U);
  EXPECT_EQ(units[0].data(), result.code.data());
  const UnitSymbol found = find_unit("3:x", 1);  // of code that a compiler made
  EXPECT_EQ(found.unit, 0U);
  EXPECT_EQ(found.name, "3:x");
}

TEST(Units, SymbolsAreThoseOfTheirUnits) {
  const CompileResult result = compile_units(two_units(), compiled);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.milliseconds, 4);
  EXPECT_EQ(result.log, "unit low:\ninfo: low\n");
  EXPECT_EQ(result.code_hash.size(), 32U);
  const std::vector<CodeBytes> units = units_of(result.code);
  ASSERT_EQ(units.size(), 2U);
  EXPECT_EQ(text_of(units[0]), "first");
  EXPECT_EQ(text_of(units[1]), "second");
  EXPECT_EQ((units[1].data() - result.code.data()) % 16, 0);
  const UnitSymbol third = find_unit(result.entries.at("third").symbol, units.size());
  EXPECT_EQ(third.unit, 1U);
  EXPECT_EQ(third.name, "symbol");
  EXPECT_EQ(find_unit(result.entries.at("first").symbol, units.size()).unit, 0U);
}

// Units may have variables of one name.
TEST(Units, VariablesHaveTheNamesOfTheirUnits) {
  const auto with_constant = [](const CompileRequest& request) {
    CompileResult result = compiled(request);
    for (const std::string& constant : request.constants)
      result.entries['&' + constant] = {"d_filter", {}};
    return result;
  };
  CompileRequest request = two_units();
  request.constants = request.units[0].constants = {"d_filter"};
  const CompileResult both = compile_units(request, with_constant);
  EXPECT_EQ(both.entries.at("&d_filter").symbol, "0:d_filter");
  EXPECT_EQ(both.entries.at("&d_filter of unit low").symbol, "1:d_filter");
  const CompileResult one = compile_units(request.units[0], with_constant);
  EXPECT_EQ(one.entries.at("&d_filter of unit low").symbol, "d_filter");
  EXPECT_FALSE(one.entries.contains("&d_filter"));
}

// Of launches with macros of their own, which may have one entry.
TEST(Units, KernelsHaveTheNamesOfTheirLaunches) {
  CompileRequest request = unit("launch 1", {"reduce"});
  request.units = {unit("launch 2", {"reduce"})};
  const CompileResult both = compile_units(request, compiled);
  EXPECT_EQ(both.entries.at("reduce of launch 1").symbol, "0:symbol");
  EXPECT_EQ(both.entries.at("reduce of launch 2").symbol, "1:symbol");
  EXPECT_TRUE(compile_units(request.units[0], compiled).entries.contains("reduce of launch 2"));
}

TEST(Units, TheHashFollowsEachUnit) {
  CompileRequest other = two_units();
  other.units[0].entries.front() = "another";
  EXPECT_EQ(compile_units(two_units(), compiled).code_hash,
            compile_units(two_units(), compiled).code_hash);
  EXPECT_NE(compile_units(two_units(), compiled).code_hash,
            compile_units(other, compiled).code_hash);
}

TEST(Units, TheFirstThatFailsIsTheResult) {
  int calls = 0;
  const CompileResult result = compile_units(two_units(), [&](const CompileRequest& one) {
    CompileResult failed = compiled(one);
    if (++calls < 2) return failed;
    failed.outcome = Outcome::compile_timed_out;
    failed.log = "too large";
    failed.milliseconds = 0;  // no compiler answered
    return failed;
  });
  EXPECT_EQ(result.outcome, Outcome::compile_timed_out);
  EXPECT_EQ(result.log, "unit low:\ntoo large\n");
  EXPECT_EQ(result.milliseconds, 0);
  EXPECT_TRUE(result.code.empty());
  EXPECT_TRUE(result.code_hash.empty());
  EXPECT_TRUE(result.entries.empty());
}

TEST(Units, TextsFollowEachOther) {
  const CompileResult result = compile_units_to_text(two_units(), compiled);
  EXPECT_EQ(text_of(result.code), "// the implementation's own unit\nfirst\n// unit low\nsecond");
  EXPECT_EQ(text_of(compile_units_to_text(unit("", {"first"}), compiled).code), "first");
}

// A bundle may be damaged on purpose.
TEST(Units, RefusesSizesThatAreNotThoseOfTheCode) {
  const std::string damaged = "the code of several units is damaged";
  const Bytes good = join_units({{1, 2, 3}, {}, {4}});
  ASSERT_EQ(units_of(good).size(), 3U);
  for (std::size_t size = 16; size < good.size(); ++size)
    EXPECT_EQ(refusal([&] { units_of(CodeBytes(good).first(size)); }), damaged) << size;
  Bytes longer = good;
  longer.push_back(0);
  EXPECT_EQ(refusal([&] { units_of(longer); }), damaged);
  for (std::size_t place = 16; place < 48; ++place)
    for (const std::uint8_t value : Bytes{0x7F, 0x80, 0xFF}) {
      Bytes forged = good;
      forged[place] = value;
      EXPECT_EQ(refusal([&] { units_of(forged); }), damaged) << place;
    }
}

TEST(Units, RefusesSymbolsOfUnitsThatAreNotThere) {
  for (const char* symbol : {"2:x", "x", ":x", "-1:x", "", "1", "99999999999999999999999:x"})
    EXPECT_EQ(refusal([&] { find_unit(symbol, 2); }),
              "the code has no unit for the symbol '" + std::string(symbol) + "'");
}

}  // namespace
}  // namespace tilewright
