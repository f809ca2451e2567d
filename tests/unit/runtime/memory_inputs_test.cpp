// What answers on a GPU where no input's values are in host memory. Nothing here needs a GPU: what
// is asked for is planned and never loaded.
#include "db/store/store.hpp"
#include "definition/library/library.hpp"
#include "definition/problem.hpp"
#include "runtime/bundle_maker.hpp"
#include "runtime/catalog_source.hpp"
#include "tests/unit/runtime/blend.hpp"
#include "tuner/host/backend.hpp"

namespace tilewright::test {
namespace {

class MemoryInputs : public BlendTest {
 protected:
  MemoryInputs() : library_(Library::load({templates()})) {}

  static std::filesystem::path templates() {
    return std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates";
  }

  RuntimeOptions convolutions() const {
    RuntimeOptions options;
    options.catalog.kernels = {templates()};
    options.catalog.database = folder_.path() / "convolutions.db";
    return options;
  }

  // A fast one, with the filter by value.
  Configuration by_value() const {
    Configuration configuration =
        default_configuration(library_.family("conv2d").implementation("halo"));
    for (const auto& [name, value] : Settings{{"OUTPUTS_X", 4},
                                              {"OUTPUTS_Y", 4},
                                              {"LOADING", "split"},
                                              {"VECTOR", 4},
                                              {"UNROLL", 64},
                                              {"FILTER", "value"}})
      configuration.values.at(name) = value;
    return configuration;
  }

  static KernelRequest convolution(Inputs inputs, Require require = Require::any) {
    KernelRequest request;
    request.operation = "conv2d";
    request.problem = {{"width", 512}, {"height", 512}, {"filter_width", 7}};
    request.problem["accuracy"] = "elementwise";  // no transform serves in place of it
    request.require = require;
    request.inputs = inputs;
    return request;
  }

  // A finished sweep on that GPU, whose best has its filter by value.
  void store_result() const {
    Settings values = convolution(Inputs::any).problem;
    SweepKey key;
    key.operation = "conv2d";
    key.problem = make_problem(library_.family("conv2d").operation, values, gpu_.device);
    key.device = gpu_.device;
    key.policy.submission = "graph";
    key.implementations = {{"conv2d/halo", epoch(), "", "", {}}};
    Store store(convolutions().catalog.database);
    const SweepRecord sweep = store.begin_sweep(key, {}, Store::Start::fresh);
    Trial trial;
    trial.implementation = "conv2d/halo";
    trial.configuration = by_value();
    trial.outcome = Outcome::measured;
    trial.verification.emplace();
    trial.timing = Timing{{5}, 5, 5, 5, 5, 5, 5, 1};
    store.add_trial(sweep.id, trial);
    store.finish_sweep(sweep.id, "{}");
  }

  std::int64_t epoch() const { return library_.family("conv2d").implementation("halo").epoch; }

  const Library library_;
  const DeviceReport gpu_ = gpu_report();
};

std::shared_ptr<CatalogSource> source(const RuntimeOptions& options) {
  return std::make_shared<CatalogSource>(options);
}

TEST_F(MemoryInputs, TheBestConfigurationServesWithItsFilterInMemory) {
  store_result();
  const auto results = source(convolutions());
  const Recipe best = results->next(convolution(Inputs::any), gpu_, {})->recipe;
  EXPECT_EQ(best.answer.rung, Rung::exact);
  EXPECT_EQ(name_of_value_input(best), "filter");

  const Recipe served = results->next(convolution(Inputs::in_memory), gpu_, {})->recipe;
  Configuration expected = by_value();
  expected.values.at("FILTER") = "shared";
  EXPECT_EQ(served.answer.configuration, expected);
  EXPECT_EQ(name_of_value_input(served), "");
  EXPECT_EQ(served.answer.rung, Rung::portable) << "nobody has measured it";
  EXPECT_EQ(served.answer.median_us, 0);
  EXPECT_EQ(served.answer.measured_at, 0);
  EXPECT_EQ(served.answer.problem, best.answer.problem);
  EXPECT_EQ(served.answer.reason,
            "the configuration of rung 'exact' takes an input by value, and the request has all "
            "inputs in device memory: FILTER=shared in place of FILTER=value, which was not "
            "measured");
}

TEST_F(MemoryInputs, WhatRequiresAMeasurementDoesNotGetThat) {
  store_result();
  const auto results = source(convolutions());
  for (const Require require : {Require::exact, Require::device}) {
    EXPECT_EQ(results->next(convolution(Inputs::any, require), gpu_, {})->recipe.answer.rung,
              Rung::exact);
    const std::string why = message_of<NothingFound>(
        [&] { results->next(convolution(Inputs::in_memory, require), gpu_, {}); });
    EXPECT_NE(why.find("only an answer of rung 'portable'"), std::string::npos) << why;
  }
}

TEST_F(MemoryInputs, StepsDownToWhatReadsMemoryToo) {
  store_result();
  const auto results = source(convolutions());
  const KernelRequest request = convolution(Inputs::in_memory);
  const Answer first = results->next(request, gpu_, {})->recipe.answer;
  std::vector<FailedAttempt> failed = {{first, CodeFrom::catalog, "label", "does not load"}};
  const Recipe next = results->next(request, gpu_, failed)->recipe;
  EXPECT_EQ(next.answer.rung, Rung::manifest_default);
  EXPECT_EQ(name_of_value_input(next), "");
  EXPECT_EQ(next.answer.passed_over, "conv2d/halo of rung 'portable': does not load");
  failed.push_back({next.answer, CodeFrom::catalog, "label", "does not load"});
  EXPECT_FALSE(results->next(request, gpu_, failed));
}

TEST_F(MemoryInputs, SaysWhereEveryConfigurationTakesValues) {
  const auto blend = source(options());
  KernelRequest request;
  request.operation = "blend";
  request.problem = {{"count", 30}};
  EXPECT_EQ(name_of_value_input(blend->next(request, gpu_, {})->recipe), "weights");
  request.inputs = Inputs::in_memory;
  EXPECT_EQ(
      message_of<NothingFound>([&] { blend->next(request, gpu_, {}); }),
      "blend count=30: each configuration that fits takes an input by value; give that input in "
      "host memory too, or tune one that does not");
}

// The bundle of the host device, as if it had been made for the GPU.
TEST_F(MemoryInputs, ABundleServesOnlyWhatReadsMemory) {
  BundleMaker maker(options());
  maker.add({"blend", {{"count", 30}}, host::device_report().device});
  BundleContents contents = decode_bundle(maker.bytes(), "bundle");
  contents.recipes.front().recipe.device = gpu_.device;
  contents.recipes.front().recipe.architecture = "sm_90";
  const auto file = folder_.write("blend.bundle", encode_bundle(contents));
  const auto bundle = std::make_shared<BundleSource>(file);
  KernelRequest request;
  request.operation = "blend";
  request.problem = {{"count", 30}};
  EXPECT_EQ(name_of_value_input(bundle->next(request, gpu_, {})->recipe), "weights");
  request.inputs = Inputs::in_memory;
  EXPECT_EQ(
      message_of<InputError>([&] { bundle->next(request, gpu_, {}); }),
      file.string() + ": none of its code is for such a problem on sm_90 without inputs by value");
}

// It reads inputs where they are: the same kernel serves both.
TEST_F(MemoryInputs, MakesNoDifferenceOnTheHostDevice) {
  const Runtime runtime(options());
  KernelRequest asked = request({{"count", 30}});
  asked.inputs = Inputs::in_memory;
  const Kernel kernel = runtime.kernel(asked);
  EXPECT_TRUE(kernel.arguments().at(1).by_value);
  EXPECT_EQ(&kernel.answer(), &runtime.kernel(request({{"count", 30}})).answer());
  BlendOperands operands(30);
  kernel.launch(nullptr, operands.list(), {operands.workspace.data()});
  EXPECT_EQ(operands.y[29], operands.expected(29));
}

}  // namespace
}  // namespace tilewright::test
