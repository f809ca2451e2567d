// Compiled general configurations in place of better ones that are not compiled. Nothing here needs
// a GPU: what is asked for is planned and never loaded.
#include "definition/problem.hpp"
#include "runtime/catalog_source.hpp"
#include "tests/unit/runtime/blend.hpp"

namespace tilewright::test {
namespace {

// Blocks of 32 take 1000 cycles, those of 64 take `cycles_of_64`.
std::string manifest_with(int cycles_of_64) {
  std::string text = kBlendManifest;
  const std::string after = "compiled_in = [\"sign\"]\n";
  text.insert(text.find(after) + after.size(),
              "general = [[{ BLOCK = 32 }, { BLOCK = 64 }]]\n[implementation.cost]\nblocks = 1\n"
              "multiprocessors = 1\nwork = \"BLOCK == 32 ? 1000 : " +
                  std::to_string(cycles_of_64) + "\"\n");
  return text;
}

class GeneralBundle : public BlendTest {
 protected:
  // Of blocks of 64. The code is none, which shows only when it is loaded.
  std::filesystem::path bundle(const std::string& manifest) const {
    const Library library = Library::of({read_manifest({"operation.toml", manifest})});
    Settings values = request_.problem;
    const ChosenOperation chosen = choose_operation(library, "blend", values);
    const ChosenKernel kernel{chosen.operation, chosen.implementations.front(), chosen.family};
    const Problem problem = make_problem(*chosen.operation, values, gpu_.device);
    BundleContents contents;
    contents.tool = "test";
    contents.definitions = {{"operation.toml", manifest}};
    contents.add_build(build_key(kernel, problem, {{{"BLOCK", 64}}}, gpu_.device).value(),
                       {std::make_shared<const std::vector<std::uint8_t>>(100, std::uint8_t{7}),
                        {{"blend", "blend"}}});
    return folder_.write("blend.bundle", encode_bundle(contents));
  }

  KernelAttempt answer_with(const std::string& manifest) const {
    folder_.write("kernels/blend/operation.toml", manifest);
    RuntimeOptions given = options();
    given.bundles = {bundle(manifest)};
    return std::make_shared<CatalogSource>(given)->next(request_, gpu_, {}).value();
  }

  const KernelRequest request_{"blend", {{"count", 30}}};
  const DeviceReport gpu_ = gpu_report();
};

TEST_F(GeneralBundle, ServesWhereWhatIsExpectedToBeBetterHardlyIs) {
  const KernelAttempt attempt = answer_with(manifest_with(1100));
  EXPECT_EQ(attempt.from, CodeFrom::bundle);
  EXPECT_EQ(attempt.recipe.answer.configuration, (Configuration{{{"BLOCK", 64}}}));
  EXPECT_EQ(attempt.recipe.answer.rung, Rung::manifest_default);
}

TEST_F(GeneralBundle, DoesNotWhereItIsFarFromTheBest) {
  const KernelAttempt attempt = answer_with(manifest_with(1101));
  EXPECT_EQ(attempt.from, CodeFrom::catalog);
  EXPECT_EQ(attempt.recipe.answer.configuration, (Configuration{{{"BLOCK", 32}}}));
}

TEST_F(GeneralBundle, DoesNotWhereNobodyKnowsTheCost) {
  std::string manifest = manifest_with(1000);
  const auto cost = manifest.find("[implementation.cost]");
  manifest.erase(cost, manifest.find("[[implementation.parameter]]") - cost);
  EXPECT_EQ(answer_with(manifest).from, CodeFrom::catalog);
}

}  // namespace
}  // namespace tilewright::test
