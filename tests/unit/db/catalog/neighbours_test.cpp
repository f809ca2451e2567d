#include "db/catalog/neighbours.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "tests/unit/db/ladder/ladder_fixture.hpp"

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
  Positions near(std::vector<SubjectList::Row> measured) const {
    for (std::size_t i = 0; i < measured.size(); ++i)
      measured[i].problem_id = static_cast<std::int64_t>(i);
    NearbySubjects nearby(operation_with_classes_, {{device_, related_}, std::move(measured)});
    const Positions found = positions(nearby);
    EXPECT_EQ(positions(nearby), found) << "once more";
    return found;
  }
  Positions positions(NearbySubjects& nearby) const {
    const Problem asked{"scale", {{"n", 1000}, {"pitch", 64}}};
    Positions found;
    for (const SubjectList::Row& row : nearby.near(operation_with_classes_, asked, device_))
      found.push_back(static_cast<std::size_t>(row.problem_id));
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
  EXPECT_EQ(near({{text(6000), 0},
                  {text(5000), 0},
                  {text(4000), 0},
                  {text(3000), 0},
                  {text(2000), 0},
                  {text(1999), 1}}),
            (Positions{4, 3, 2, 1, 5}));
}

TEST_F(Neighbours, OfAnotherClassIsNoNeighbourAndTakesNoPlace) {
  EXPECT_EQ(near({{text(1000, 63), 0},
                  {text(1100, 62), 0},
                  {text(1200), 0},
                  {text(1300), 0},
                  {text(1400), 0},
                  {text(1450, 61), 0},
                  {text(1500), 0},
                  {text(1600), 0}}),
            (Positions{2, 3, 4, 6}));
}

TEST_F(Neighbours, EquallyNearOnesKeepTheirOrder) {
  EXPECT_EQ(near({{text(2000), 0}, {text(500), 0}, {text(2000), 0}}), (Positions{0, 1, 2}));
}

// Every one of them, placed whole and held against the question.
TEST_F(Neighbours, AreThoseThatDistancesSay) {
  const std::vector<Device> devices = {device_, related_};
  const auto asked =
      Place::of(operation_with_classes_, {"scale", {{"n", 1000}, {"pitch", 64}}}, device_);
  std::vector<SubjectList::Row> measured;
  std::vector<std::pair<double, std::size_t>> expected[2];
  std::mt19937 random(7);
  for (std::size_t i = 0; i < 400; ++i) {
    const Settings settings{{"n", static_cast<std::int64_t>(1 + random() % 40'000)},
                            {"pitch", static_cast<std::int64_t>(60 + random() % 8)}};
    const std::size_t device = random() % 2;
    measured.push_back({canonical_json(settings), device});
    const auto there = Place::of(operation_with_classes_, {"scale", settings}, devices[device]);
    if (!there->is_same_class(*asked)) continue;
    const double distance =
        *ladder::distance_between(devices[device], device_) + there->distance_to(*asked);
    if (distance <= ladder::farthest) expected[device].emplace_back(distance, i);
  }
  Positions nearest;
  for (auto& sort : expected) {
    std::sort(sort.begin(), sort.end());
    for (std::size_t i = 0; i < 4; ++i) nearest.push_back(sort.at(i).second);
  }
  EXPECT_EQ(near(measured), nearest);
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
