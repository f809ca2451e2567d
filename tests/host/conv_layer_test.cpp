// conv_layer gives right answers without a GPU: every dimension, stride, dilation, layout and type
// in small, against float64.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/host/host_support.hpp"
#include "tests/support/convolution_space.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tests/support/gemm_cases.hpp"
#include "tests/support/general_proofs.hpp"
#include "tests/support/layer_cases.hpp"
#include "tests/support/layer_kernel_cases.hpp"
#include "tests/support/wgmma_cases.hpp"

namespace tilewright::test {
namespace {

using Assignments = std::vector<std::string>;

const Family& layers() {
  static const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  return library.family("conv_layer");
}

// One configuration of the implementation on each of the problems, with further assignments; of a
// part of the proofs every third problem.
void prove_layers(const std::string& implementation, const std::vector<Assignments>& problems,
                  const Assignments& further = {}) {
  ProofRunner runner(layers(), layers().implementation(implementation), host_bench());
  const std::size_t step = step_of_part(3);
  for (std::size_t i = 0; i < problems.size(); i += step) {
    runner.open(joined(problems[i], further));
    for (const Configuration& configuration : runner.sample(1)) runner.prove(configuration);
  }
  EXPECT_EQ(runner.proven(), (problems.size() + step - 1) / step);
}

TEST(HostConvLayer, NaiveOnImages) {
  prove_layers("naive", image_layers());
}

TEST(HostConvLayer, NaiveOnSignalsAndVolumesInEveryLayout) {
  prove_layers("naive", other_layers());
}

TEST(HostConvLayer, NaiveInEveryType) {
  const std::vector<Assignments> types = layer_types();
  const std::vector<Assignments> problems = image_layers();
  for (std::size_t i = 0; i < types.size(); ++i)
    prove_layers("naive", {problems[i], other_layers()[i % other_layers().size()]}, types[i]);
}

// What no filter meets stays out of every sum, be it infinite or no number.
void prove_with_edges(const LayerWithEdges& layer, const std::string& implementation,
                      const std::string& where = "1") {
  const Implementation trimmed = with_fewer_values(layer.family.implementation(implementation));
  prove_conditions(layer.family, trimmed, layer.problem, {where}, {});
}
// No configuration that is legal with accuracy=normwise is so with accuracy=elementwise.
void expect_normwise_alone(const LayerWithEdges& layer, const Implementation& implementation) {
  ProofRunner runner(layer.family, implementation, host_bench());
  Assignments normwise = layer.problem;
  std::ranges::replace(normwise, "accuracy=elementwise", "accuracy=normwise");
  runner.open(normwise);
  const std::vector<Configuration> configurations = runner.sample(3);
  runner.open(layer.problem);
  for (const Configuration& configuration : configurations)
    EXPECT_FALSE(runner.is_legal(configuration));
}

void prove_beside_edges(const std::string& implementation, const LayerChannels& channels = {}) {
  const FolderOfFiles folder;
  prove_with_edges(dense_layer_with_edges(layers(), folder.path(), channels), implementation);
  prove_with_edges(strided_layer_with_edges(layers(), folder.path(), channels), implementation);
}

TEST(HostConvLayer, NaiveBesideInfinityAndNan) {
  prove_beside_edges("naive");
}
TEST(HostConvLayer, MmaBesideInfinityAndNan) {
  prove_beside_edges("mma");
}
TEST(HostConvLayer, RowsBesideInfinityAndNan) {
  for (const int channels_in : {1, 3, 4, 5}) prove_beside_edges("rows", {.in = channels_in});
  const FolderOfFiles folder;
  prove_with_edges(dense_layer_with_edges(layers(), folder.path(), {.in = 1}), "rows",
                   "PRODUCT == 'toeplitz' && WARPS == 2");
}
TEST(HostConvLayer, RowsByWgmmaBesideInfinityAndNan) {
  const FolderOfFiles folder;
  for (const int channels_in : {1, 3}) {
    const LayerWithEdges layer =
        strided_layer_with_edges(layers(), folder.path(), {.in = channels_in});
    prove_conditions(layer.family, on_any_device(layer.family.implementation("rows")),
                     layer.problem, {"PRODUCT == 'wgmma' && FILTERS == 16"}, {});
  }
}
TEST(HostConvLayer, ShiftBesideInfinityAndNan) {
  const FolderOfFiles folder;
  prove_with_edges(dense_layer_with_edges(layers(), folder.path(), {.out = 3}), "shift");
}

void prove_cases(const std::string& implementation, const std::vector<GemmCase>& cases) {
  const Implementation trimmed = with_fewer_layer_values(layers().implementation(implementation));
  for (const GemmCase& one : cases)
    prove_conditions(layers(), trimmed, one.problem, one.wheres, {});
}

TEST(HostConvLayer, Depthwise) {
  prove_cases("depthwise", depthwise_cases());
}
TEST(HostConvLayer, DepthwiseToeplitz) {
  prove_cases("depthwise_toeplitz", depthwise_toeplitz_cases());
}

// What is infinite in one channel stays out of the others' outputs, and out of those whose filter
// does not meet it. Products of tensor cores have zeros there, so they are for accuracy=normwise
// alone.
TEST(HostConvLayer, DepthwiseBesideInfinityAndNan) {
  const FolderOfFiles folder;
  for (LayerWithEdges layer : {dense_layer_with_edges(layers(), folder.path(), {24, 24}),
                               strided_layer_with_edges(layers(), folder.path(), {24, 24})}) {
    layer.problem.push_back("groups=24");
    const auto trimmed = [&](const char* name) {
      return with_fewer_layer_values(layer.family.implementation(name));
    };
    prove_conditions(layer.family, trimmed("depthwise"), layer.problem, {"OUTPUTS_X == 4"}, {});
    expect_normwise_alone(layer, trimmed("depthwise_toeplitz"));
  }
}

TEST(HostConvLayer, DepthwiseWithSnippets) {
  static const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  const std::vector<Family> families = with_each_snippet(layers(), library.snippets());
  for (std::size_t i = 0; i < families.size(); ++i)
    prove_conditions(
        families[i],
        with_fewer_layer_values(
            families[i].implementation(i % 2 == 0 ? "depthwise" : "depthwise_toeplitz")),
        {"width=9", "height=8", "channels_in=24", "groups=24", "batch=1", "type=float16"},
        {i % 4 < 2 ? "STAGES == 2" : "UNITS == 2"}, {});
}

// The reference kernel with the snippet that changes nothing, and all snippets for channels.
void prove_layer_snippets(const std::string& implementation,
                          const std::vector<Assignments>& problems) {
  static const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  const std::vector<Family> families = with_each_snippet(layers(), library.snippets());
  EXPECT_GE(families.size(), 4U);
  for (std::size_t i = 0; i < families.size(); i += step_of_part(3))
    prove_conditions(families[i], with_fewer_values(families[i].implementation(implementation)),
                     joined(problems[i % problems.size()], {"type=float16"}), {"1"}, {});
}

TEST(HostConvLayer, NaiveWithSnippets) {
  prove_layer_snippets("naive", other_layers());
}
TEST(HostConvLayer, MmaWithSnippets) {
  prove_layer_snippets("mma",
                       {{"width=9", "height=8", "channels_in=64", "channels_out=20", "groups=2"}});
}
TEST(HostConvLayer, RowsWithSnippets) {
  prove_layer_snippets("rows", {{"width=40", "height=9", "channels_in=3", "channels_out=20"},
                                {"width=40", "height=9", "channels_in=1", "channels_out=8"}});
}
TEST(HostConvLayer, ShiftWithSnippets) {
  prove_layer_snippets("shift", {{"width=21", "height=12", "channels_in=16", "channels_out=4"}});
}

TEST(HostConvLayer, GeneralDepthwise) {
  for (const char* const name : {"depthwise", "depthwise_toeplitz"})
    prove_general(
        layers(), name, host_bench(),
        {.configurations = 2, .problems = kSanitized ? 2U : 6U, .given = {"type=float16"}});
}

TEST(HostConvLayer, GeneralMma) {
  prove_general(layers(), "mma", host_bench(),
                {.configurations = 2,
                 .problems = kSanitized ? 2U : 10U,
                 .given = {"type=float32", "precision=tf32"}});
}

// One configuration on each of the problems, by another one of the conditions each.
void prove_by_turns(const Family& family, const std::string& implementation,
                    const std::vector<std::string>& conditions,
                    const std::vector<Assignments>& problems, const Assignments& further,
                    std::size_t turn = 0) {
  const Implementation trimmed =
      on_any_device(with_fewer_layer_values(family.implementation(implementation)));
  for (std::size_t i = 0; i < problems.size(); i += step_of_part(4))
    prove_conditions(family, trimmed, joined(problems[i], further),
                     {conditions[(i + turn) % conditions.size()]}, {});
}

// All types that the tensor cores multiply.
std::vector<Assignments> tensor_types() {
  std::vector<Assignments> types = layer_types();
  std::erase_if(types, [](const Assignments& type) {
    return type.front() == "type=float64" || type.back() == "precision=float64" ||
           (type.front() == "type=float32" && type[1] != "precision=tf32");
  });
  return types;
}

TEST(HostConvLayer, Im2colOnImages) {
  const std::vector<Assignments> problems = mapped_layers(2);
  EXPECT_EQ(problems.size(), 15U);
  prove_by_turns(layers(), "im2col", im2col_conditions(), problems, {"type=float16"});
  prove_by_turns(layers(), "im2col", im2col_conditions(), problems,
                 {"type=bfloat16", "accumulate=yes"}, 3);
}

TEST(HostConvLayer, VolumesAndSignals) {
  prove_by_turns(layers(), "im2col", im2col_conditions(), mapped_volumes(), {"type=float16"});
  prove_layers("mma", mapped_volumes(), {"type=bfloat16", "accumulate=yes"});
}

TEST(HostConvLayer, TensorCoresOnPlanarImages) {
  const std::vector<Assignments> problems = planar_layers();
  const std::vector<std::string> bulk_or_shared = {"STORE == 'bulk'", "SPLIT_K > 1"};
  prove_by_turns(layers(), "im2col", bulk_or_shared, problems, {});
  prove_by_turns(layers(), "halo", {"SHAPE == 'rectangle'", "SHAPE == 'line'"}, problems, {});
  prove_layers("mma", problems);
}

TEST(HostConvLayer, TensorCoresOnPatches) {
  prove_by_turns(layers(), "im2col", {"STORE == 'bulk'", "SPLIT_K > 1"}, patch_layers(), {});
  prove_layers("mma", patch_layers());
}

TEST(HostConvLayer, HaloOnImages) {
  const std::vector<Assignments> problems = halo_layers(2);
  EXPECT_EQ(problems.size(), 8U);
  prove_by_turns(layers(), "halo", halo_conditions(), problems, {"type=float16"});
  prove_by_turns(layers(), "halo", halo_conditions(), problems, {"type=bfloat16", "accumulate=yes"},
                 3);
}

TEST(HostConvLayer, RowsByWgmma) {
  const std::vector<Assignments> problems = rows_layers();
  const Implementation rows = on_any_device(layers().implementation("rows"));
  for (std::size_t i = 0; i < problems.size(); ++i)
    prove_conditions(layers(), rows, problems[i], {rows_wgmma_conditions()[i]}, {});
}

// Few channels of the output, whose filters are prepared.
TEST(HostConvLayer, HaloWithSeveralRowsInABand) {
  const std::vector<Assignments> problems = halo_layers(2);
  const Implementation trimmed =
      on_any_device(with_fewer_layer_values(layers().implementation("halo")));
  for (const std::size_t i : {1U, 3U, 5U, 7U})
    prove_conditions(layers(), trimmed, joined(problems[i], {"type=float16"}),
                     {halo_row_conditions()[i / 2 % 2]}, {});
}

// Their filters are prepared, too.
TEST(HostConvLayer, HaloWithGroups) {
  const std::vector<Assignments> problems = halo_group_layers();
  const Implementation trimmed =
      on_any_device(with_fewer_layer_values(layers().implementation("halo")));
  for (std::size_t i = 0; i < problems.size(); i += step_of_part(3))
    prove_conditions(layers(), trimmed,
                     joined(problems[i], {i % 2 == 0 ? "type=float16" : "type=bfloat16"}),
                     {halo_group_conditions()[i]}, {});
}

TEST(HostConvLayer, HaloWithStrides) {
  const std::vector<Assignments> problems = halo_strided_layers();
  const std::vector<std::string> conditions = halo_strided_conditions();
  const Implementation trimmed =
      on_any_device(with_fewer_layer_values(layers().implementation("halo")));
  for (std::size_t i = 0; i < problems.size(); i += step_of_part(3))
    prove_conditions(layers(), trimmed,
                     joined(problems[i], {i % 2 == 0 ? "type=float16" : "type=bfloat16"}),
                     {conditions[i]}, {});
  // The parts have 6 and 5 taps, which float8 adds up in pieces.
  const Assignments layer = {"width=13",        "height=5",        "channels_in=96",
                             "channels_out=24", "filter_width=11", "filter_height=2",
                             "stride_x=2",      "batch=1"};
  const std::vector<Assignments> types = {
      {"type=float8_e4m3"}, {"type=int8"}, {"type=float32", "precision=tf32"}};
  for (std::size_t i = 0; i < types.size(); ++i)
    prove_conditions(layers(), trimmed, joined(layer, types[i]), halo_edge_conditions(), {i, 2});
}

// What is infinite in one group stays out of the others' sums. Halo multiplies it by zeros there,
// so it is for accuracy=normwise alone.
TEST(HostConvLayer, GroupsBesideInfinity) {
  const FolderOfFiles folder;
  const LayerWithEdges layer = grouped_layer_with_edges(layers(), folder.path());
  prove_with_edges(layer, "mma");
  const auto trimmed = [&](const char* name) {
    return on_any_device(with_fewer_layer_values(layer.family.implementation(name)));
  };
  prove_conditions(layer.family, trimmed("im2col"), layer.problem, {"1"}, {});
  expect_normwise_alone(layer, trimmed("halo"));
}

TEST(HostConvLayer, Im2colInEveryType) {
  const std::vector<Assignments> types = tensor_types();
  const std::vector<Assignments> problems = mapped_layers(1);
  EXPECT_EQ(types.size(), 12U);
  for (std::size_t i = 0; i < types.size(); i += step_of_part(2))
    prove_by_turns(layers(), "im2col", im2col_conditions(), {problems[i % problems.size()]},
                   types[i], i);
}

TEST(HostConvLayer, HaloInEveryType) {
  std::vector<Assignments> types = tensor_types();
  std::erase_if(types, [](const Assignments& type) {
    return type.back() == "type_out=int8" || type.back() == "type_out=float8_e4m3";
  });
  const std::vector<Assignments> problems = halo_layers(1);
  EXPECT_EQ(types.size(), 9U);
  for (std::size_t i = 0; i < types.size(); i += step_of_part(2))
    prove_by_turns(layers(), "halo", halo_conditions(), {problems[i % problems.size()]}, types[i],
                   i);
}

// With 11 taps the last piece is shorter than the others, whatever CHUNK_BYTES is.
TEST(HostConvLayer, HaloInFloat8) {
  const Assignments layer = {"width=13",        "height=5",        "channels_in=96",
                             "channels_out=24", "filter_width=11", "filter_height=1",
                             "batch=1"};
  prove_by_turns(layers(), "halo", halo_conditions(), {layer}, {"type=float8_e4m3"}, 1);
  prove_by_turns(layers(), "halo", halo_conditions(), {layer}, {"type=float8_e5m2"}, 2);
}

// Im2col has further taps and channels there, and a line has places between rows, which meet what
// is infinite.
TEST(HostConvLayer, TensorCoresBesideInfinityAndNan) {
  const FolderOfFiles folder;
  const LayerWithEdges dense = dense_layer_with_edges(layers(), folder.path());
  const auto trimmed = [](const LayerWithEdges& layer, const char* name) {
    return on_any_device(with_fewer_layer_values(layer.family.implementation(name)));
  };
  LayerWithEdges halved = dense;
  halved.problem.push_back("stride_x=2");
  const LayerWithEdges strided = strided_layer_with_edges(layers(), folder.path());
  for (const LayerWithEdges& layer : {dense, halved, strided})
    prove_conditions(layer.family, trimmed(layer, "halo"), layer.problem, halo_edge_conditions(),
                     {});
  for (const LayerWithEdges& layer : {dense, strided})
    prove_conditions(
        layer.family, trimmed(layer, "im2col"), layer.problem,
        {"CHUNK_BYTES == 64 && SPANS_K == 2 && SPLIT_K == 1", "CHUNK_BYTES == 32 && SPANS_K == 4"},
        {});
}

TEST(HostConvLayer, TensorCoresWithSnippets) {
  static const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  const std::vector<Family> families = with_each_snippet(layers(), library.snippets());
  const std::vector<Assignments> problems = halo_layers(2);
  for (std::size_t i = 0; i < families.size(); i += step_of_part(3)) {
    const bool halo = i % 2 == 0;
    prove_by_turns(families[i], halo ? "halo" : "im2col",
                   halo ? halo_conditions() : im2col_conditions(), {problems[i % problems.size()]},
                   {"type=float16"}, i / 2);
  }
}

TEST(HostConvLayer, GeneralNaive) {
  prove_general(layers(), "naive", host_bench(),
                {.configurations = 2, .problems = kSanitized ? 2U : 10U});
}

}  // namespace
}  // namespace tilewright::test
