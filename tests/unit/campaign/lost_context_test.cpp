#include <gtest/gtest.h>

#include "tilewright/error.hpp"
#include "tuner/machine/machine.hpp"

namespace tilewright::test {
namespace {

// Loads anything; checking it ends as told.
class SessionThatFails final : public Evaluator {
 public:
  explicit SessionThatFails(Outcome outcome) : outcome_(outcome) {}
  void open(const SessionPlan&) override {}
  Attempt<Resources> load(const KernelPlan&) override { return Resources{}; }
  Attempt<Verification> verify() override { return Failure{outcome_, "address 0x10"}; }
  Attempt<Timing> sample(const SampleRequest&) override { return Timing{}; }

 private:
  Outcome outcome_;
};

TEST(LostContext, IsUsedNoMoreAfterAFault) {
  const auto context = until_context_is_lost(std::make_unique<SessionThatFails>(Outcome::faulted));
  EXPECT_TRUE(context->load({}).ok());
  EXPECT_EQ(context->verify().failure().outcome, Outcome::faulted) << "the trial is told";
  EXPECT_THROW(context->open({}), MachineError);
  try {
    context->load({});
    FAIL() << "loaded into a lost context";
  } catch (const MachineError& error) {
    EXPECT_NE(std::string(error.what()).find("address 0x10"), std::string::npos) << error.what();
  }
}

TEST(LostContext, OutlivesOtherFailures) {
  const auto context =
      until_context_is_lost(std::make_unique<SessionThatFails>(Outcome::wrong_answer));
  EXPECT_TRUE(context->load({}).ok());
  EXPECT_FALSE(context->verify().ok());
  EXPECT_TRUE(context->load({}).ok());
}

}  // namespace
}  // namespace tilewright::test
