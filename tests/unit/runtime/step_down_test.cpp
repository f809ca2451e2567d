// What serves where the best on record does not compile or load here.
#include "db/store/store.hpp"
#include "runtime/bundle_maker.hpp"
#include "tests/unit/runtime/blend.hpp"
#include "tuner/host/backend.hpp"

namespace tilewright::test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  return text.replace(text.find(what), what.size(), with);
}

class StepDown : public BlendTest {
 protected:
  // Whose override, of blocks of 64, comes before the default, of 32.
  RuntimeOptions forced() const {
    RuntimeOptions forced = options();
    forced.catalog.overrides = {{"blend/plain", {}, {{{"BLOCK", 64}}}}};
    return forced;
  }

  // A finished sweep on this machine's CPU, whose best are blocks of 64.
  void store_blocks_of_64(std::int64_t count, const std::string& compiler) const {
    SweepKey key;
    key.operation = "blend";
    key.problem = {"blend", {{"count", count}, {"sign", "plus"}}};
    key.device = host::device_report().device;
    key.policy.submission = "call";
    key.implementations = {{"blend/plain", 1, "", "space", {{{"BLOCK", 32}}}}};
    Store store(folder_.path() / "results.db");
    const SweepRecord sweep =
        store.begin_sweep(key, {"", "", compiler, "0.1.0"}, Store::Start::resume);
    Trial trial;
    trial.implementation = "blend/plain";
    trial.configuration = {{{"BLOCK", 64}}};
    trial.outcome = Outcome::measured;
    trial.stage = Stage::final;
    trial.verification = Verification{1, 1, 0, 0, 1};
    trial.timing = Timing{{5}, 5, 5, 5, 5, 5, 5, 1};
    store.add_trial(sweep.id, trial);
    store.finish_sweep(sweep.id, "{}");
  }

  // Code that compiles for blocks of 32 alone.
  void break_blocks_of_64() const {
    folder_.write("kernels/blend/blend.cu",
                  std::string("#if BLOCK == 64\n#error too wide\n#endif\n") + kBlendSource);
  }
};

TEST_F(StepDown, TheNextRungServesWhereCodeDoesNotCompile) {
  break_blocks_of_64();
  const Runtime runtime(forced());
  const Kernel kernel = runtime.kernel(request({{"count", 30}}));
  const Answer& first = kernel.answer();
  EXPECT_EQ(first.rung, Rung::override_given);
  EXPECT_EQ(first.passed_over, "");
  BlendOperands operands(30);
  kernel.launch(nullptr, operands.list(), {operands.workspace.data()});
  for (std::size_t i = 0; i < 30; ++i) ASSERT_EQ(operands.y[i], operands.expected(i)) << i;

  const Answer& now = kernel.answer();
  EXPECT_EQ(now.rung, Rung::manifest_default);
  EXPECT_EQ(now.configuration.values.at("BLOCK"), Value(32));
  EXPECT_TRUE(
      now.passed_over.starts_with("blend/plain of rung 'override': the code does not compile"))
      << now.passed_over;
  EXPECT_TRUE(contains(now.passed_over, "too wide")) << now.passed_over;
  EXPECT_FALSE(contains(now.passed_over, "\n"));
  EXPECT_EQ(first.rung, Rung::override_given);  // lives on
  EXPECT_EQ(&runtime.kernel(request({{"count", 30}})).answer(), &now);
}

TEST_F(StepDown, FromAnExactResultToTheDefault) {
  store_blocks_of_64(72, "another compiler");
  {
    const Answer answer = Runtime(options()).kernel(request({{"count", 72}})).answer();
    EXPECT_EQ(answer.rung, Rung::exact);
    EXPECT_TRUE(answer.stale);
  }
  break_blocks_of_64();
  const Kernel kernel = Runtime(options()).kernel(request({{"count", 72}}));
  kernel.prepare();
  EXPECT_EQ(kernel.answer().rung, Rung::manifest_default);
  EXPECT_FALSE(kernel.answer().stale);
  EXPECT_TRUE(kernel.answer().passed_over.starts_with("blend/plain of rung 'exact': the code"))
      << kernel.answer().passed_over;
}

TEST_F(StepDown, AnAnswerOfThisSoftwareIsNotStale) {
  const Environment here = Runtime(options()).environment(DeviceSelector::host());
  EXPECT_NE(here.compiler, "");
  store_blocks_of_64(73, here.compiler);
  const Answer answer = Runtime(options()).kernel(request({{"count", 73}})).answer();
  EXPECT_EQ(answer.rung, Rung::exact);
  EXPECT_FALSE(answer.stale);
}

TEST_F(StepDown, NotBelowWhatTheRequestRequires) {
  break_blocks_of_64();
  const Runtime runtime(forced());
  KernelRequest exact = request();
  exact.require = Require::exact;
  const Kernel kernel = runtime.kernel(exact);
  const std::string message = message_of<MachineError>([&] { kernel.prepare(); });
  EXPECT_TRUE(message.starts_with("blend/plain count=100: the code does not compile")) << message;
  EXPECT_EQ(kernel.answer().rung, Rung::override_given);
}

TEST_F(StepDown, IsAnErrorWhereNothingIsLeftAndIsTriedAgain) {
  folder_.write("kernels/blend/blend.cu", "#error nothing here\n");
  const Kernel kernel = Runtime(forced()).kernel(request({{"count", 71}}));
  const std::string message = message_of<MachineError>([&] { kernel.prepare(); });
  EXPECT_TRUE(message.starts_with("blend/plain count=71: the code does not compile")) << message;
  folder_.write("kernels/blend/blend.cu", kBlendSource);
  kernel.prepare();
  EXPECT_EQ(kernel.answer().rung, Rung::override_given);
  EXPECT_EQ(kernel.answer().passed_over, "");
}

TEST_F(StepDown, NeverToWhatNeedsMoreThanWasAnnounced) {
  folder_.write("kernels/blend/operation.toml",
                replaced(kBlendManifest, "bytes = 256", "bytes = \"8192 / BLOCK\""));
  break_blocks_of_64();
  const Kernel kernel = Runtime(forced()).kernel(request());
  EXPECT_EQ(kernel.workspace_bytes(), 128);
  const std::string message = message_of<MachineError>([&] { kernel.prepare(); });
  EXPECT_TRUE(contains(message, "it needs 256 bytes of workspace; 128 have been announced"))
      << message;
}

TEST_F(StepDown, TakesABundlesKernelWhereThereIsNoCompiler) {
  BundleMaker maker(options());
  maker.add({"blend", {{"count", 30}}, host::device_report().device});
  RuntimeOptions without = forced();
  without.bundles = {folder_.write("blend.bundle", maker.bytes())};
  without.host_compiler = "/nowhere/c++";
  const Kernel kernel = Runtime(without).kernel(request({{"count", 30}}));
  BlendOperands operands(30);
  kernel.launch(nullptr, operands.list(), {operands.workspace.data()});
  EXPECT_EQ(operands.y[29], operands.expected(29));
  EXPECT_TRUE(contains(kernel.answer().passed_over, "/nowhere/c++"));
}

TEST_F(StepDown, NeverToABundlesKernelOfOtherArguments) {
  BundleMaker maker(options());
  maker.add({"blend", {{"count", 30}}, host::device_report().device});
  RuntimeOptions without = forced();
  without.bundles = {folder_.write("blend.bundle", maker.bytes())};
  without.host_compiler = "/nowhere/c++";
  without.cache.clear();
  folder_.write(
      "kernels/blend/operation.toml",
      replaced(kBlendManifest, "name = \"weights\"\ncount = 3", "name = \"weights\"\ncount = 4"));
  const Kernel kernel = Runtime(without).kernel(request({{"count", 30}}));
  const std::string message = message_of<MachineError>([&] { kernel.prepare(); });
  EXPECT_TRUE(contains(message, "its arguments are not those that have been announced")) << message;
}

// What an implementation requires of a GPU does not count on the host: code that has PTX does not
// compile there, and then the next answer serves.
TEST_F(StepDown, FromCodeThatOnlyAGpuCanRun) {
  std::string manifest = kBlendManifest;
  const std::string::size_type begin = manifest.find("[[implementation]]");
  std::string bound = manifest.substr(begin);
  bound = replaced(bound, "\"plain\"", "\"bulk\"");
  bound = replaced(bound, "source = \"blend.cu\"", "requires = \"sm_90a\"\nsource = \"bulk.cu\"");
  folder_.write("kernels/blend/operation.toml", manifest.insert(begin, bound));
  folder_.write("kernels/blend/bulk.cu", std::string("asm(\"wgmma.fence;\");\n") + kBlendSource);
  RuntimeOptions forced = options();
  forced.catalog.overrides = {{"blend/bulk", {}, {{{"BLOCK", 64}}}}};
  const Runtime runtime(forced);
  const Kernel kernel = runtime.kernel(request({{"count", 30}}));
  EXPECT_EQ(kernel.answer().implementation, "blend/bulk");
  EXPECT_EQ(kernel.answer().passed_over, "");
  BlendOperands operands(30);
  kernel.launch(nullptr, operands.list(), {operands.workspace.data()});
  for (std::size_t i = 0; i < 30; ++i) ASSERT_EQ(operands.y[i], operands.expected(i)) << i;
  EXPECT_EQ(kernel.answer().implementation, "blend/plain");
  EXPECT_TRUE(contains(kernel.answer().passed_over, "does not compile (unsupported)"))
      << kernel.answer().passed_over;
}

}  // namespace
}  // namespace tilewright::test
