// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "db/catalog/neighbours.hpp"

#include "tests/unit/catalog/ladder_fixture.hpp"

namespace tilewright::test {
namespace {

using Positions = std::vector<std::size_t>;

class Neighbours : public LadderTest {
 protected:
  Neighbours() {
    operation_with_classes_ = operation_;
    operation_with_classes_.dimensions.push_back({"pitch", "", 64, 64});
    operation_with_classes_.dimensions.back().role = ProblemRole::none;
    operation_with_classes_.classes = {parsed("pitch % 4 == 0")};
    related_ = device_;
    related_.name = "GPU of more SMs";
    device_.compute_capability = related_.compute_capability = 90;
    device_.sm_count = 100;
    related_.sm_count = 110;
  }

  static std::string text(std::int64_t n, std::int64_t pitch = 64) {
    return canonical_json(Settings{{"n", n}, {"pitch", pitch}});
  }
  Positions near(std::vector<NearbySubjects::Measured> measured, std::size_t most = 4) const {
    NearbySubjects nearby(operation_with_classes_, {device_, related_}, std::move(measured));
    const Problem asked{"scale", {{"n", 1000}, {"pitch", 64}}};
    const Positions found = nearby.near(operation_with_classes_, asked, device_, most);
    EXPECT_EQ(nearby.near(operation_with_classes_, asked, device_, most), found) << "once more";
    return found;
  }

  Operation operation_with_classes_;
  Device related_;
};

TEST_F(Neighbours, OnesOwnDeviceComesFirstThenTheNearest) {
  EXPECT_EQ(near({{text(1000), 1}, {text(3000), 0}, {text(2000), 1}, {text(900), 0}}),
            (Positions{3, 1, 0, 2}));
  EXPECT_EQ(near({{text(1), 0}, {text(1'000'000), 0}}), Positions{}) << "too far";
}

TEST_F(Neighbours, OnlyTheNearestOfEachSortAreNamed) {
  EXPECT_EQ(near({{text(4000), 0}, {text(3000), 0}, {text(2000), 0}, {text(1999), 1}}, 2),
            (Positions{2, 1, 3}));
}

TEST_F(Neighbours, OfAnotherClassIsNoNeighbourAndTakesNoPlace) {
  EXPECT_EQ(near({{text(1000, 63), 0}, {text(1100, 62), 0}, {text(1200), 0}, {text(1300), 0}}, 1),
            Positions{2});
}

TEST_F(Neighbours, EquallyNearOnesKeepTheirOrder) {
  EXPECT_EQ(near({{text(2000), 0}, {text(500), 0}, {text(2000), 0}}), (Positions{0, 1, 2}));
}

TEST_F(Neighbours, WhatIsNoProblemOfTheOperationIsNearNothing) {
  EXPECT_EQ(near({{"", 0},
                  {"{\"n\":1000", 0},
                  {"{\"n\":\"large\",\"pitch\":64}", 0},
                  {"{\"n\":1000}", 0},
                  {"{\"pitch\":64}", 0},
                  {text(1000), 0}}),
            Positions{5});
}

}  // namespace
}  // namespace tilewright::test
