// conv_layer/blocked, window and winograd give right answers without a GPU.
#include <gtest/gtest.h>

#include <array>

#include "tests/host/host_support.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tests/support/general_proofs.hpp"
#include "tests/support/layer_cases.hpp"
#include "tests/support/layer_kernel_cases.hpp"

namespace tilewright::test {
namespace {

class HostPlainLayer : public testing::Test {
 protected:
  static const Library& templates() {
    static const Library library =
        Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
    return library;
  }
  static const Family& layers() { return templates().family("conv_layer"); }

  static void prove(const Family& family, const char* implementation,
                    const std::vector<std::string>& problem,
                    const std::vector<std::string>& conditions) {
    prove_conditions(family, family.implementation(implementation), problem, conditions, {});
  }
};

TEST_F(HostPlainLayer, Blocked) {
  const std::vector<GemmCase> cases = blocked_layers();
  for (std::size_t i = 0; i < cases.size(); i += step_of_part(3))
    prove(layers(), "blocked", cases[i].problem, cases[i].wheres);
}

TEST_F(HostPlainLayer, Window) {
  for (const GemmCase& one : window_layers()) prove(layers(), "window", one.problem, one.wheres);
}

TEST_F(HostPlainLayer, Winograd) {
  const std::vector<GemmCase> cases = winograd_layers();
  for (std::size_t i = 0; i < cases.size(); i += step_of_part(3))
    prove(layers(), "winograd", cases[i].problem, cases[i].wheres);
}

// What no filter meets stays out of every sum.
TEST_F(HostPlainLayer, BesideInfinityAndNan) {
  const FolderOfFiles folder;
  for (const int channels_in : {3, 32}) {
    const LayerChannels channels = {.in = channels_in, .type = "float32"};
    const LayerWithEdges dense = dense_layer_with_edges(layers(), folder.path(), channels);
    const LayerWithEdges strided = strided_layer_with_edges(layers(), folder.path(), channels);
    prove(dense.family, "blocked", dense.problem, {"THREAD_M == 12"});
    prove(strided.family, "blocked", strided.problem, {"BLOCK_K == 16 && SPLIT_K > 1"});
    if (channels_in > 3) continue;
    prove(dense.family, "window", dense.problem, {"THREAD_M == 8"});
    prove(strided.family, "window", strided.problem, {"THREAD_M == 4"});
  }
}

TEST_F(HostPlainLayer, WithSnippets) {
  constexpr std::array kNames = {"blocked", "window", "winograd"};
  const std::vector<Family> families = with_each_snippet(layers(), templates().snippets());
  std::size_t turn = 0;
  for (std::size_t i = 0; i < families.size(); i += step_of_part(3))
    prove(families[i], kNames.at(turn++ % kNames.size()),
          {"width=20", "height=9", "channels_in=8", "channels_out=20"}, {"1"});
}

TEST_F(HostPlainLayer, General) {
  for (const char* const name : {"blocked", "window"})
    prove_general(layers(), name, host_bench(),
                  {.configurations = 2, .problems = kSanitized ? 1U : 6U});
}

}  // namespace
}  // namespace tilewright::test
