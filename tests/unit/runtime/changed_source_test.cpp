// What answers of results that were measured with another source say.
#include "db/store/store.hpp"
#include "definition/problem.hpp"
#include "definition/source.hpp"
#include "runtime/bundle_maker.hpp"
#include "tests/unit/runtime/blend.hpp"
#include "tilewright/bundle.hpp"
#include "tilewright/catalog.hpp"
#include "tuner/host/backend.hpp"

namespace tilewright::test {
namespace {

constexpr const char* kWhy = "measured with another source of blend/plain";

class ChangedSource : public BlendTest {
 protected:
  // Of the problem with 100 elements: what a sweep with another source measured.
  void tune_with_code(const std::string& code_hash) const {
    Store store(options().catalog.database);
    SweepKey key;
    key.operation = "blend";
    key.problem = {"blend", {{"count", 100}, {"sign", "plus"}}};
    key.device = device_;
    key.policy = {CachePolicy::warm, "call"};
    key.implementations = {{"blend/plain", 1, "another", "", {{{"BLOCK", 32}}}}};
    const SweepRecord sweep = store.begin_sweep(key, {}, Store::Start::fresh);
    Trial trial;
    trial.implementation = "blend/plain";
    trial.configuration = {{{"BLOCK", 64}}};
    trial.outcome = Outcome::measured;
    trial.code_hash = code_hash;
    trial.timing = Timing{{5}, 5, 5, 5, 5, 5, 5, 1, 1, 0};
    trial.verification.emplace();
    store.add_trial(sweep.id, trial);
    store.finish_sweep(sweep.id, "{}");
  }
  Question question() const { return {"blend", {{"count", 100}}, device_}; }
  // CompileResult::code_hash of the kernel for that problem.
  std::string present_code() const {
    const Library library = Library::load(options().catalog.kernels);
    const ChosenOperation chosen = choose_operation(library, "blend");
    const ChosenKernel kernel{chosen.operation, chosen.implementations.front(), nullptr};
    Answer answer;
    answer.implementation = "blend/plain";
    answer.configuration = {{{"BLOCK", 64}}};
    answer.problem = make_problem(*chosen.operation, question().problem, device_);
    const RuntimeOptions own = options();
    return CodeSource(own)
        .compile(compile_request(kernel, plan_recipe(kernel, answer, device_)))
        .code_hash;
  }
  static BundleRequest asking(std::int64_t count, Require require = Require::any) {
    BundleRequest request{"blend", {{"count", count}}, DeviceSelector::host()};
    request.require = require;
    return request;
  }

  const Device device_ = host::device_report().device;
};

TEST_F(ChangedSource, ACatalogsAnswerIsStaleAndNotExact) {
  tune_with_code("code");
  Question asked = question();
  const Answer answer = Catalog(options().catalog).look_up(asked);
  EXPECT_EQ(answer.rung, Rung::exact);
  EXPECT_TRUE(answer.stale);
  EXPECT_EQ(answer.why_stale, kWhy);
  asked.environment = Environment{"", "", "c++ of tomorrow", ""};
  EXPECT_EQ(Catalog(options().catalog).look_up(asked).why_stale,
            std::string(kWhy) + "; the software is now c++ of tomorrow");
  asked.require = Require::device;
  EXPECT_EQ(Catalog(options().catalog).look_up(asked).rung, Rung::exact);
  asked.require = Require::exact;
  const Answer refused = Catalog(options().catalog).look_up(asked);
  EXPECT_EQ(refused.rung, Rung::none);
  EXPECT_NE(refused.reason.find(kWhy), std::string::npos) << refused.reason;
}

TEST_F(ChangedSource, ARuntimeRefusesItAsExact) {
  tune_with_code("code");
  const Runtime runtime(options());
  KernelRequest asked = request({{"count", 100}});
  EXPECT_TRUE(runtime.kernel(asked).answer().stale);
  asked.require = Require::exact;
  const std::string why = message_of<NothingFound>([&] { runtime.kernel(asked); });
  EXPECT_NE(why.find(kWhy), std::string::npos) << why;
}

TEST_F(ChangedSource, ABundleOfTheCodeThatWasMeasuredIsNotStale) {
  tune_with_code(present_code());
  BundleMaker maker(options());
  EXPECT_FALSE(maker.add(question()).stale);
  const Bundle bundle(folder_.write("blend.bundle", maker.bytes()));
  EXPECT_FALSE(bundle.kernel(asking(100, Require::exact)).answer().stale);
  EXPECT_FALSE(bundle.kernel(asking(101)).answer().stale);
}

TEST_F(ChangedSource, ABundleOfOtherCodeSaysSo) {
  tune_with_code("other code");
  BundleMaker maker(options());
  EXPECT_EQ(maker.add(question()).why_stale, kWhy);
  const Bundle bundle(folder_.write("blend.bundle", maker.bytes()));
  for (const std::int64_t count : {100, 101}) {
    const Answer answer = bundle.kernel(asking(count)).answer();
    EXPECT_EQ(answer.rung, count == 100 ? Rung::exact : Rung::near_problem);
    EXPECT_TRUE(answer.stale);
    EXPECT_EQ(answer.why_stale, kWhy);
  }
  const std::string why =
      message_of<NothingFound>([&] { bundle.kernel(asking(100, Require::exact)); });
  EXPECT_NE(why.find(kWhy), std::string::npos) << why;
}

}  // namespace
}  // namespace tilewright::test
