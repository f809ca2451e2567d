#include "tools/print/terminal.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "tools/print/progress.hpp"
#include "tools/print/text.hpp"

namespace tilewright::tools {
namespace {

TEST(CountsText, SaysWhatIsLeftOfAllOrOfTheTimeLimit) {
  EXPECT_EQ(counts_text({500, 0, 7, 0}, 5), "7/500  1.4/s  5 min 52 s left");
  EXPECT_EQ(counts_text({500, 0, 7, 7}, 5), "7/500  1.4/s  2.0 s left");
  EXPECT_EQ(counts_text({500, 0, 7, 4}, 5), "7/500  1.4/s  0.0 s left");
  EXPECT_EQ(counts_text({500, 488, 498, 60}, 5), "498/500  2.0/s  1.0 s left");
  EXPECT_EQ(counts_text({500, 7, 7, 7}, 5), "7/500");
}

// A line of 80 characters stands in three rows of a window that is 30 wide now.
TEST(ClearLine, TakesAllRowsThatALineHasInANarrowerWindow) {
  EXPECT_EQ(clear_line(79, 80), "\r\033[K");
  EXPECT_EQ(clear_line(0, 80), "\r\033[K");
  EXPECT_EQ(clear_line(80, 30), "\r\033[2A\033[J");
  EXPECT_EQ(clear_line(80, 40), "\r\033[1A\033[J");
}

TEST(PrintWrapped, AnEmptyTextIsNoLine) {
  std::ostringstream out;
  print_wrapped(out, "  ", "");
  EXPECT_EQ(out.str(), "");
}

TEST(VisibleStream, ShowsWhatATerminalWouldObey) {
  std::ostringstream out;
  {
    const VisibleStream visible(out);
    out << "a\x1b[2J\tb\r\n" << 'c' << '\x07';
  }
  EXPECT_EQ(out.str(), "a\\x1b[2J\tb\\x0d\nc\\x07");
  out << '\r';
  EXPECT_EQ(out.str().back(), '\r') << "no longer filtered";
}

TEST(VisibleStream, PutsCharactersTogetherThatComeInParts) {
  std::ostringstream out;
  const VisibleStream visible(out);
  for (const char c : std::string("µs \xC2\x9B \xE2\x80\xA8 漢")) out << c;
  out.flush();
  EXPECT_EQ(out.str(), "µs \\x9b \\u2028 漢");
  out << "\xE6\xBC" << std::flush << "x";
  EXPECT_EQ(out.str(), "µs \\x9b \\u2028 漢\\xe6\\xbcx");
}

TEST(VisibleStream, LetsThroughWhatIsMeantAsItIs) {
  std::ostringstream out;
  {
    const VisibleStream visible(out);
    out << "\x1b";
    write_as_is(out, "\r\x1b[K");
    out << "\x1b";
  }
  write_as_is(out, "\x1b");
  EXPECT_EQ(out.str(), "\\x1b\r\x1b[K\\x1b\x1b");
}

// A disk that is full.
class Refuses final : public std::streambuf {};

TEST(VisibleStream, PassesErrorsOn) {
  Refuses full;
  std::ostream out(&full);
  const VisibleStream visible(out);
  out << "text";
  EXPECT_FALSE(out);
  out.clear();
  write_as_is(out, "text");
  EXPECT_FALSE(out);
}

TEST(Table, CellsStayOnTheirLine) {
  Table table({"device", "time"});
  table.add({"H200\n\x1b[1A", "5 µs"});
  EXPECT_EQ(table.lines().at(1), "H200\\x0a\\x1b[1A  5 µs");
}

TEST(Report, EveryMomentHasAText) {
  for (const std::int64_t since : {INT64_MIN, std::int64_t{-1}, std::int64_t{1}, INT64_MAX}) {
    EXPECT_EQ(date_text(since), "an unknown date");
    EXPECT_FALSE(age_text(since).empty());
  }
  EXPECT_EQ(age_text(1), "at an unknown time");
  EXPECT_EQ(date_text(86'400), "1970-01-02 00:00");
  EXPECT_EQ(date_text(253'402'300'799), "9999-12-31 23:59");
}

TEST(Table, LosesColumnsAndBreaksTheLastWhereALineIsTooLong) {
  Table table({"name", "size", "about"}, {1});
  table.may_lose({1});
  table.add({"a", "12345678", "one two three four five six seven"});
  EXPECT_EQ(table.lines().back(), "a     12345678  one two three four five six seven");
  EXPECT_EQ(table.lines(40).back(), "a     one two three four five six seven");
  EXPECT_EQ(table.lines(24).back(), "a     one two three four\n      five six seven");
  for (const std::string& line : table.lines(10)) EXPECT_LE(width_of(line), 10U) << line;
}

TEST(VisibleStream, WritesAsciiWhereTheLocaleHasNothingElse) {
  std::ostringstream out;
  {
    const VisibleStream visible(out, Characters::ascii);
    out << "50.3 µs ≤ 1 … 漢";
    write_as_is(out, "{\"a\":\"µ\"}");
  }
  EXPECT_EQ(out.str(), "50.3 us <= 1 ... \\u6f22{\"a\":\"µ\"}");
}

TEST(Progress, ABarIsAsWideAsItIs) {
  EXPECT_EQ(bar_text(0, 500, 10), "[..........]");
  EXPECT_EQ(bar_text(250, 500, 10), "[#####.....]");
  EXPECT_EQ(bar_text(600, 500, 10), "[##########]");
  EXPECT_EQ(bar_text(0, 0, 4), "[####]");
}

}  // namespace
}  // namespace tilewright::tools
