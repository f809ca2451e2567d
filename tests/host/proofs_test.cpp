// The definitions in tests/definitions and the built-in templates give right answers without a
// GPU: against float64, in three orders of threads, shared memory poisoned, in a build with
// sanitizers under those.
#include <gtest/gtest.h>

#include "tests/host/host_support.hpp"
#include "tests/support/convolution_space.hpp"
#include "tests/support/general_proofs.hpp"

namespace tilewright::test {
namespace {

using Assignments = std::vector<std::string>;

// Of each case.
const std::size_t kConfigurations = kSanitized ? (proves_in_full() ? 5 : 2) : 12;

const std::filesystem::path kSource = TILEWRIGHT_SOURCE_DIR;

const Library& templates() {
  static const Library library = Library::load({kSource / "kernel_templates"});
  return library;
}

// The default and some others on every problem; each configuration is compiled once. The first
// problem, on which they are chosen, is the most general.
void prove(const Family& family, const Implementation& implementation,
           const std::vector<Assignments>& problems, std::size_t count = kConfigurations,
           const std::string& where = "1") {
  ProofRunner runner(family, implementation, host_bench());
  runner.open(problems.front());
  const std::vector<Configuration> configurations = runner.sample(count, where);
  for (const Assignments& problem : problems) {
    const std::size_t before = runner.proven();
    if (&problem != &problems.front()) runner.open(problem);
    for (const Configuration& configuration : configurations)
      if (runner.is_legal(configuration)) runner.prove(configuration);
    EXPECT_GT(runner.proven(), before) << "nothing was legal";
  }
}

void prove_manifest(const std::string& name, const std::vector<Assignments>& problems,
                    std::size_t count = kConfigurations) {
  const Family family =
      load_manifest(kSource / "tests" / "definitions" / (name + ".toml"), Library{});
  ASSERT_FALSE(family.implementations.empty());
  for (const Implementation& implementation : family.implementations)
    prove(family, implementation, problems, count);
}

void prove_gemm(const std::string& implementation, const std::string& where = "1",
                std::size_t count = kConfigurations) {
  const Family& family = templates().family("gemm");
  prove(family, family.implementation(implementation),
        {{"M=67", "N=45", "K=33"},
         {"M=64", "N=64", "K=32"},
         {"M=1", "N=70", "K=9"},
         {"M=70", "N=1", "K=5"},
         {"M=3", "N=5", "K=1"}},
        count, where);
}

TEST(HostProofs, SplitKIsTwoLaunchesWithAWorkspace) {
  prove_manifest("split_k", {{"M=33", "N=17", "K=257"}, {"M=1", "N=1", "K=1"}});
}

TEST(HostProofs, SeparableFilterIsTwoPasses) {
  for (const std::string boundary : {"zero", "replicate", "reflect", "mirror", "wrap"})
    prove_manifest("separable2d",
                   {{"height=40", "width=70", "taps=9", "boundary=" + boundary},
                    {"height=3", "width=2", "taps=12", "boundary=" + boundary}},
                   3);
}

TEST(HostProofs, SumHasAStageWhoseSizeDependsOnTheConfiguration) {
  prove_manifest("sum", {{"count=70001"}, {"count=1"}});
}

TEST(HostProofs, GridsAndArgumentsDependOnTheTrip) {
  prove_manifest("shrink", {{"count=20000"}, {"count=64"}, {"count=65"}, {"count=1"}});
}

TEST(HostProofs, IndicesOf64Bits) {
  prove_manifest("pairs", {{"n=5000", "window=20"}, {"n=1", "window=1"}});
}

TEST(HostProofs, KernelsAreOfTheirSourceUnits) {
  prove_manifest("units", {{"count=70001"}, {"count=1"}});
}

TEST(HostProofs, RowPointersAndKernelsWithoutExternC) {
  prove_manifest("csr", {{"rows=500", "columns=300", "nonzeros=8000"},
                         {"rows=1", "columns=9", "nonzeros=200"}});
}

TEST(HostProofs, KernelsFillArgumentsFromOthers) {
  prove_manifest("slopes", {{"n=5000"}, {"n=1"}});
}

TEST(HostProofs, HalfAndBfloat16ByAChoice) {
  for (const std::string type : {"float16", "bfloat16", "float32"})
    prove_manifest("blend", {{"count=3000", "type=" + type}}, 4);
}

// At the frame's points the reference computes what the input holds there. So the kernel, which
// writes zeros, is right only if the fill made a frame of zeros.
TEST(HostProofs, TilesBeyond48KiBAreOfTheLaunch) {
  prove_manifest("large_tile", {{"height=70", "width=140"}}, 4);
}

TEST(HostProofs, ConstantsHaveTheElementsOfArguments) {
  prove_manifest("constants", {{"width=70", "height=40", "filter_width=5", "filter_height=3"},
                               {"width=9", "height=3", "filter_width=1", "filter_height=4"}});
}

TEST(HostProofs, BlocksOfAGridWaitForEachOther) {
  prove_manifest("cooperative", {{"count=30000"}, {"count=1"}}, 6);
}

TEST(HostProofs, LaunchesAreRepeatedAndTheirBuffersChangePlaces) {
  prove_manifest("iterate",
                 {{"width=60", "height=50", "steps=5"}, {"width=9", "height=70", "steps=2"}}, 4);
}

TEST(HostProofs, LaunchesHaveMacrosAndElementsAreVectors) {
  prove_manifest("two_stage", {{"count=3000"}, {"count=1"}}, 6);
}

TEST(HostProofs, TexturesOfOneTwoAndThreeDimensions) {
  for (const std::string type : {"float32", "float16"})
    prove_manifest("texture",
                   {{"width=70", "height=40", "type=" + type},
                    {"width=64", "height=9", "pitch=96", "type=" + type}},
                   4);
  prove_manifest("lookup", {{"count=3000"}, {"count=500", "entries=1"}}, 3);
  prove_manifest("volume", {{"width=40", "height=30", "depth=10"}}, 3);
}

TEST(HostProofs, AsynchronousCopiesByThePlainPath) {
  prove_manifest("async_copy", {{"segment=16386", "segments=3"}, {"segment=16384", "segments=2"}},
                 6);
}

TEST(HostProofs, TensorMapsOfTwoAndThreeDimensions) {
  prove_manifest("tensor_map", {{"width=101", "height=31", "planes=1"}}, 6);
  prove_manifest("tensor_map", {{"width=130", "height=27", "planes=5"}}, 6);
}

// Every swizzle that a map can have.
TEST(HostProofs, TensorMapsThatPermute) {
  const Family family =
      load_manifest(kSource / "tests" / "definitions" / "tensor_map.toml", Library{});
  for (const std::string swizzle : {"32", "64", "128"})
    prove(family, family.implementation("boxes"), {{"width=201", "height=41", "planes=3"}}, 2,
          "SWIZZLE == " + swizzle);
}

// Boxes and pixels with every number of dimensions, ragged at every edge: paddings, strides and
// dilations, and zeros or NaN beyond the images.
TEST(HostProofs, TensorMapsOfLayers) {
  constexpr std::size_t kSome = kSanitized ? 1 : 3;
  const Family family = load_manifest(kSource / "tests" / "definitions" / "layer.toml", Library{});
  const std::vector<Assignments> layers = {
      {"images=3", "depth=5", "height=9", "width=11", "channels=20", "taps_x=2", "dilation=2",
       "padding_x=3", "ghost=2"},
      {"depth=1", "taps_z=1", "padding_y=2", "padding_x=0"},
      {"depth=1", "taps_z=1", "height=1", "taps_y=1", "padding_y=0", "width=40", "images=3"}};
  const std::vector<Assignments> strided = {
      {"stride_x=2", "stride_y=3", "padding_x=2", "channels=20", "ghost=1"},
      {"depth=1", "taps_z=1", "stride_x=3", "stride_y=2", "dilation=3", "padding_y=4"},
      {"depth=1", "taps_z=1", "height=1", "taps_y=1", "padding_y=0", "width=40", "stride_x=3"}};
  for (std::size_t i = 0; i < layers.size(); ++i)
    for (const std::string fill : {"0", "1"}) {
      const std::string where = "RANK == " + std::to_string(5 - i) + " && NAN_FILL == " + fill;
      if (i == 0 && fill == "0") continue;  // zeros are no ghosts
      for (const char* name : {"pixels", "boxes"})
        prove(family, family.implementation(name), {layers[i], strided[i]}, kSome, where);
    }
}

TEST(HostProofs, BoxesStoredInTheWorkspaceAndAnOutput) {
  for (const std::string type : {"float16", "bfloat16"})
    prove_manifest("box_store", {{"width=200", "height=33", "type=" + type}}, 4);
}

TEST(HostProofs, RingsOfBoxesAndClustersThatShareThem) {
  prove_manifest("ring", {{"width=500", "height=75"}}, kSanitized ? 6 : 30);
}

// Gaps between rows and matrices, aligned and not, a shared operand, C added.
const std::vector<Assignments> kStrided = {
    {"M=33", "N=45", "K=17", "batch=3", "lda=35", "ldb=49", "ldc=47", "stride_a=1200",
     "stride_b=2300", "stride_c=1600"},
    {"M=20", "N=64", "K=16", "batch=2", "lda=24", "ldb=64", "ldc=68", "stride_b=0"}};

void prove_strided(const std::string& implementation, const Assignments& choices, std::size_t count,
                   const std::string& where = "1") {
  const Family& family = templates().family("gemm");
  std::vector<Assignments> problems = kStrided;
  for (Assignments& problem : problems)
    problem.insert(problem.end(), choices.begin(), choices.end());
  prove(family, family.implementation(implementation), problems, count, where);
}

TEST(HostProofs, GemmNaive) {
  prove_gemm("naive");
}
TEST(HostProofs, GemmNaiveTransposedStridedAndAccumulating) {
  for (const std::string a : {"no", "yes"})
    for (const std::string b : {"no", "yes"}) {
      for (const std::string accumulate : {"no", "yes"})
        prove_strided("naive", {"transpose_a=" + a, "transpose_b=" + b, "accumulate=" + accumulate},
                      2);
    }
}
TEST(HostProofs, GemmTiledStridedAndAccumulating) {
  for (const std::string accumulate : {"no", "yes"})
    for (const std::string where : {"VECTOR == 1", "VECTOR == 4"})
      prove_strided("tiled", {"accumulate=" + accumulate}, 2, where);
}
void prove_snippets(const std::string& operation, const std::string& implementation,
                    const Assignments& problem, const std::string& where = "1") {
  const std::vector<Family> families =
      with_each_snippet(templates().family(operation), templates().snippets());
  EXPECT_GE(families.size(), 6U);
  const bool is_wide = operation != "gemm";
  // What a snippet does is proven with products, where all run.
  const std::size_t step = is_wide ? step_of_part(3) : 1;
  for (std::size_t i = 0; i < families.size(); i += step) {
    const Implementation& whole = families[i].implementation(implementation);
    prove(families[i], is_wide ? with_fewer_values(whole) : whole, {problem}, 1, where);
  }
}

TEST(HostProofs, GemmNaiveWithSnippets) {
  prove_snippets(
      "gemm", "naive",
      {"M=33", "N=20", "K=17", "batch=2", "ldc=23", "accumulate=yes", "transpose_a=yes"});
}
TEST(HostProofs, GemmTiledWithSnippets) {
  prove_snippets("gemm", "tiled", {"M=33", "N=20", "K=17", "batch=2"}, "VECTOR == 4");
}
TEST(HostProofs, Conv1dWithSnippets) {
  const Assignments problem = {"length=300", "taps=9", "batch=2", "boundary=mirror", "flip=yes"};
  prove_snippets("conv1d", "halo", problem, "ARRANGEMENT == 'contiguous' && OUTPUTS == 4");
  for (const std::string storing : {"direct", "shared"})
    prove_snippets("conv1d", "register", problem, "OUTPUTS == 8 && STORING == '" + storing + "'");
  prove_snippets("conv1d", "fft", {"length=1300", "taps=19", "batch=2", "boundary=mirror"},
                 "TILE == 1024");
}
TEST(HostProofs, Conv2dWithSnippets) {
  prove_snippets("conv2d", "halo",
                 {"width=70", "height=20", "pitch=72", "batch=2", "channels=3", "filter_width=4",
                  "filter_height=3", "boundary=wrap", "filters=per_channel"},
                 "OUTPUTS_X == 4");
  prove_snippets("conv2d", "fft",
                 {"width=70", "height=75", "pitch=72", "batch=2", "channels=3", "filter_width=9",
                  "filter_height=6", "filters=per_channel"},
                 "TILE_ROWS == 64 && TILE_COLUMNS == 64");
}
TEST(HostProofs, Conv3dWithSnippets) {
  const Assignments problem = {
      "width=36",   "height=11",      "depth=5",         "pitch=40",      "batch=2",
      "channels=3", "filter_width=4", "filter_height=3", "boundary=wrap", "filters=per_channel"};
  prove_snippets("conv3d", "halo", problem, "OUTPUTS_X == 4 && QUEUE == 'registers'");
}
TEST(HostProofs, SeparableWithSnippets) {
  const Assignments problem = {"width=70",        "height=20",     "pitch=72",
                               "batch=2",         "channels=3",    "filter_width=4",
                               "filter_height=3", "boundary=wrap", "filters=per_channel"};
  prove_snippets("conv2d_separable", "march", problem, "OUTPUTS_X == 4 && STAGES == 2");
  if (!proves_in_full()) return;
  prove_snippets("conv2d_separable", "fused", problem, "OUTPUTS_X == 4 && MARCH == 2");
  prove_snippets("conv2d_separable", "two_pass", problem);
}
TEST(HostProofs, Stencil3dWithSnippets) {
  prove_snippets(
      "stencil3d", "march",
      {"width=36", "height=11", "depth=5", "pitch=40", "batch=2", "radius=2", "boundary=fixed"},
      "OUTPUTS_X == 4");
}
TEST(HostProofs, GemmTiled) {
  prove_gemm("tiled");
}
TEST(HostProofs, GemmTiledTextbook) {
  prove_gemm("tiled", "COARSEN_X * COARSEN_Y == 1 && BLOCK_X == BLOCK_Y && VECTOR == 1", 4);
}
TEST(HostProofs, GemmTiledInVectors) {
  prove_gemm("tiled", "VECTOR == 4", 4);
}
TEST(HostProofs, GemmTiledDoubleBuffered) {
  prove_gemm("tiled", "DOUBLE_BUFFER == 1 && PADDING == 1", 4);
}

// Each loading with a boundary, on lengths and taps from one to more taps than samples.
void prove_boundary(const std::string& boundary, const std::string& flip) {
  const Family& family = templates().family("conv1d");
  const Assignments choices = {"boundary=" + boundary, "flip=" + flip};
  std::vector<Assignments> problems;
  for (const Assignments& size : std::vector<Assignments>{{"length=1000", "taps=9", "batch=2"},
                                                          {"length=4099", "taps=2", "batch=1"},
                                                          {"length=300", "taps=65", "batch=3"},
                                                          {"length=5", "taps=129", "batch=2"},
                                                          {"length=1", "taps=1", "batch=1"}}) {
    problems.push_back(size);
    problems.back().insert(problems.back().end(), choices.begin(), choices.end());
  }
  for (const std::string loading : {"threads", "cooperative", "cache"})
    for (const std::string arrangement : {"strided", "contiguous"})
      prove(family, family.implementation("halo"), problems, kSanitized ? 1 : 2,
            "STATIC_TAPS == 0 && LOADING == '" + loading + "' && ARRANGEMENT == '" + arrangement +
                "'");
}

TEST(HostProofs, Conv1dZero) {
  prove_boundary("zero", "no");
}
TEST(HostProofs, Conv1dReplicate) {
  prove_boundary("replicate", "yes");
}
TEST(HostProofs, Conv1dReflect) {
  prove_boundary("reflect", "no");
}
TEST(HostProofs, Conv1dMirror) {
  prove_boundary("mirror", "yes");
}
TEST(HostProofs, Conv1dWrap) {
  prove_boundary("wrap", "no");
}

TEST(HostProofs, Conv1dWithCompiledInTapsAndTextbookBlocks) {
  const Family& family = templates().family("conv1d");
  prove(family, family.implementation("halo"), {{"length=2000", "taps=9"}}, 4, "STATIC_TAPS == 1");
  prove(family, family.implementation("halo"), {{"length=8", "taps=3", "batch=3"}}, 4,
        "BLOCK == 4");
}

// What look-ups choose where nobody tuned. Of a part of the proofs `part_problems` with sanitizers.
void prove_general(const std::string& operation, const std::string& implementation,
                   const std::vector<std::string>& given = {}, std::size_t part_problems = 4) {
  GeneralProofs count = !kSanitized        ? GeneralProofs{4, 8}
                        : proves_in_full() ? GeneralProofs{30, 40}
                                           : GeneralProofs{2, part_problems};
  count.given = given;
  prove_general(templates().family(operation), implementation, host_bench(), count);
}

TEST(HostProofs, GeneralGemmBlocked) {
  prove_general("gemm", "blocked");
}
TEST(HostProofs, GeneralGemmMma) {
  prove_general("gemm", "mma", {"type_a=bfloat16"});
}
TEST(HostProofs, GeneralGemmNaive) {
  prove_general("gemm", "naive");
}
TEST(HostProofs, GeneralGemmThin) {
  prove_general("gemm", "thin");
}
TEST(HostProofs, GeneralGemmTiled) {
  prove_general("gemm", "tiled");
}
TEST(HostProofs, GeneralConv1d) {
  prove_general("conv1d", "register");
  prove_general("conv1d", "halo");
  prove_general("conv1d", "fft");
}
TEST(HostProofs, GeneralConv2d) {
  prove_general("conv2d", "halo");
  prove_general("conv2d", "fft", {}, 3);
}
TEST(HostProofs, GeneralConv3d) {
  prove_general("conv3d", "halo");
}
TEST(HostProofs, GeneralSeparable) {
  for (const std::string implementation : {"fused", "march", "two_pass"})
    prove_general("conv2d_separable", implementation, {}, 2);
}
TEST(HostProofs, GeneralStencil3d) {
  prove_general("stencil3d", "march", {}, 2);
  prove_general("stencil3d", "fused_steps", {}, 1);
}

}  // namespace
}  // namespace tilewright::test
