#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "tilewright/error.hpp"
#include "tools/report/report.hpp"

namespace tilewright::tools {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin) + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

constexpr const char* kData = "<script type=\"application/json\" id=\"data\">";

TEST(ReportPage, HasTheDocumentAsItIs) {
  const nlohmann::json document = {{"text", "<b>&amp;</b> \"quoted\" \\ {{nonce}} \xC3\xA9"}};
  const std::string page = report_page(document, inlined_library("var Plotly;"), "abc");
  EXPECT_EQ(nlohmann::json::parse(between(page, kData, "</script>")), document);
}

TEST(ReportPage, IsNotEndedByItsData) {
  const std::string empty = report_page(nullptr, linked_library(), "abc");
  const nlohmann::json hostile = {
      {"a", "</script><script>alert(1)</script>"}, {"b", "<!--<script>"}, {"<img src=x>", 1}};
  const std::string page = report_page(hostile, linked_library(), "abc");
  EXPECT_EQ(count_of(page, "<script"), count_of(empty, "<script"));
  EXPECT_EQ(count_of(page, "</script"), count_of(empty, "</script"));
  EXPECT_EQ(between(page, kData, "</script>").find('<'), std::string::npos);
}

TEST(ReportPage, RunsOnlyScriptsWithItsNonce) {
  const std::string page = report_page(nullptr, inlined_library("var Plotly;"), "abc");
  EXPECT_NE(page.find("default-src 'none'; script-src 'nonce-abc' 'unsafe-eval';"),
            std::string::npos);
  EXPECT_EQ(count_of(page, "<script"), 3u);
  EXPECT_EQ(count_of(page, "<script nonce=\"abc\">"), 2u);
  EXPECT_EQ(page.find("{{"), std::string::npos) << "every mark is replaced";
  EXPECT_EQ(page.find("@nonce@"), std::string::npos);
  EXPECT_NE(new_nonce(), new_nonce());
  EXPECT_TRUE(std::regex_match(new_nonce(), std::regex("[0-9a-f]{32}")));
}

TEST(ReportPage, LinksToTheLibraryWithItsHash) {
  const std::string page = report_page(nullptr, linked_library(), "abc");
  EXPECT_NE(page.find(std::string("src=\"") + kPlotlyUrl + "\" integrity=\"" + kPlotlyHash + '"'),
            std::string::npos);
  EXPECT_NE(std::string(kPlotlyUrl).find(kPlotlyVersion), std::string::npos);
}

TEST(ReportPage, RefusesALibraryThatWouldEndItsElement) {
  EXPECT_THROW(inlined_library("'</script>'"), MachineError);
  EXPECT_THROW(inlined_library("'<!--'"), MachineError);
}

}  // namespace
}  // namespace tilewright::tools
