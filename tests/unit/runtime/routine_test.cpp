// A library's routine that won, looked up by a runtime's catalog and held by a bundle. It is never
// called, so no library is needed.
#include "db/catalog/state.hpp"
#include "runtime/bundle/bundle_source.hpp"
#include "runtime/bundle_maker.hpp"
#include "tests/unit/runtime/blend.hpp"
#include "tuner/host/backend.hpp"

namespace tilewright::test {
namespace {

constexpr const char* kRoutine = R"text(
schema = 1
[[implementation]]
name = "library"
operation = "blend"
routine = "lib"
parameter = [{ name = "WAY", values = [1, 2], default = 1 }]
workspace = { bytes = "1024 * WAY" }
)text";

// For 1000 elements a kernel takes 100 µs, and a routine of version 3.1 of its library 50 µs.
class RoutineAnswers : public BlendTest {
 protected:
  RoutineAnswers() {
    folder_.write("kernels/blend/library/library.toml", kRoutine);
    Store store(options().catalog.database);
    SweepKey key;
    key.operation = "blend";
    key.problem = {"blend", problem_};
    key.device = report_.device;
    key.policy = {CachePolicy::warm, "call"};
    key.implementations = {{"blend/library", 1, "Lib 3.1", "", {}},
                           {"blend/plain", 1, "", "", {{{"BLOCK", 32}}}}};
    const SweepRecord sweep = store.begin_sweep(key, {}, Store::Start::fresh);
    for (const auto& [name, parameter, value, us] :
         {std::tuple("blend/library", "WAY", 2, 50.0),
          std::tuple("blend/plain", "BLOCK", 64, 100.0)}) {
      Trial trial;
      trial.implementation = name;
      trial.configuration.values[parameter] = value;
      trial.outcome = Outcome::measured;
      trial.timing = Timing{{us}, us, us, us, us, us, us, 1, 1, 0};
      trial.verification.emplace();
      store.add_trial(sweep.id, trial);
    }
    store.finish_sweep(sweep.id, "{}");
  }

  static LibraryVersion here(std::string version) {
    return [version = std::move(version)](const std::string&) { return version; };
  }
  Answer served(const std::filesystem::path& bundle, const std::string& version,
                const std::vector<FailedAttempt>& failed = {}) const {
    const auto source = std::make_shared<BundleSource>(bundle, here(version));
    const auto attempt =
        source->next({"blend", problem_, DeviceSelector::host()}, report_, failed).value();
    const Recipe& recipe = attempt.recipe;
    EXPECT_EQ(recipe.launches.routine.is_given(), recipe.launches.launches.empty());
    EXPECT_EQ(attempt.find_code(recipe).bytes->empty(), recipe.launches.routine.is_given());
    EXPECT_EQ(recipe.launches.workspace_bytes, recipe.launches.routine.is_given() ? 2048 : 256);
    return recipe.answer;
  }

  const Settings problem_ = {{"count", 1000}, {"sign", "plus"}};
  const DeviceReport report_ = host::device_report();
};

TEST_F(RoutineAnswers, ACatalogKnowsWhichLibrariesAreHere) {
  const Question question{"blend", problem_, report_.device};
  const auto answer = [&](LibraryVersion version) {
    return Catalog::State(options().catalog, std::move(version)).look_up(question);
  };
  EXPECT_EQ(answer(here("Lib 3.1")).implementation, "blend/library");
  EXPECT_FALSE(answer(here("Lib 3.1")).stale);
  EXPECT_EQ(answer(here("Lib 3.2")).why_stale,
            "measured with Lib 3.1, and another version is here");
  EXPECT_EQ(answer(here("Lib 4.0")).implementation, "blend/plain");
  EXPECT_EQ(answer(here("")).implementation, "blend/plain");
  EXPECT_EQ(answer({}).implementation, "blend/library");  // nobody knows
}

TEST_F(RoutineAnswers, AFingerprintStandsForTheLibrary) {
  const auto fingerprint = [&](LibraryVersion version) {
    return hash_of(Catalog::State(options().catalog, std::move(version)).fingerprint());
  };
  EXPECT_EQ(fingerprint(here("Lib 3.1")), fingerprint(here("Lib 3.1")));
  EXPECT_NE(fingerprint(here("Lib 3.1")), fingerprint(here("Lib 3.2")));
}

TEST_F(RoutineAnswers, ABundleHasTheChoiceAndTheNextBestKernel) {
  BundleMaker maker(options());
  EXPECT_EQ(maker.add({"blend", problem_, report_.device}).implementation, "blend/plain");
  const std::filesystem::path bundle = folder_.write("blend.bundle", maker.bytes());
  const Answer best = served(bundle, "Lib 3.1");
  EXPECT_EQ(best.implementation, "blend/library");
  EXPECT_EQ(best.rung, Rung::exact);
  EXPECT_EQ(best.median_us, 50);
  EXPECT_FALSE(best.stale);
  EXPECT_TRUE(served(bundle, "Lib 3.2").stale);
  EXPECT_EQ(served(bundle, "Lib 4.0").implementation, "blend/plain");
  EXPECT_EQ(served(bundle, "").implementation, "blend/plain");
  const Answer next = served(bundle, "Lib 3.1", {{best, CodeFrom::bundle, "", "no"}});
  EXPECT_EQ(next.implementation, "blend/plain");
  EXPECT_EQ(next.passed_over, "blend/library of rung 'exact': no");
}

TEST_F(RoutineAnswers, ABundleWithoutLibrariesHasNone) {
  RuntimeOptions without = options();
  without.catalog.libraries = Libraries::off;
  BundleMaker maker(without);
  maker.add({"blend", problem_, report_.device});
  EXPECT_EQ(served(folder_.write("blend.bundle", maker.bytes()), "Lib 3.1").implementation,
            "blend/plain");
}

}  // namespace
}  // namespace tilewright::test
