// Each definition in tests/definitions, launched by an application on a GPU.
#include "tests/gpu/application.hpp"
#include "tests/support/definition_names.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tests/support/launch_proof.hpp"
#include "tuner/machine/machine.hpp"

namespace tilewright::test {
namespace {

class GpuLaunches : public GpuTest, public testing::WithParamInterface<std::string> {};

TEST_P(GpuLaunches, OfARuntimeAndABundleAreRight) {
  must(cudaSetDevice(0));
  const GpuStream stream;
  const FolderOfFiles code;
  LaunchBench bench;
  bench.device = DeviceSelector::cuda(0);
  bench.options.toolkits = {program_folder()};
  bench.options.cache = code.path();
  bench.toolchain.toolkit_folders = {program_folder()};
  bench.memory_with = [](std::span<const std::uint8_t> contents) {
    std::vector<std::uint8_t> some(contents.begin(), contents.end());
    if (some.empty()) some.resize(1);
    const auto memory = std::make_shared<GpuNumbers<std::uint8_t>>(some);
    return std::shared_ptr<void>(memory, memory->data());
  };
  bench.stream = stream.get();
  bench.wait = [&] { stream.wait(); };
  prove_launches(source_folder() / "tests/definitions" / (GetParam() + ".toml"), bench);
}

INSTANTIATE_TEST_SUITE_P(Definitions, GpuLaunches,
                         testing::ValuesIn(definition_names(source_folder())),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace tilewright::test
