// A kernel and a routine of a library in one sweep.
#include "tests/unit/tuner/sweep/sweep_fixture.hpp"
#include "tuner/sweep/run/sweep.hpp"

namespace tilewright::test {
namespace {

class SweepOfRoutines : public SweepTest {
 protected:
  SweepOfRoutines() {
    routine_.name = "library";
    routine_.operation = "copy";
    routine_.routine = "lib";
    routine_.parameters = {CopyDefinition::parameter("WAYS", {100, 200, 300}, 100),
                           CopyDefinition::parameter("BYTES", {0, 4096}, 0)};
    routine_.workspace.bytes = Expression::parse("BYTES");
    copy.request.implementations.push_back(&routine_);
    evaluator.on_list = [this](const PlannedRoutine& asked) {
      asked_ = asked;
      return RoutineList{{{{"WAYS", 100}, {"BYTES", 0}},
                          {{"WAYS", 300}, {"BYTES", 4096}},
                          {{"WAYS", 7}, {"BYTES", 0}}},
                         ""};
    };
  }

  SweepSummary sweep() {
    std::vector<Space> spaces = build_spaces(copy.request);
    EXPECT_TRUE(spaces[1].is_open);
    list_routines(copy.request, {"", 0, &evaluator, nullptr}, spaces);
    space_ = spaces[1];
    return test::run_sweep(copy.request, spaces, compilers, evaluator, recorder, stop);
  }

  std::vector<Trial> trials_of(Stage stage) const {
    std::vector<Trial> all;
    for (const Trial& trial : recorder.trials)
      if (trial.implementation == "copy/library" && trial.stage == stage) all.push_back(trial);
    return all;
  }

  Implementation routine_;
  PlannedRoutine asked_;
  Space space_;
};

TEST_F(SweepOfRoutines, TriesWhatTheLibraryListsWithoutACompile) {
  const SweepSummary summary = sweep();
  EXPECT_EQ(asked_, (PlannedRoutine{"lib", {{"N", 1000}, {"out", "float32"}}, {"out"}}));
  ASSERT_EQ(space_.cuts.size(), 1u);
  EXPECT_EQ(space_.cuts[0].rule, "the library's WAYS is not among the manifest's values");
  EXPECT_EQ(summary.candidates, 8u);
  const std::vector<Trial> screened = trials_of(Stage::screen);
  ASSERT_EQ(screened.size(), 2u);
  for (const Trial& trial : screened) EXPECT_EQ(trial.outcome, Outcome::measured);
  for (const CompileRequest& request : compilers.requests) EXPECT_NE(request.compiler, kNoCompiler);
  EXPECT_EQ(trials_of(Stage::final).size(), 2u);
}

TEST_F(SweepOfRoutines, ARoutineThatFailsIsATrial) {
  evaluator.on_verify = [](std::int64_t ways) -> Attempt<Verification> {
    if (ways == 300) return Failure{Outcome::wrong_answer, "off by one"};
    return Verification{};
  };
  sweep();
  EXPECT_EQ(recorder.count(Outcome::wrong_answer), 1u);
  EXPECT_EQ(trials_of(Stage::final).size(), 1u);
}

TEST_F(SweepOfRoutines, WithoutAConfigurationTheOthersAreTried) {
  evaluator.on_list = [](const PlannedRoutine&) { return RoutineList{{}, "no such types"}; };
  EXPECT_EQ(sweep().candidates, 6u);
  EXPECT_EQ(space_.cuts.at(0).rule, "no such types");
  EXPECT_TRUE(trials_of(Stage::screen).empty());
}

}  // namespace
}  // namespace tilewright::test
