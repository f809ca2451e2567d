#include <gtest/gtest.h>

#include "db/records/answer_rows.hpp"
#include "tools/print/text.hpp"

namespace tilewright::tools {
namespace {

TEST(Rate, IsThatOfTheOperationUnlessTheImplementationSaysMore) {
  Operation operation;
  operation.flops = Expression::parse("2 * n");
  operation.bytes = Expression::parse("8 * n");
  operation.own_work["mean/padded"] = {Expression::parse("n * BLOCK"), {}};
  operation.own_work["mean/broken"] = {Expression::parse("n / GONE"), {}};
  BestRow row;
  row.problem = {"mean", {{"n", 1000}}};
  row.configuration.values = {{"BLOCK", 64}};
  row.trial.timing.emplace();
  const auto rate_after = [&](double us) {
    row.trial.timing->median_us = us;
    return rate_of(operation, call_of(row));
  };
  row.implementation = "mean/plain";
  EXPECT_EQ(rate_after(1).gflops, 2);
  EXPECT_EQ(rate_after(1).gigabytes, 8);
  row.implementation = "mean/padded";
  EXPECT_EQ(rate_after(1).gflops, 64);
  EXPECT_EQ(rate_after(2).gigabytes, 4);
  EXPECT_EQ(rate_after(0).gflops, 0);
  row.implementation = "mean/broken";  // a row of older definitions
  EXPECT_EQ(rate_after(1).gflops, 0);
}

}  // namespace
}  // namespace tilewright::tools
