#include "tools/convert/quotient.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "definition/expression/expression.hpp"
#include "tilewright/error.hpp"

namespace tilewright::tools {
namespace {

const ManifestNames kNames = {{"x", {"x", 1}}, {"y", {"y", 2}}, {"z", {"z", -1}}};

// Cases that the Python package must translate alike. Labels are its own.
std::vector<nlohmann::json> cases(const char* key) {
  std::ifstream file(TILEWRIGHT_SOURCE_DIR "/tests/definitions/python_expressions.json");
  const nlohmann::json table = nlohmann::json::parse(file);
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& one : table.at(key))
    if (one[0].get<std::string>().find("kind") == std::string::npos) found.push_back(one);
  return found;
}

std::string refusal(const std::string& text) {
  try {
    return "accepted as " + translated(text, kNames).text;
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Quotient, IsWhatTheTableSays) {
  for (const nlohmann::json& one : cases("translated"))
    EXPECT_EQ(translated(one[0].get<std::string>(), kNames).text, one[1]) << one;
}

// The manifest's expression is true for as many configurations as Python's.
TEST(Quotient, MeansWhatPythonMeans) {
  for (const nlohmann::json& one : cases("translated")) {
    const Quotient translation = translated(one[0].get<std::string>(), kNames);
    const auto expression = Expression::parse(translation.text);
    int count = 0;
    for (const std::int64_t x : {1, 2, 4})
      for (const std::int64_t y : {2, 3})
        for (const std::int64_t z : {-1, 0, 1}) {
          const Settings settings = {{"x", x}, {"y", y}, {"z", z}};
          count += expression.is_true(scope_over({&settings})) ? 2 : 0;  // two kinds
        }
    EXPECT_EQ(count, one[2]) << one;
  }
}

TEST(Quotient, RefusesWhatTheTableSays) {
  for (const nlohmann::json& one : cases("refused"))
    EXPECT_NE(refusal(one[0]).find(one[1].get<std::string>()), std::string::npos)
        << one << ' ' << refusal(one[0]);
}

TEST(Quotient, RefusesWhatIsTooMuch) {
  EXPECT_NE(refusal(std::string(20000, 'x')).find("longer than 10000"), std::string::npos);
  for (const char* sign : {"-", "(", "not ", "x + ", "x ** ", "x if x else ", "[", "x[", "x("}) {
    std::string text;
    for (int i = 0; i < 500; ++i) text += sign;
    EXPECT_NE(refusal(text + "x").find("nested"), std::string::npos) << refusal(text + "x");
  }
  EXPECT_NE(refusal("9223372036854775807 * 2").find("64 bits"), std::string::npos);
  EXPECT_NE(refusal("1e30").find("64 bits"), std::string::npos);
  EXPECT_NE(refusal("x == 0.1e-30").find("64 bits"), std::string::npos);
}

TEST(GridExtent, IsRoundedUp) {
  const Quotient size = {"problem_size_x", Binding::atom, 100};
  const Quotient half = translated("x / 2", kNames);
  EXPECT_EQ(grid_extent(size, {}).text, "problem_size_x");
  EXPECT_EQ(grid_extent(size, {half, translated("y", kNames)}).text,
            "ceil_div(problem_size_x * 2, x * y)");
  EXPECT_THROW(grid_extent(size, {translated("z", kNames)}), InputError);
}

}  // namespace
}  // namespace tilewright::tools
