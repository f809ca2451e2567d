#include <gtest/gtest.h>

#include <algorithm>

#include "db/exchange/exchange.hpp"
#include "tests/unit/db/samples.hpp"

namespace tilewright {
namespace {

BestRow row() {
  BestRow row;
  row.implementation = "gemm/tiled";
  row.trial = test::measured(8, 12.25);
  row.configuration = row.trial.configuration;
  row.problem = test::cube(64);
  row.device = test::h200();
  return row;
}

TEST(ExchangeCsv, HeaderAlone) {
  const std::string text = export_csv({});
  EXPECT_EQ(text.substr(0, 29), "operation,problem,device_kind");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_EQ(text.back(), '\n');
}

TEST(ExchangeCsv, OneLineWithAllColumns) {
  const std::string text = export_csv({row()});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  const auto end = text.find('\n');
  const auto commas = [](const std::string& line) {
    return std::count(line.begin(), line.end(), ',');
  };
  EXPECT_EQ(commas(text.substr(0, end)), commas(text.substr(end)));
  EXPECT_TRUE(test::contains(text,
                             "\ngemm,K=64 M=64 N=64,cuda,NVIDIA H200,90,,132,robust/graph,"
                             "gemm/tiled,TILE_WIDTH=8,12.25,"))
      << text;
}

TEST(ExchangeCsv, QuotesWhereTheyAreNeeded) {
  BestRow quoted = row();
  quoted.device.name = "Card, the \"big\" one";
  quoted.environment.driver = "two\nlines";
  const std::string text = export_csv({quoted});
  EXPECT_TRUE(test::contains(text, ",\"Card, the \"\"big\"\" one\",")) << text;
  EXPECT_TRUE(test::contains(text, ",\"two\nlines\",")) << text;
}

TEST(ExchangeCsv, EmptyFieldsKeepTheirPlace) {
  BestRow empty = row();
  empty.problem = {};
  EXPECT_TRUE(test::contains(export_csv({empty}), "\n,,cuda,")) << export_csv({empty});
}

}  // namespace
}  // namespace tilewright
