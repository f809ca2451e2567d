#include "tools/input/options.hpp"

#include <gtest/gtest.h>

#include "tilewright/error.hpp"

namespace tilewright::tools {
namespace {

Arguments with_time(const std::string& text) {
  return Arguments::parse({"--limit=" + text}, {{"limit", "TIME", ""}});
}

TEST(Times, AreDecimalNumbersWithAUnit) {
  for (const auto& [text, seconds] :
       {std::pair("90", 90.0), std::pair("90s", 90.0), std::pair("0.2s", 0.2), std::pair(".5", 0.5),
        std::pair("1.5m", 90.0), std::pair("2h", 7200.0), std::pair("0.25h", 900.0),
        std::pair("0.001s", 0.001)})
    EXPECT_DOUBLE_EQ(with_time(text).seconds("limit").value(), seconds) << text;
  EXPECT_EQ(with_time("0.2s").milliseconds("limit"), std::chrono::milliseconds(200));
  EXPECT_FALSE(Arguments().seconds("limit"));
}

TEST(Times, OfOneCallHaveShorterUnits) {
  for (const auto& [text, us] : {std::pair("250", 250.0), std::pair("250us", 250.0),
                                 std::pair("1.5ms", 1500.0), std::pair("0.2s", 200000.0)})
    EXPECT_DOUBLE_EQ(with_time(text).microseconds("limit").value(), us) << text;
}

TEST(Times, OthersAreRefusedInASentenceThatSaysWhatIsAccepted) {
  for (const char* text : {"s", "0", "0s", "-1s", "0.0001s", "1e300h", "nan", "inf", "soon",
                           "1.5.2s", "60x", "60 s", "1,5s", "5ms"}) {
    SCOPED_TRACE(text);
    try {
      with_time(text).seconds("limit");
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), "--limit '" + std::string(text) +
                                  "': give a time such as 90s, 0.5s, 5m or 1h; 90 is in seconds");
    }
    if (std::string_view(text) != "0.0001s" && std::string_view(text) != "5ms") {
      EXPECT_THROW(with_time(text).microseconds("limit"), InputError);
    }
  }
}

}  // namespace
}  // namespace tilewright::tools
