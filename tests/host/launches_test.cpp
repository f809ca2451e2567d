// Each definition in tests/definitions, launched by an application on the host device.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/support/definition_names.hpp"
#include "tests/support/h200.hpp"
#include "tests/support/launch_proof.hpp"
#include "tests/support/test_code.hpp"
#include "tilewright/error.hpp"
#include "tuner/host/launch/memory.hpp"
#include "tuner/machine/machine.hpp"

namespace tilewright::test {
namespace {

const std::filesystem::path kSource = TILEWRIGHT_SOURCE_DIR;

LaunchBench host_launches() {
  LaunchBench bench;
  bench.device = DeviceSelector::host();
  bench.options.cache = test_code();
  bench.toolchain.host_compiler = usual_host_compiler();
  bench.options.toolkits = bench.toolchain.toolkit_folders = {TILEWRIGHT_BINARY_DIR "/bin"};
  bench.memory_with = [](std::span<const std::uint8_t> contents) {
    const auto memory =
        std::make_shared<host::GuardedBuffer>(static_cast<std::int64_t>(contents.size()), 0);
    std::ranges::copy(contents, memory->data());
    return std::shared_ptr<void>(memory, memory->data());
  };
  return bench;
}

// Definitions that need what the host device does not have, and what it says about them.
const std::map<std::string, std::string> kRefused = {
    {"block_reduce", "the host device has no header cub/block/block_reduce.cuh"}};

class Launches : public testing::TestWithParam<std::string> {
 protected:
  std::filesystem::path manifest() const {
    return kSource / "tests/definitions" / (GetParam() + ".toml");
  }
};

TEST_P(Launches, OnTheHostDeviceAreRight) {
  const auto refused = kRefused.find(GetParam());
  if (refused == kRefused.end()) return prove_launches(manifest(), host_launches());
  prove_refused(manifest(), host_launches(), refused->second);
}

// What can be shown of launches on a GPU without one.
TEST_P(Launches, AreBundledForAGpu) {
  const LaunchBench bench = host_launches();
  try {
    compiler_version(DeviceKind::cuda, bench.toolchain);
  } catch (const MachineError& error) {
    GTEST_SKIP() << error.what();
  }
  prove_bundles(manifest(), bench.options, h200());
}

INSTANTIATE_TEST_SUITE_P(Definitions, Launches, testing::ValuesIn(definition_names(kSource)),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace tilewright::test
