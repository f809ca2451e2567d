#include "tuner/verify/checked_problem.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/verify/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

PlannedBuffer scalar(const std::string& name) {
  PlannedBuffer buffer = make_buffer(name, 0, ElementType::int32);
  buffer.kind = ArgumentKind::scalar;
  buffer.has_value = true;
  buffer.value = 7;
  return buffer;
}

// x is an input, y an inout, z an output, n a scalar, and w an array of up to 4 elements.
class Samples : public OperandData {
 public:
  Samples() : OperandData(buffers(), 1) {}
  using OperandData::set_before;

 private:
  static std::vector<PlannedBuffer> buffers() {
    PlannedBuffer array = make_buffer("w", 2);
    array.kind = ArgumentKind::array;
    array.capacity = 4;
    return {make_buffer("x", 8), make_buffer("y", 8, ElementType::float32, ArgumentRole::inout),
            make_buffer("z", 8, ElementType::float32, ArgumentRole::output), scalar("n"), array};
  }
};

std::string message_of(const auto& judge) {
  try {
    judge();
    return "";
  } catch (const TrialError& error) {
    return std::string(to_text(error.failure().outcome)) + ": " + error.what();
  } catch (const MachineError& error) {
    return error.what();
  }
}

std::vector<std::uint8_t> values_of(const OperandData& operands, std::size_t argument) {
  const std::span<const std::byte> values = operands.call({}).arguments[argument].values;
  const auto* const first = reinterpret_cast<const std::uint8_t*>(values.data());
  return {first, first + values.size()};
}

TEST(CheckedProblem, ArgumentsHaveWhatIsPassedByValue) {
  Samples samples;
  EXPECT_TRUE(samples.is_input(0));
  EXPECT_TRUE(samples.is_written(1));
  EXPECT_TRUE(samples.is_written(2));
  EXPECT_FALSE(samples.is_buffer(3));
  EXPECT_TRUE(samples.before()[2].empty());
  EXPECT_EQ(samples.bytes_of(0), 32);
  EXPECT_EQ(values_of(samples, 0), samples.before()[0]);
  EXPECT_TRUE(values_of(samples, 1).empty()) << "an inout goes by its address";
  EXPECT_EQ(from_bytes<std::int32_t>(values_of(samples, 3)), (std::vector<std::int32_t>{7}));
  EXPECT_EQ(values_of(samples, 4).size(), 16U) << "the whole capacity";
  const std::vector<std::uint8_t> others(32, 1);
  samples.set_before(0, others);
  EXPECT_EQ(values_of(samples, 0), others);
}

TEST(CheckedProblem, DamageIsNamedByItsPlace) {
  std::vector<std::uint8_t> guard(16, kGuardByte);
  const GuardZone zone{"z", -16, 32, guard};
  EXPECT_EQ(message_of([&] { judge_guard(zone, ""); }), "");
  guard[12] = 0;
  EXPECT_EQ(message_of([&] { judge_guard(zone, " on N=8"); }),
            "wrote_out_of_bounds: wrote outside z: changed the byte at offset -4 of its 32 bytes "
            "on N=8");
  const Samples samples;
  std::vector<std::uint8_t> after = samples.before()[0];
  EXPECT_EQ(message_of([&] { judge_input(samples, 0, after, ""); }), "");
  ++after[5];
  EXPECT_EQ(message_of([&] { judge_input(samples, 0, after, ""); }),
            "wrote_out_of_bounds: changed the input x at byte 5");
}

TEST(CheckedProblem, OutputsAreComparedWithWhatAKernelLeft) {
  const Samples samples;
  std::vector<std::uint8_t> left = to_bytes(std::vector<float>(8, 2));
  const BytesOf bytes_of = [&](std::size_t) { return std::span<const std::uint8_t>(left); };
  const RightAnswers answers{{}, kernel_answers(samples, bytes_of, 8, 1)};
  ASSERT_EQ(answers.outputs.size(), 2U);
  Verification sum;
  judge_outputs(samples, answers, bytes_of, "", sum);
  EXPECT_EQ(sum.outputs_checked, 16);
  left = to_bytes(std::vector<float>(8, 3));
  const std::string message =
      message_of([&] { judge_outputs(samples, answers, bytes_of, " on N=8", sum); });
  EXPECT_TRUE(message.starts_with("wrong_answer: y[0] is 3; expected 2")) << message;
  EXPECT_TRUE(message.ends_with(" on N=8")) << message;
}

TEST(CheckedProblem, AWorkspaceServesTheNextCallToo) {
  LaunchPlan plan;
  int calls = 0;
  Verification sum;
  const auto run = [&](Verification& result) {
    result.worst_error = ++calls == 1 ? 5 : 2;
    ++result.outputs_checked;
  };
  plan.workspace_bytes = 4;
  run_on_used_workspace(plan, sum, run);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(sum.outputs_checked, 1) << "the first call does not count";
  plan = {};
  plan.prepared_bytes = 4;
  run_on_used_workspace(plan, sum, run);
  EXPECT_EQ(calls, 4);
}

TEST(CheckedProblem, IgnoredOutputsHaveNoRightAnswers) {
  SessionProblem problem;
  const auto both = [] {
    std::vector<Expected> outputs(2);
    outputs[0].argument = 1;
    outputs[1].argument = 2;
    return outputs;
  };
  EXPECT_EQ(right_answers(problem, Samples(), CheckLimits{}, 1, both).outputs.size(), 2U);
  problem.reference.comparison.ignored = {"y"};
  const RightAnswers answers = right_answers(problem, Samples(), CheckLimits{}, 1, both);
  ASSERT_EQ(answers.outputs.size(), 1U);
  EXPECT_EQ(answers.outputs[0].argument, 2);
}

TEST(CheckedProblem, FailedKernelsOfTheAuthorNameTheProblem) {
  SessionProblem problem;
  problem.problem.operation = "copy";
  problem.problem.values = {{"N", 8}};
  problem.buffers = Samples().plan();
  problem.fills.emplace_back();
  const auto fails = [](const auto&...) -> std::vector<Expected> {
    throw TrialError(Outcome::launch_failed, "no");
  };
  EXPECT_EQ(message_of([&] { run_fills(problem, fails, [](std::size_t) {}); }),
            "the kernel that fills 'x' of copy failed (N=8): no");
  EXPECT_EQ(message_of([&] { right_answers(problem, Samples(), CheckLimits{}, 1, fails); }),
            "the reference kernel of copy failed (N=8): no");
  EXPECT_EQ(label_of(0, problem), "");
  EXPECT_EQ(label_of(1, problem), " on N=8");
}

}  // namespace
}  // namespace tilewright
