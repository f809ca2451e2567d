#include "tools/input/options.hpp"

#include <gtest/gtest.h>

#include "tilewright/error.hpp"

namespace tilewright::tools {
namespace {

TEST(Times, AreDecimalNumbersWithAUnit) {
  for (const auto& [text, seconds] :
       {std::pair("90", 90.0), std::pair("90s", 90.0), std::pair("0.2s", 0.2), std::pair(".5", 0.5),
        std::pair("1.5m", 90.0), std::pair("2h", 7200.0), std::pair("0.25h", 900.0),
        std::pair("0.001s", 0.001)})
    EXPECT_DOUBLE_EQ(option::seconds("limit", text), seconds) << text;
  EXPECT_EQ(option::milliseconds("limit", "0.2s"), std::chrono::milliseconds(200));
}

TEST(Times, OfOneCallHaveShorterUnits) {
  for (const auto& [text, us] : {std::pair("250", 250.0), std::pair("250us", 250.0),
                                 std::pair("1.5ms", 1500.0), std::pair("0.2s", 200000.0)})
    EXPECT_DOUBLE_EQ(option::microseconds("limit", text), us) << text;
}

TEST(Times, OthersAreRefusedInASentenceThatSaysWhatIsAccepted) {
  for (const char* text : {"s", "0", "0s", "-1s", "0.0001s", "1e300h", "nan", "inf", "soon",
                           "1.5.2s", "60x", "60 s", "1,5s", "5ms"}) {
    SCOPED_TRACE(text);
    try {
      option::seconds("limit", text);
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), "--limit '" + std::string(text) +
                                  "': give a time such as 90s, 0.5s, 5m or 1h; 90 is in seconds");
    }
    if (std::string_view(text) != "0.0001s" && std::string_view(text) != "5ms") {
      EXPECT_THROW(option::microseconds("limit", text), InputError);
    }
  }
}

TEST(Options, GoToTheirPlaces) {
  bool json = false;
  std::string file = "none";
  std::vector<std::string> folders;
  std::optional<int> count;
  std::size_t most = 5;
  std::vector<GivenOption> written;
  Options options;
  options.flag(json, {"json", "", ""});
  options.text(file, {"file", "FILE", "", OptionSpec::Times::once, 'f'});
  options.note_in(written);
  options.texts(folders, {"folder", "FOLDER", ""});
  options.number(count, {.least = 1}, {"count", "N", ""});
  options.stop_noting();
  options.number_or_all(most, 0, {}, {"most", "N|all", ""});
  EXPECT_EQ(options.parse({}), std::vector<std::string>{});
  EXPECT_EQ(file, "none");
  EXPECT_EQ(count, std::nullopt);
  EXPECT_EQ(options.parse({"a", "--count=7", "--folder", "x", "b", "--folder=y", "--json", "-f",
                           "z", "--most", "all", "--", "-c"}),
            (std::vector<std::string>{"a", "b", "-c"}));
  EXPECT_TRUE(json);
  EXPECT_EQ(file, "z");
  EXPECT_EQ(folders, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(count, 7);
  EXPECT_EQ(most, 0U);
  EXPECT_EQ(written, (std::vector<GivenOption>{{"folder", "x"}, {"folder", "y"}, {"count", "7"}}));
}

TEST(Options, AreNotReadBeforeAHelp) {
  int count = 1;
  Options options;
  options.number(count, {"count", "N", ""});
  EXPECT_EQ(options.parse({"--count", "x", "--help"}), std::nullopt);
  EXPECT_EQ(options.parse({"-h", "--count", "2"}), std::nullopt);
  EXPECT_EQ(count, 1);
  EXPECT_THROW(options.parse({"--count", "x"}), InputError);
  EXPECT_THROW(options.parse({"--count", "1", "--count", "1"}), InputError);
  EXPECT_THROW(options.parse({"--count="}), InputError);
  EXPECT_THROW(options.parse({"--cout", "1"}), InputError);
}

}  // namespace
}  // namespace tilewright::tools
