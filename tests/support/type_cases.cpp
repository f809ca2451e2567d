#include "tests/support/type_cases.hpp"

#include <array>

#include "tests/support/convolution_space.hpp"
#include "tests/support/gemm_cases.hpp"
#include "tests/support/layer_cases.hpp"

namespace tilewright::test {
namespace {

using Assignments = std::vector<std::string>;

// Of all pairs of a type and another one's place some are left out. What stays has each type in
// each place, and sums that are wider and narrower than what they are of.
const std::vector<Assignments> kProductTypes = {
    {"type_a=float16"},
    {"type_a=bfloat16"},
    {"type_a=float64"},
    {"type_a=float16", "type_b=bfloat16", "type_c=float32"},
    {"type_a=float32", "type_b=float16", "type_c=bfloat16"},
    {"type_a=bfloat16", "type_b=float64", "type_c=float16"},
    {"type_a=float64", "type_b=float32", "type_c=float64", "precision=float32"},
    {"type_a=bfloat16", "precision=float64"},
};

// What tensor cores multiply.
const std::vector<Assignments> kTensorTypes = {
    {"type_a=float16"},
    {"type_a=bfloat16"},
    {"type_a=float16", "type_c=float32"},
    {"type_a=bfloat16", "type_c=float64"},
    {"type_a=float16", "type_c=bfloat16", "precision=float16"},
    {"type_a=float32", "precision=tf32"},
    {"type_a=float32", "type_c=float16", "precision=tf32"},
    {"type_a=float64"},
    {"type_a=float64", "type_c=float32"},
    {"type_a=float64", "type_c=float16"},
    {"type_a=float64", "type_c=bfloat16"},
};

// What they multiply along K, to which tiles of other layouts are transposed.
const std::vector<Assignments> kSingleBytes = {
    {"type_a=int8"},
    {"type_a=int8", "type_c=int8"},
    {"type_a=float8_e4m3"},
    {"type_a=float8_e5m2", "type_b=float8_e4m3", "type_c=float8_e5m2"},
    {"type_a=int8", "type_c=float32"},
};

// What only some implementations serve: sums of integers, and types of 8 bits and the other
// precisions.
const std::vector<Assignments> kIntegerProductTypes = {
    {"type_a=int8"},
    {"type_a=int8", "type_c=int8"},
    {"type_a=int8", "type_c=bfloat16"},
};
const std::vector<Assignments> kNarrowProductTypes = {
    {"type_a=float8_e4m3"},
    {"type_a=float8_e5m2", "type_b=float8_e4m3", "type_c=float8_e4m3"},
    {"type_a=bfloat16", "type_c=float8_e5m2"},
    {"type_a=float16", "type_b=float8_e5m2"},
    {"type_a=bfloat16", "type_b=float8_e4m3", "type_c=float32"},
    {"type_a=float16", "type_b=int8"},
    {"type_a=int8", "type_b=bfloat16"},
    {"type_a=bfloat16", "type_c=int8"},
    {"type_a=float8_e4m3", "type_b=float32", "precision=float64"},
    {"precision=tf32"},
    {"precision=tf32", "type_c=float16"},
    {"type_a=float16", "precision=float16"},
    {"type_a=float16", "precision=float16", "type_c=float32"},
};

const std::vector<Assignments> kTypes = {{"type=float16"}, {"type=bfloat16"}, {"type=float64"}};

// One case for each set of types, with the problems in turn.
void add(std::vector<TypeCase>& cases, const std::string& operation,
         const std::string& implementation, const std::vector<Assignments>& types,
         const std::vector<Assignments>& problems, const Assignments& wheres) {
  for (std::size_t i = 0; i < types.size(); ++i)
    cases.push_back(
        {operation, implementation, joined(problems[i % problems.size()], types[i]), wheres});
}

void add_products(std::vector<TypeCase>& cases) {
  const Assignments gaps = {"M=20",       "N=68",          "K=36",          "batch=2",
                            "lda=40",     "ldb=72",        "ldc=76",        "stride_a=1600",
                            "stride_b=0", "stride_c=1600", "accumulate=yes"};
  for (const auto* const types : {&kProductTypes, &kNarrowProductTypes, &kIntegerProductTypes})
    add(cases, "gemm", "naive", *types,
        {{"M=37", "N=29", "K=141", "accumulate=yes"},
         gaps,
         {"M=1", "N=5", "K=3", "transpose_a=yes"}},
        {"1"});
  add(cases, "gemm", "tiled", kProductTypes,
      {{"M=67", "N=45", "K=33"}, gaps, {"M=64", "N=64", "K=32"}}, {"VECTOR == 1", "VECTOR == 4"});
  add(cases, "gemm", "blocked", kProductTypes,
      {{"M=67", "N=61", "K=45"},
       gaps,
       {"M=64", "N=64", "K=64", "transpose_b=yes"},
       {"M=36", "N=44", "K=268", "transpose_a=yes", "transpose_b=yes"},
       {"M=32", "N=128", "K=64", "transpose_a=yes"}},
      {"LOADING == 'registers' && SPLIT_K == 1", "LOADING == 'async' && SPLIT_K == 1",
       "LOADING == 'async' && SPLIT_K > 1 && REDUCTION == 'block'", "PACKED == 'both'"});
  for (const auto* const types : {&kProductTypes, &kNarrowProductTypes})
    add(cases, "gemm", "thin", *types,
        {{"M=5", "N=90", "K=141"},
         {"M=16", "N=64", "K=512", "transpose_b=yes"},
         {"M=100", "N=3", "K=301", "accumulate=yes"},
         {"M=4", "N=96", "K=272"}},
        {"LOADING == 'registers' && SPLIT_K == 1", "LOADING == 'async' && SPLIT_K > 1"});
  const Assignments tensor_ways = {"LOADING == 'registers' && SPLIT_K == 1",
                                   "LOADING == 'async' && SPLIT_K == 1",
                                   "LOADING == 'async' && SPLIT_K > 1"};
  add(cases, "gemm", "mma", kTensorTypes,
      {{"M=67", "N=61", "K=45"},
       gaps,
       {"M=72", "N=64", "K=264", "transpose_a=yes", "transpose_b=yes"},
       {"M=34", "N=90", "K=66", "transpose_b=yes"}},
      tensor_ways);
  add(cases, "gemm", "mma", kSingleBytes,
      {{"M=67", "N=61", "K=145", "transpose_b=yes"},
       {"M=64", "N=96", "K=256", "ldb=272", "batch=2", "transpose_b=yes", "accumulate=yes"},
       {"M=20", "N=36", "K=132", "transpose_b=yes"}},
      tensor_ways);
  add(cases, "gemm", "mma", kSingleBytes,
      {{"M=67", "N=61", "K=145"},
       {"M=64", "N=96", "K=256", "lda=80", "batch=2", "transpose_a=yes", "accumulate=yes"},
       {"M=20", "N=36", "K=131", "transpose_a=yes", "transpose_b=yes"},
       {"M=66", "N=34", "K=64", "transpose_a=yes"}},
      tensor_ways);
}

void add_convolutions(std::vector<TypeCase>& cases) {
  add(cases, "conv1d", "halo", kTypes,
      {{"length=1001", "taps=9", "batch=2", "boundary=reflect"}, {"length=7", "taps=32"}},
      {"FILTER == 'global'", "ARRANGEMENT == 'contiguous' && OUTPUTS == 4"});
  add(cases, "conv1d", "register", kTypes,
      {{"length=4000", "taps=33", "batch=2", "boundary=mirror"}, {"length=1003", "taps=8"}},
      {"LOADING == 'cooperative' && FILTER == 'value'", "LOADING == 'async' && MARCH > 1",
       "STORING == 'shared' && FILTER == 'shared'"});
  add(cases, "conv2d", "halo", kTypes,
      {{"width=70", "height=45", "pitch=72", "filter_width=5", "boundary=wrap"},
       {"width=67", "height=23", "filter_width=4", "filter_height=6", "channels=2", "batch=2",
        "filters=per_channel", "flip=yes"}},
      {"LOADING == 'split' && FILTER == 'value'", "LOADING == 'async' && MARCH > 1",
       "LOADING == 'cache'"});
  add(cases, "conv1d", "fft", kTypes,
      {{"length=4001", "taps=35", "batch=2", "boundary=mirror"}, {"length=7", "taps=32"}},
      {"TILE == 4096 && MULTIPLE == 1", "TILE == 8192 && MULTIPLE == 32"});
  add(cases, "conv2d", "fft", kTypes,
      {{"width=150", "height=45", "pitch=152", "filter_width=11", "boundary=wrap"},
       {"width=67", "height=83", "filter_width=10", "filter_height=6", "channels=2", "batch=2",
        "filters=per_channel", "flip=yes"}},
      {"TILE_ROWS == 64 && MULTIPLE == 1", "TILE_ROWS == 128 && MULTIPLE == 8"});
  add(cases, "conv3d", "halo", kTypes,
      {{"width=72", "height=15", "depth=9", "filter_width=3", "filter_depth=4", "boundary=wrap"},
       {"width=35", "height=12", "depth=6", "filter_width=4", "channels=2", "batch=2",
        "filters=per_channel", "flip=yes"}},
      {"QUEUE == 'registers' && LOADING == 'split'", "QUEUE == 'registers' && LOADING == 'async'",
       "QUEUE == 'shared' && LOADING == 'async'"});
  add(cases, "stencil3d", "march", kTypes,
      {{"width=72", "height=15", "depth=9", "radius=3", "boundary=wrap"},
       {"width=35", "height=12", "depth=6", "batch=2", "steps=2", "boundary=fixed"}},
      {"LOADING == 'split'", "LOADING == 'async'", "LOADING == 'async' && VECTOR == 1"});
  add(cases, "stencil3d", "fused_steps", kTypes,
      {{"width=72", "height=35", "depth=9", "steps=3", "boundary=zero"}},
      {"LOADING == 'split'", "LOADING == 'bulk'"});
  // Boxes of vectors of 16 bytes.
  add(cases, "conv3d", "halo", kTypes,
      {{"width=72", "height=15", "depth=9", "filter_width=3", "boundary=replicate"}},
      {"LOADING == 'bulk' && QUEUE == 'registers'", "LOADING == 'bulk' && QUEUE == 'none'"});
  const std::vector<Assignments> planes = {
      {"width=70", "height=45", "pitch=72", "filter_width=5", "boundary=wrap"},
      {"width=67", "height=23", "filter_width=4", "filter_height=6", "channels=2", "batch=2",
       "filters=per_channel", "flip=yes"}};
  add(cases, "conv2d_separable", "two_pass", kTypes, planes,
      {"LOADING == 'cooperative' && FILTER == 'value'",
       "LOADING == 'async' && FILTER == 'shared'"});
  add(cases, "conv2d_separable", "fused", kTypes, planes,
      {"LOADING == 'cooperative' && FILTER == 'value'", "LOADING == 'async' && MARCH > 1",
       "LOADING == 'cache'"});
  add(cases, "conv2d_separable", "march", kTypes, planes,
      {"LOADING == 'cooperative' && FILTER == 'value'", "LOADING == 'async' && STAGES > 2",
       "LOADING == 'cache'"});
}

// What tensor cores multiply in layers, and what they multiply in bytes or in float64.
const std::vector<Assignments> kLayerTypes = {
    {"type=float16"},
    {"type=float32", "precision=tf32"},
    {"type=bfloat16"},
    {"type=float16", "type_out=float32"},
    {"type=float32", "precision=tf32", "type_out=float16"},
    {"type=bfloat16", "type_out=float8_e4m3"},
};
const std::vector<Assignments> kOtherLayerTypes = {
    {"type=float8_e4m3"}, {"type=float8_e5m2", "type_out=float16"}, {"type=int8"},
    {"type=float64"},     {"type=int8", "type_out=bfloat16"},
};

// One case for each problem, with the types in turn.
void add_in_turn(std::vector<TypeCase>& cases, const std::string& implementation,
                 const std::vector<Assignments>& problems, const std::vector<Assignments>& types,
                 const Assignments& wheres) {
  for (std::size_t i = 0; i < problems.size(); ++i)
    add(cases, "conv_layer", implementation, {types[i % types.size()]}, {problems[i]}, wheres);
}

void add_layers(std::vector<TypeCase>& cases) {
  add_in_turn(cases, "mma", image_layers(), {{"type=float32", "precision=tf32"}},
              {"BLOCK_M == 32 && SPLIT_K == 1"});
  for (const auto* const types : {&kLayerTypes, &kOtherLayerTypes})
    add(cases, "conv_layer", "mma", *types,
        {{"width=13", "height=9", "channels_in=64", "channels_out=40", "groups=2", "stride_x=2"},
         {"width=11", "height=14", "channels_in=32", "channels_out=8", "boundary=mirror",
          "accumulate=yes"},
         {"width=9", "height=8", "channels_in=48", "channels_out=70", "boundary=wrap",
          "dilation_x=5", "padding_x=6", "padding_y=2"}},
        {"BLOCK_M == 64 && BLOCK_N == 16 && SPLIT_K == 1", "BLOCK_M == 64 && SPLIT_K > 1",
         "BLOCK_M == 128 && BLOCK_N == 64 && CACHE == 'l2'"});

  const std::vector<Assignments> few_out = {
      {"width=37", "height=21", "channels_in=48", "channels_out=3"},
      {"width=33", "height=9", "channels_in=32", "channels_out=4", "boundary=mirror",
       "accumulate=yes"},
      {"width=19", "height=12", "channels_in=16", "channels_out=2", "filter_width=5",
       "filter_height=3", "dilation_x=2", "dilation_y=1", "padding_x=0"},
      {"width=3", "height=2", "channels_in=32", "channels_out=1", "filter_width=7",
       "filter_height=3"},
      {"width=40", "height=1", "channels_in=64", "channels_out=8", "filter_width=9"},
      {"width=20", "height=30", "channels_in=16", "channels_out=5", "boundary=wrap",
       "filter_width=4", "filter_height=2", "padding_y=3"},
  };
  for (const auto* const types : {&kLayerTypes, &kOtherLayerTypes})
    add_in_turn(cases, "shift", few_out, *types, {"BLOCK_M == 64", "BLOCK_M == 128"});

  add_in_turn(
      cases, "rows",
      {{"width=40", "height=9", "channels_in=3", "channels_out=16", "filter_width=7", "stride_x=2"},
       {"width=21", "height=19", "channels_in=3", "channels_out=24", "padding_x=2",
        "accumulate=yes"},
       {"width=34", "height=12", "channels_in=4", "channels_out=50", "dilation_x=2", "stride_y=2",
        "dilation_y=3"},
       {"width=40", "height=20", "channels_in=5", "channels_out=10", "stride_x=3", "padding_x=0"},
       {"width=17", "height=14", "channels_in=16", "channels_out=33"},
       {"width=3", "height=2", "channels_in=2", "channels_out=12", "filter_width=7",
        "filter_height=5"},
       {"width=50", "height=1", "channels_in=12", "channels_out=10", "filter_width=5",
        "stride_x=2"},
       {"width=2", "height=3", "channels_in=8", "channels_out=12", "padding_x=4", "padding_y=5",
        "width_out=12", "height_out=13"}},
      kLayerTypes, {"FILTERS == 8", "FILTERS == 16", "TILE_WIDTH == 16 && WARPS == 2"});
  add_in_turn(cases, "rows",
              {{"width=43", "height=9", "channels_in=1", "channels_out=8", "filter_width=9"},
               {"width=67", "height=19", "channels_in=1", "channels_out=20", "filter_width=4",
                "filter_height=6", "padding_x=7", "accumulate=yes"},
               {"width=35", "height=3", "channels_in=1", "channels_out=3", "filter_width=16",
                "filter_height=1"}},
              {{"type=float16"}, {"type=bfloat16"}, {"type=float16", "type_out=float32"}},
              {"PRODUCT == 'toeplitz' && WARPS == 2", "PRODUCT == 'mma' && TILE_WIDTH == 32"});
}

}  // namespace

std::vector<TypeCase> type_cases() {
  std::vector<TypeCase> cases;
  add_products(cases);
  add_convolutions(cases);
  add_layers(cases);
  return cases;
}

std::string name_of(const TypeCase& type_case, std::size_t number) {
  std::string name = type_case.operation + "_" + type_case.implementation;
  for (const std::string& assignment : type_case.problem)
    if (assignment.starts_with("type") || assignment.starts_with("precision"))
      name += "_" + assignment.substr(assignment.find('=') + 1);
  return name + "_" + std::to_string(number);
}

Implementation with_fewer_values(const TypeCase& type_case, const Implementation& implementation) {
  return type_case.operation == "gemm" ? with_fewer_gemm_values(implementation)
                                       : with_fewer_values(implementation);
}

}  // namespace tilewright::test
