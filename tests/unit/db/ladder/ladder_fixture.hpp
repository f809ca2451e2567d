#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "db/ladder/ladder.hpp"

// A question about an operation with two implementations, and rows that may answer it.
namespace tilewright::test {

inline Expression parsed(const std::string& text) {
  return Expression::parse(text);
}

inline Operation scale_operation() {
  Operation operation;
  operation.name = "scale";
  operation.dimensions = {{"n", "", 64, 64}};
  Argument data;
  data.name = "data";
  data.count = parsed("n");
  operation.arguments = {data};
  return operation;
}

inline Implementation implementation(const std::string& name) {
  Implementation one;
  one.name = name;
  one.operation = "scale";
  one.parameters = {{"BLOCK", "", {32, 64, 128}, 32, std::nullopt},
                    {"UNROLL", "", {1, 2}, 1, std::nullopt}};
  one.constraints = {{parsed("BLOCK <= n"), "a block has work"},
                     {parsed("BLOCK * UNROLL <= 8 * device.warp_size"), "few registers"}};
  return one;
}

inline Configuration configuration(std::int64_t block, std::int64_t unroll = 1) {
  return {{{"BLOCK", block}, {"UNROLL", unroll}}};
}

// Rows by the step that finds them. Notes what it was asked for.
struct RowsInSteps : RowSource {
  std::vector<BestRow> exact_rows, shipped_rows, unfinished_rows, near_rows;
  std::vector<PortableRow> portable_rows;
  std::string why_not;  // of the exact ones
  std::vector<std::string> asked;

  RowsRead<BestRow> exact(const LadderQuestion&) override {
    asked.emplace_back("exact");
    return {exact_rows, why_not};
  }
  RowsRead<const BestRow*> shipped(const LadderQuestion&) override {
    asked.emplace_back("shipped");
    RowsRead<const BestRow*> read;
    for (const BestRow& row : shipped_rows) read.rows.push_back(&row);
    return read;
  }
  RowsRead<BestRow> unfinished(const LadderQuestion&) override {
    asked.emplace_back("unfinished");
    return {unfinished_rows};
  }
  RowsRead<std::shared_ptr<const BestRow>> near(const LadderQuestion&) override {
    asked.emplace_back("near");
    RowsRead<std::shared_ptr<const BestRow>> read;
    for (const BestRow& row : near_rows) read.rows.push_back(std::make_shared<const BestRow>(row));
    return read;
  }
  RowsRead<PortableRow> portable(const LadderQuestion&) override {
    asked.emplace_back("portable");
    return {portable_rows};
  }
};

class LadderTest : public testing::Test {
 protected:
  LadderTest() {
    device_.name = "GPU";
    device_.l2_bytes = 50 << 20;
    question_ = {&operation_, {&plain_, &wide_}, {"scale", {{"n", 4096}}}, device_, {}};
  }

  BestRow row(const std::string& name, const Configuration& best, double median_us,
              CachePolicy cache = CachePolicy::robust) const {
    BestRow row;
    row.implementation = name;
    row.configuration = best;
    row.trial.timing = Timing{{median_us}, median_us, median_us, median_us, median_us, 1, 0};
    row.policy.cache = cache;
    row.problem = question_.problem;
    row.device = device_;
    return row;
  }

  const Operation operation_ = scale_operation();
  const Implementation plain_ = implementation("plain");
  const Implementation wide_ = implementation("wide");
  Device device_;
  LadderQuestion question_;
};

}  // namespace tilewright::test
