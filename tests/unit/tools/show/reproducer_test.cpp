#include "tools/show/reproducer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tilewright/error.hpp"
#include "tuner/host/compile/adapt.hpp"

namespace tilewright::tools {
namespace {

PlannedBuffer buffer(const std::string& name, ArgumentRole role, std::int64_t count) {
  PlannedBuffer planned;
  planned.name = name;
  planned.role = role;
  planned.count = count;
  return planned;
}

PlannedArgument argument(PlannedArgument::Kind kind, int index = 0) {
  PlannedArgument planned;
  planned.kind = kind;
  planned.index = index;
  return planned;
}

Reproducer sample() {
  using Kind = PlannedArgument::Kind;
  PlannedLaunch launch;
  launch.entry = "kernel<BLOCK>";
  launch.grid = {11, 12, 13};
  launch.block = {64, 2, 1};
  launch.cluster = {2, 1, 1};
  launch.shared_bytes = 65536;
  launch.arguments = {argument(Kind::argument, 0), argument(Kind::argument, 1),
                      argument(Kind::workspace), argument(Kind::bytes)};
  launch.arguments[2].offset = 256;
  launch.arguments[3].bytes = {0x39, 0x30, 0, 0};
  ReproducedProblem problem;
  problem.label = "length=100";
  problem.buffers = {buffer("in", ArgumentRole::input, 100),
                     buffer("out", ArgumentRole::output, 50)};
  problem.launches = {{launch}, 4096, Workspace::Fill::each};
  Reproducer reproducer;
  reproducer.notes = {"a note"};
  reproducer.kernel.source = "#include \"part.cuh\"\nkernel text\n";
  reproducer.kernel.headers = {{"part.cuh", "#pragma once\nheader text\n"}};
  reproducer.kernel.options = {"-DBLOCK=64"};
  reproducer.seed = 9;
  reproducer.problems = {problem};
  return reproducer;
}

void expect_in(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n"
                                                  << text.substr(text.find("kSeed"));
}

TEST(ReproducerText, HasThePlansNumbers) {
  expect_in(reproducer_text(sample()),
            {"// a note\n", "#define BLOCK 64\n", "header text\n", "kernel text\n", "kSeed = 9U",
             "{11, 12, 13}, {64, 2, 1}, {2, 1, 1}, 65536", "operands.pointer(0) /* in */",
             "workspace.at(256)", "number<4>(12345U)", "scratch(4096, Clear::each)",
             "filled<float>({Filling::uniform, -1, 1}, 100, 0, kSeed)", "poison(200)",
             "is_right(arguments, rules, scratch, call, NoReference())", ", kernel<BLOCK>);"});
}

TEST(ReproducerText, ComparesAndFillsAsASweep) {
  Reproducer reproducer = sample();
  ReproducedProblem& problem = reproducer.problems[0];
  problem.comparison = {false, 64, 2.5, 0x1p-23, 1, 0.25, 0x1p-10};
  problem.comparison.relative = 1e-5;
  problem.buffers[0].type = ElementType::complex64;
  problem.buffers[0].fill = {.kind = Fill::Kind::normal, .mean = 0.5, .deviation = 2};
  expect_in(reproducer_text(reproducer),
            {"const Rules rules = {64, 2.5, false, true, 1.1920928955078125e-07, 1, 0.25, "
             "0.0009765625, -1, 1e-05};",
             "filled<std::complex<float>>({Filling::normal, 0.5, 2}, 100, 0, kSeed)"});
}

TEST(ReproducerText, NeedsNoFileButCudas) {
  const std::string text = reproducer_text(sample());
  EXPECT_EQ(text.find("#include \""), std::string::npos);
  EXPECT_EQ(text.find("#pragma once"), std::string::npos);
  EXPECT_EQ(text.find("cuda.h"), std::string::npos) << "no tensor map, no driver";
}

// Notes and labels come from imports and manifests.
TEST(ReproducerText, KeepsForeignTextOutOfTheCode) {
  const std::string hostile = "boom\r#include <cstdio>\n#error \"x\"\\\xE2\x80\xA8?\?/*/";
  Reproducer reproducer = sample();
  reproducer.notes = {hostile};
  reproducer.problems[0].label = hostile;
  const std::string text = reproducer_text(reproducer);
  for (const char* ending : {"\r", "\xE2\x80\xA8", "\n#error"})
    EXPECT_EQ(text.find(ending), std::string::npos);
  EXPECT_EQ(std::ranges::count(text, '\n'), std::ranges::count(reproducer_text(sample()), '\n'));
  expect_in(text, {"// boom #include <cstdio> #error \"x\"/\\u2028?? /*/\n",
                   R"(("%s\n", "boom\015#include <cstdio>\012#error \042x\042\134)"});
}

TEST(ReproducerText, EncodesTensorMaps) {
  Reproducer reproducer = sample();
  PlannedArgument& map = reproducer.problems[0].launches.launches[0].arguments[0];
  map.kind = PlannedArgument::Kind::tensor_map;
  map.map = {ElementType::float32, {100, 20}, {128}, {32, 4}, 128, 256};
  expect_in(reproducer_text(reproducer),
            {"#include <cuda.h>\n",
             "tensor_map({CU_TENSOR_MAP_DATA_TYPE_FLOAT32, {100, 20}, {512}, {32, 4}, "
             "CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B}, "
             "operands.address(0))"});
}

TEST(ReproducerText, EncodesTensorMapsInIm2colMode) {
  Reproducer reproducer = sample();
  PlannedArgument& map = reproducer.problems[0].launches.launches[0].arguments[0];
  map.kind = PlannedArgument::Kind::tensor_map;
  map.map = {
      ElementType::float16, {8, 9, 7, 2}, {8, 72, 504}, {8, 64}, 0, 0, {-1, -2}, {1, 0}, {2, 3}};
  const std::string begin =
      "tensor_map({CU_TENSOR_MAP_DATA_TYPE_FLOAT16, {8, 9, 7, 2}, {16, 144, 1008}, {8, 64}, "
      "CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, "
      "CU_TENSOR_MAP_FLOAT_OOB_FILL_";
  const std::string end = ", {-1, -2}, {1, 0}, {2, 3}}, operands.address(0))";
  expect_in(reproducer_text(reproducer), {"cuTensorMapEncodeIm2col", begin + "NONE" + end});
  map.map.nan_fill = true;
  expect_in(reproducer_text(reproducer), {begin + "NAN_REQUEST_ZERO_FMA" + end});
}

TEST(ReproducerText, MakesTextures) {
  Reproducer reproducer = sample();
  LaunchPlan& plan = reproducer.problems[0].launches;
  plan.launches[0].arguments[0] = {PlannedArgument::Kind::texture, 1, {}};
  plan.textures = {{0, ElementType::float32, 1, {10}, {}, {}},
                   {0,
                    ElementType::uint8,
                    4,
                    {10, 6},
                    {16},
                    {TextureMemory::array,
                     {TextureAddress::wrap, TextureAddress::border, TextureAddress::clamp},
                     TextureFilter::linear,
                     TextureRead::normalized,
                     TextureCoordinates::normalized}}};
  expect_in(reproducer_text(reproducer),
            {"texture(operands, 1, 0, {2, true, cudaCreateChannelDesc(8, 8, 8, 8, "
             "cudaChannelFormatKindUnsigned), 10, 6, 1, 64, 6}, {{cudaAddressModeWrap, "
             "cudaAddressModeBorder, cudaAddressModeClamp}, cudaFilterModeLinear, "
             "cudaReadModeNormalizedFloat, 0, {}, 1})",
             "class Texture {"});
  EXPECT_EQ(reproducer_text(sample()).find("class Texture"), std::string::npos);
}

TEST(ReproducerText, MapsTheWorkspace) {
  Reproducer reproducer = sample();
  PlannedArgument& map = reproducer.problems[0].launches.launches[0].arguments[2];
  map.kind = PlannedArgument::Kind::workspace_map;
  map.map = {ElementType::bfloat16, {64}, {}, {64}, 0, 0};
  expect_in(reproducer_text(reproducer),
            {"#include <cuda.h>\n",
             "tensor_map({CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, {64}, {}, {64}, "
             "CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE}, "
             "workspace.address(256))"});
}

TEST(ReproducerText, LaunchesMayBeginEarly) {
  Reproducer reproducer = sample();
  expect_in(reproducer_text(reproducer), {"{2, 1, 1}, 65536}, stream"});
  reproducer.problems[0].launches.launches[0].dependent_launch = true;
  expect_in(reproducer_text(reproducer), {"{2, 1, 1}, 65536, true}, stream"});
}

TEST(ReproducerText, LaunchesMayBeCooperative) {
  Reproducer reproducer = sample();
  reproducer.problems[0].launches.launches[0].cooperative = true;
  expect_in(reproducer_text(reproducer), {"{2, 1, 1}, 65536, false, true}, stream"});
}

// The variables are filled when the operands are prepared, which is not timed.
TEST(ReproducerText, FillsConstants) {
  Reproducer reproducer = sample();
  reproducer.problems[0].launches.constants = {{"&mine::d_in", 0, 400}};
  expect_in(reproducer_text(reproducer), {", 100, 0, kSeed), {kernel_1})", ", &mine::d_in);"});
}

TEST(ReproducerText, PassesStructsOfTheirWholeSize) {
  Reproducer reproducer = sample();
  ReproducedProblem& problem = reproducer.problems[0];
  problem.buffers[0].kind = ArgumentKind::array;
  problem.buffers[0].capacity = 128;
  expect_in(reproducer_text(reproducer), {"operands.value<512>(0) /* in */"});
  PlannedArgument& struct_argument = problem.launches.launches[0].arguments[0];
  struct_argument.kind = PlannedArgument::Kind::by_value;
  struct_argument.size = 1024;
  expect_in(reproducer_text(reproducer), {"operands.value<1024>(0) /* in */"});
}

TEST(ReproducerText, KeepsTheReferenceApart) {
  Reproducer reproducer = sample();
  LaunchPlan reference;
  reference.launches.push_back({"right", {7, 1, 1}, {32, 1, 1}, {1, 1, 1}, 0, {}});
  reproducer.problems[0].reference = reference;
  reproducer.reference = CompileRequest{};
  reproducer.reference->source =
      "#include <cuda_fp16.h>\nextern \"C\" __global__ void right() {}\n";
  const std::string text = reproducer_text(reproducer);
  expect_in(text, {"#if __has_include(<./cuda_fp16.h>)\n#include <cuda_fp16.h>\n#endif\n"
                   "namespace tilewright_reference {\n#include <cuda_fp16.h>\nextern \"C++\" "
                   "__global__ void right() {}\n",
                   "launch(\"right\", reference_0, {{7, 1, 1}", "tilewright_reference::right",
                   "is_right(arguments, rules, scratch, call, reference)"});
  EXPECT_LT(text.find("void right()"), text.find("#define BLOCK")) << "it knows no macros";
}

TEST(ReproducerText, DoesNotCompareWhatIsIgnored) {
  Reproducer reproducer = sample();
  reproducer.problems[0].comparison.ignored = {"out"};
  expect_in(reproducer_text(reproducer), {"argument<float>(\"out\", Role::ignored, true,",
                                          "argument<float>(\"in\", Role::input, true,"});
}

TEST(ReproducerText, ForTheHostStandsApartFromTheLibrary) {
  Reproducer reproducer = sample();
  reproducer.shim = host::shim_files();
  reproducer.kernel.source =
      "#include <vector>\nint x = ::f(std::g(), a<b>::c, ::std::d(), decltype(e)::e);\n";
  const std::string text = reproducer_text(reproducer);
  EXPECT_EQ(text.find("#include \""), std::string::npos);
  EXPECT_EQ(text.find("cuda_runtime.h"), std::string::npos);
  const std::size_t begin = text.find("namespace tilewright_program {\n");
  EXPECT_LT(text.find("#if __has_include(<./vector>)"), begin);
  EXPECT_LT(text.find("#if __has_include(<./mutex>)"), begin);
  EXPECT_LT(text.find("#define __shared__"), text.find("int x"));
  expect_in(text, {"#include <vector>\nint x = tilewright_program::f(std::g(), a<b>::c, "
                   "tilewright_program::std::d(), decltype(e)::e);\n",
                   "  return tilewright_program::main(argc, argv);\n"});
  reproducer.problems[0].launches.textures.emplace_back();
  EXPECT_THROW(reproducer_text(reproducer), InputError);
}

TEST(ReproducerText, RunsEveryProblemAndTimesTheFirst) {
  Reproducer reproducer = sample();
  reproducer.problems.push_back(reproducer.problems[0]);
  expect_in(reproducer_text(reproducer), {"right = problem_0(calls, kernel_0) && right;",
                                          "right = problem_1(0, kernel_0) && right;"});
}

}  // namespace
}  // namespace tilewright::tools
