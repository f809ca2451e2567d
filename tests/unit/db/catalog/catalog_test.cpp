#include "tilewright/catalog.hpp"

#include <atomic>
#include <cmath>
#include <random>
#include <thread>

#include "tests/unit/db/catalog/catalog_fixture.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using namespace test;

TEST_F(CatalogTest, ServesTheStoredWinner) {
  add_sample_sweep(database_);
  const Answer answer = ask(question_);
  EXPECT_EQ(answer.rung, Rung::exact);
  EXPECT_EQ(to_text(answer.rung), "exact");
  EXPECT_EQ(answer.implementation, "gemm/naive");
  EXPECT_EQ(answer.configuration, kFast);
  EXPECT_EQ(answer.problem, test::sample_problem());
  EXPECT_DOUBLE_EQ(answer.median_us, 100);
  EXPECT_DOUBLE_EQ(answer.distance, 0);
  EXPECT_EQ(answer.policy, Policy{});
  EXPECT_GT(answer.measured_at, 1'700'000'000);
  EXPECT_GE(answer.age.count(), 0);
  EXPECT_LT(answer.age.count(), 3600);
  EXPECT_EQ(answer.reason, "");
}

TEST_F(CatalogTest, ServesAnotherPolicysWinnerAsThat) {
  add_sample_sweep(database_);
  Question cold = question_;
  cold.cache = CachePolicy::cold;
  EXPECT_EQ(ask(cold).rung, Rung::other_policy);
  EXPECT_EQ(ask(cold).policy.cache, CachePolicy::robust);
}

TEST_F(CatalogTest, ServesTheDefaultForAnythingElse) {
  add_sample_sweep(database_);
  Question other = question_;
  other.problem["M"] = 512 * 64;
  const Answer answer = ask(other);
  EXPECT_EQ(answer.rung, Rung::manifest_default);
  EXPECT_EQ(answer.median_us, 0);
  EXPECT_EQ(answer.measured_at, 0);
  EXPECT_NE(answer.reason.find("no finished sweep"), std::string::npos) << answer.reason;
  other = question_;
  other.device = unrelated_device();
  EXPECT_EQ(ask(other).rung, Rung::manifest_default);
  other = question_;
  other.operation = "gemm/tiled";
  EXPECT_EQ(ask(other).implementation, "gemm/tiled");
}

TEST_F(CatalogTest, ServesWhatIsNear) {
  add_sample_sweep(database_);
  Question near = question_;
  near.operation = "gemm/naive";
  near.problem["M"] = 520;
  const Answer answer = ask(near);
  EXPECT_EQ(answer.rung, Rung::near_problem);
  EXPECT_EQ(answer.configuration, kFast);
  EXPECT_EQ(answer.problem.values.at("M"), Value(520));
  EXPECT_EQ(answer.measured_problem, test::sample_problem());
  EXPECT_GT(answer.distance, 0);
  near = question_;
  near.operation = "gemm/naive";
  near.device = sample_device("NVIDIA Test 9001");
  EXPECT_EQ(ask(near).rung, Rung::near_device);
  EXPECT_EQ(ask(near).measured_device, sample_device().name);
}

TEST_F(CatalogTest, AWeakerAnswerThanRequiredIsAMissWithAReason) {
  add_sample_sweep(database_);
  Question strict = question_;
  strict.require = Require::exact;
  EXPECT_EQ(ask(strict).rung, Rung::exact);
  strict.problem["M"] = 520;
  const Answer miss = ask(strict);
  EXPECT_EQ(miss.rung, Rung::none);
  EXPECT_EQ(miss.implementation, "");
  EXPECT_NE(miss.reason.find("no finished sweep"), std::string::npos) << miss.reason;
  strict.require = Require::device;
  EXPECT_EQ(ask(strict).rung, Rung::near_problem);
}

TEST_F(CatalogTest, OtherSoftwareMakesAnAnswerStale) {
  add_sample_sweep(database_);
  Question today = question_;
  EXPECT_FALSE(ask(today).stale);
  today.environment = Environment{"999.1", "", "", ""};
  EXPECT_TRUE(ask(today).stale);
}

TEST_F(CatalogTest, AHandleRemembersUntilItForgets) {
  const Catalog catalog(options());
  Handle gemm = catalog.resolve({"gemm", {{"K", 512}}, sample_device()}, {"M", "N"});
  const Answer& before = gemm.best({512, 512});
  EXPECT_EQ(before.rung, Rung::manifest_default);
  add_sample_sweep(database_);
  EXPECT_EQ(&gemm.best({512, 512}), &before);
  gemm.forget();
  EXPECT_EQ(gemm.best({512, 512}).rung, Rung::exact);
  EXPECT_EQ(before.rung, Rung::manifest_default);
  EXPECT_THROW(gemm.best({512}), std::invalid_argument);
  EXPECT_THROW(gemm.best({512, 0}), InputError);
  EXPECT_THROW(catalog.resolve({"gemm"}, {"Q"}), InputError);
}

TEST_F(CatalogTest, AHandleServesManyThreadsAndSizes) {
  add_sample_sweep(database_);
  const Catalog catalog(options());
  const Handle gemm = catalog.resolve({"gemm", {}, sample_device()}, {"M", "N", "K"});
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&] {
      for (std::int64_t n = 1; n <= 200; ++n) {
        const Answer& answer = gemm.best({n, 512, 512});
        if (answer.problem.values.at("M") != Value(n) || &gemm.best({n, 512, 512}) != &answer)
          ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CatalogTest, CompletesTheProblemWithDefaults) {
  const Answer answer = ask({"conv1d", {{"taps", 5}}, sample_device()});
  EXPECT_EQ(answer.problem.values.at("taps"), Value(5));
  EXPECT_TRUE(answer.problem.values.contains("boundary"));
}

TEST_F(CatalogTest, RefusesAQuestionWithoutMeaning) {
  const Catalog catalog(options());
  const auto ask_for = [&](const std::string& operation, const Settings& problem) {
    return catalog.look_up({operation, problem});
  };
  EXPECT_THROW(ask_for("gem", {}), InputError);
  EXPECT_THROW(ask_for("gemm/tilde", {}), InputError);
  EXPECT_THROW(ask_for("gemm", {{"Q", 1}}), InputError);
  EXPECT_THROW(ask_for("gemm", {{"M", 0}}), InputError);
  EXPECT_THROW(ask_for("gemm", {{"M", "many"}}), InputError);
  EXPECT_THROW(catalog.devices("gem"), InputError);
}

TEST_F(CatalogTest, RefusesDefinitionsThatCannotBeRead) {
  CatalogOptions none = options();
  none.kernels = {folder_.path() / "missing"};
  EXPECT_THROW(Catalog{none}, InputError);
}

TEST_F(CatalogTest, ListsTheDevicesWithAnswers) {
  EXPECT_TRUE(Catalog(options()).devices("gemm").empty());
  add_sample_sweep(database_, sample_device("B"));
  add_sample_sweep(database_, sample_device("A"));
  add_sample_sweep(database_, sample_device("A"));
  const auto devices = Catalog(options()).devices("gemm");
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices.front(), sample_device("A"));
  EXPECT_TRUE(Catalog(options()).devices("conv1d").empty());
}

TEST_F(CatalogTest, NamesOneDeviceOrRefuses) {
  add_sample_sweep(database_, sample_device("NVIDIA H200 NVL"));
  add_sample_sweep(database_, sample_device("NVIDIA H200 NVL X"));
  CatalogOptions both = options();
  both.shipped = {fs::path(TILEWRIGHT_SOURCE_DIR) / "shipped_results"};
  const Catalog catalog(both);
  EXPECT_EQ(catalog.device("gemm", "nvl x").name, "NVIDIA H200 NVL X");
  EXPECT_EQ(catalog.device("gemm", "nvidia h200 nvl").name, "NVIDIA H200 NVL");
  const auto refusal = [&](const std::string& name) {
    try {
      return "accepted: " + catalog.device("gemm/naive", name).name;
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refusal("h200"),
            "device 'h200' may be any of 'NVIDIA H200 NVL', 'NVIDIA H200 NVL X', which all have "
            "results of gemm: give a whole name, or a part that is in no other");
  EXPECT_EQ(refusal("A100").find("device 'A100': give one with results of gemm, or a part of its "
                                 "name: 'NVIDIA H200 NVL', 'NVIDIA H200 NVL X', 'NVIDIA H200'"),
            0U)
      << refusal("A100");
  EXPECT_EQ(Catalog(both).device("conv2d", "h200").name, "NVIDIA H200") << "what is shipped";
  EXPECT_EQ(Catalog(both).device("conv3d", "h200").name, "NVIDIA H200") << "of another operation";
  EXPECT_THROW(catalog.device("gem", "h200"), InputError);
}

// Sizes of all magnitudes, of which one side may be small and the batch large.
Settings random_product(std::mt19937_64& random) {
  const auto size = [&random](double most) {
    return static_cast<std::int64_t>(
        std::exp(std::uniform_real_distribution<>(0, std::log(most))(random)));
  };
  const auto choice = [&random] { return Value(random() % 2 == 0 ? "yes" : "no"); };
  const std::int64_t side = size(random() % 2 == 0 ? 100 : 5000);
  const std::int64_t other = size(random() % 2 == 0 ? 100 : 100'000);
  const bool is_batch = random() % 2 == 0;
  return {{"M", random() % 2 == 0 ? side : other},
          {"N", random() % 2 == 0 ? side : other},
          {"K", size(5000)},
          {"batch", is_batch ? size(5000) : 1},
          {"transpose_a", choice()},
          {"transpose_b", choice()}};
}

TEST_F(CatalogTest, NoLargeProductIsForTheNaiveKernel) {
  const Catalog catalog(options());
  std::mt19937_64 random(20261123);
  int examined = 0;
  for (int i = 0; i < 3000; ++i) {
    const Settings problem = random_product(random);
    const auto size = [&problem](const char* name) {
      return static_cast<double>(std::get<std::int64_t>(problem.at(name)));
    };
    const double outputs = size("M") * size("N") * size("batch");
    const double inputs = (size("M") + size("N")) * size("K") * size("batch");
    if (outputs * size("K") <= 1e6 || outputs + inputs > 2e9)
      continue;  // small, or not addressable
    ++examined;
    const Answer answer = catalog.look_up({"gemm", problem, sample_device()});
    EXPECT_NE(answer.implementation, "gemm/naive") << to_text(answer.problem.values);
  }
  EXPECT_GT(examined, 900);
}

TEST_F(CatalogTest, ManyThreadsMayAsk) {
  add_sample_sweep(database_);
  const Catalog catalog(options());
  std::vector<int> exact(4, 0);
  std::vector<std::thread> threads;
  for (int& count : exact)
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i)
        if (catalog.look_up(question_).rung == Rung::exact) ++count;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(exact, std::vector<int>(4, 25));
}

}  // namespace
}  // namespace tilewright
