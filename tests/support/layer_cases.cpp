#include "tests/support/layer_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <utility>

#include "tilewright/narrow_float.hpp"

namespace tilewright::test {
namespace {

using Assignments = std::vector<std::string>;

constexpr int kWidth = 30;
constexpr int kHeight = 11;
constexpr int kBatch = 2;

// In nhwc, of these values where `other(x, y, channel)` is 0, else what it is.
template <class OTHER>
std::filesystem::path image_file(const std::filesystem::path& path, const LayerChannels& channels,
                                 OTHER&& other) {
  std::ofstream file(path, std::ios::binary);
  for (int i = 0; i < kBatch * kHeight * kWidth * channels.in; ++i) {
    const int pixel = i / channels.in;
    const float there = other(pixel % kWidth, pixel / kWidth % kHeight, i % channels.in);
    const float value = there == 0 ? static_cast<float>(i * 7 % 17 - 8) / 8 : there;
    const Float16 half(value);
    if (channels.type == "float32")
      file.write(reinterpret_cast<const char*>(&value), sizeof value);
    else
      file.write(reinterpret_cast<const char*>(&half), sizeof half);
  }
  return path;
}

// The columns x with x % meets >= 2 are NaN, but the last one.
std::filesystem::path image_with_edges(const std::filesystem::path& folder,
                                       const LayerChannels& channels, int meets) {
  const auto other = [&](int x, int y, int) {
    const bool is_edge = x == 0 || x == kWidth - 1 || y == 0 || y == kHeight - 1;
    return is_edge          ? std::numeric_limits<float>::infinity()
           : x % meets >= 2 ? std::numeric_limits<float>::quiet_NaN()
                            : 0.0F;
  };
  return image_file(folder / fmt::format("{}-{}-{}.raw", channels.in, channels.type, meets),
                    channels, other);
}

LayerWithEdges with_edges(Family family, const std::filesystem::path& image,
                          const LayerChannels& channels, Assignments problem) {
  Operation& operation = family.operation;
  operation.checks.clear();
  const auto argument = [&](const char* name) {
    const auto found = std::ranges::find(operation.arguments, name, &Argument::name);
    found->has_own_fill = true;
    return found;
  };
  argument("image")->fill = {.kind = Fill::Kind::file, .file = image};
  argument("filter")->fill = {.kind = Fill::Kind::uniform, .low = 0.5, .high = 1};
  for (const auto& [name, size] :
       {std::pair("width", kWidth), std::pair("height", kHeight), std::pair("batch", kBatch),
        std::pair("channels_in", channels.in), std::pair("channels_out", channels.out)})
    problem.push_back(name + ('=' + std::to_string(size)));
  problem.insert(problem.end(), {"type=" + channels.type, "accuracy=elementwise"});
  return {std::move(family), std::move(problem)};
}

}  // namespace

std::vector<Assignments> image_layers() {
  return {
      {"width=13", "height=9", "channels_in=24", "channels_out=40", "batch=3"},
      {"width=20", "height=11", "channels_in=16", "channels_out=8", "filter_width=5",
       "filter_height=2", "padding_x=0", "padding_y=3"},
      {"width=17", "height=14", "channels_in=8", "channels_out=72", "stride_x=2", "filter_width=3"},
      {"width=19", "height=10", "channels_in=32", "channels_out=24", "stride_x=3", "stride_y=2",
       "filter_width=4", "filter_height=3", "padding_x=2"},
      {"width=15", "height=16", "channels_in=16", "channels_out=16", "dilation_x=2",
       "dilation_y=3"},
      {"width=21", "height=18", "channels_in=16", "channels_out=24", "stride_x=2", "dilation_x=3",
       "dilation_y=2", "padding_x=3", "padding_y=1"},
      {"width=14", "height=14", "channels_in=64", "channels_out=16", "filter_width=1"},
      {"width=15", "height=9", "channels_in=40", "channels_out=16", "filter_width=1", "stride_x=2",
       "padding_x=1"},
      // More padding after an image than before it, then less.
      {"width=12", "height=12", "channels_in=16", "channels_out=16", "stride_x=2", "padding_x=0",
       "padding_y=0", "width_out=6", "height_out=7"},
      {"width=12", "height=12", "channels_in=16", "channels_out=16", "padding_x=2", "padding_y=2",
       "width_out=9", "height_out=10"},
      {"width=3", "height=2", "channels_in=16", "channels_out=16", "filter_width=7",
       "filter_height=5"},
      {"width=2", "height=3", "channels_in=8", "channels_out=8", "padding_x=4", "padding_y=5",
       "width_out=12", "height_out=13"},
      {"width=9", "height=8", "channels_in=64", "channels_out=32", "groups=4"},
      {"width=9", "height=8", "channels_in=24", "channels_out=24", "groups=24"},
      {"width=9", "height=8", "channels_in=6", "channels_out=18", "groups=6", "stride_x=2"},
      {"width=40", "height=9", "channels_in=3", "channels_out=16", "filter_width=7", "stride_x=2"},
      {"width=23", "height=9", "channels_in=1", "channels_out=8", "filter_width=9"},
      {"width=23", "height=12", "channels_in=48", "channels_out=3", "batch=1"},
      {"width=7", "height=7", "channels_in=19", "channels_out=21", "batch=5"},
      {"width=1", "height=1", "channels_in=16", "channels_out=8"},
  };
}

std::vector<Assignments> mapped_layers(std::size_t bytes) {
  std::vector<Assignments> layers = image_layers();
  std::erase_if(layers, [&](const Assignments& layer) {
    std::size_t channels = 0, groups = 1;
    for (const std::string& one : layer) {
      if (one.starts_with("channels_in=")) channels = std::stoul(one.substr(12));
      if (one.starts_with("groups=")) groups = std::stoul(one.substr(7));
    }
    return channels / groups * bytes % (groups > 1 ? 32 : 16) != 0;
  });
  return layers;
}

std::vector<Assignments> mapped_volumes() {
  return {
      {"width=9", "height=7", "depth=5", "channels_in=24", "channels_out=16"},
      {"width=9", "height=6", "depth=8", "channels_in=16", "channels_out=24", "stride_x=2",
       "stride_z=3", "filter_width=4", "filter_height=3", "filter_depth=2", "padding_z=0"},
      {"width=5", "height=4", "depth=3", "channels_in=64", "channels_out=32", "groups=2",
       "filter_width=2", "filter_height=1", "dilation_x=3", "dilation_z=2", "padding_x=2",
       "width_out=7", "padding_z=3", "depth_out=5"},
      {"width=5", "height=4", "depth=3", "channels_in=40", "channels_out=16", "filter_width=1"},
      {"width=61", "height=1", "channels_in=16", "channels_out=24", "filter_width=5",
       "dilation_x=9", "stride_x=2"},
  };
}

std::vector<Assignments> patch_layers() {
  const Assignments video = {"channels_in=3",   "channels_out=16", "filter_width=4",
                             "filter_height=4", "filter_depth=2",  "stride_x=4",
                             "stride_y=4",      "stride_z=2",      "padding_x=0",
                             "padding_y=0",     "padding_z=0"};
  const Assignments small = {"width=12", "height=9", "depth=4"};
  return {
      joined(video, joined(small, {"type=float16"})),
      joined(video, joined(small, {"type=bfloat16", "layout=nchw", "type_out=float32"})),
      {"width=12", "height=16", "channels_in=6", "channels_out=16", "filter_width=4",
       "filter_height=8", "stride_x=4", "stride_y=8", "padding_x=0", "padding_y=0", "batch=5",
       "type=float16"},
      joined(video, {"width=4", "height=4", "depth=2", "batch=11", "type=float16", "layout=nchw"}),
      {"width=19", "height=18", "channels_in=8", "channels_out=24", "filter_width=9", "stride_x=9",
       "padding_x=0", "padding_y=0", "type=float32", "precision=tf32"},
  };
}

std::vector<Assignments> planar_layers() {
  const std::vector<Assignments> layers = {
      {"width=12", "height=6", "channels_in=72", "channels_out=16", "type=float16"},
      {"width=9", "height=7", "channels_in=32", "channels_out=24", "stride_x=2", "type=bfloat16",
       "accumulate=yes"},
      {"width=14", "height=6", "channels_in=16", "channels_out=72", "filter_width=5",
       "filter_height=2", "type=float32", "precision=tf32", "type_out=float16"},
      {"width=13", "height=8", "channels_in=64", "channels_out=32", "groups=4", "type=float16",
       "type_out=float32"},
  };
  std::vector<Assignments> planar;
  for (const Assignments& layer : layers) planar.push_back(joined(layer, {"layout=nchw"}));
  return planar;
}

std::vector<std::string> im2col_conditions() {
  return {
      "SCHEDULE == 'single' && SPLIT_K == 1 && STORE == 'direct'",
      "CHUNK_BYTES == 32 && SPANS_K == 4 && SPLIT_K == 1",
      "SCHEDULE == 'cooperative' && PERSISTENT == 'yes'",
      "SPLIT_K > 1 && REDUCTION == 'block'",
      "SCHEDULE == 'pingpong' && SWAPPED == 'yes'",
      "SPLIT_K > 1 && REDUCTION == 'cluster'",
      "SCHEDULE == 'three' && CLUSTER_M == 2",
      "PIECES == 2 && SPANS_K == 3",
  };
}

std::vector<Assignments> halo_layers(std::size_t bytes) {
  std::vector<Assignments> layers = mapped_layers(bytes);
  std::erase_if(layers, [](const Assignments& layer) {
    return std::ranges::any_of(layer, [](const std::string& one) {
      return one.starts_with("stride") || one.starts_with("groups") || one == "channels_out=3";
    });
  });
  return layers;
}

std::vector<Assignments> halo_strided_layers() {
  return {
      {"width=17", "height=14", "channels_in=8", "channels_out=72", "stride_x=2"},
      {"width=34", "height=11", "channels_in=80", "channels_out=40", "stride_x=2", "filter_width=5",
       "filter_height=2", "padding_x=0"},
      {"width=19", "height=10", "channels_in=32", "channels_out=24", "stride_x=3", "stride_y=2",
       "filter_width=4", "filter_height=3", "padding_x=2"},
      // More padding after an image than before it.
      {"width=12", "height=12", "channels_in=136", "channels_out=16", "stride_x=2", "padding_x=0",
       "padding_y=0", "width_out=6", "height_out=7"},
      {"width=21", "height=18", "channels_in=16", "channels_out=24", "stride_y=2", "dilation_x=3",
       "dilation_y=1", "padding_x=3"},
      {"width=20", "height=9", "channels_in=16", "channels_out=16", "stride_x=2", "filter_width=1",
       "filter_height=4"},
      {"width=3", "height=2", "channels_in=16", "channels_out=16", "stride_x=2", "filter_width=7",
       "filter_height=5"},
      {"width=33", "height=13", "channels_in=64", "channels_out=32", "stride_x=2", "groups=4"},
      {"width=37", "height=9", "channels_in=72", "channels_out=32", "stride_x=2", "stride_y=1"},
      // The output is narrower than the image.
      {"width=31", "height=15", "channels_in=24", "channels_out=16", "stride_x=2", "padding_x=3",
       "width_out=11"},
  };
}

std::vector<std::string> halo_strided_conditions() {
  return {
      "SHAPE == 'line' && SCHEDULE == 'cooperative' && CHANNEL_BANDS == 2",
      "SHAPE == 'rectangle' && SCHEDULE == 'pingpong'",
      "SHAPE == 'line' && SCHEDULE == 'single'",
      "SHAPE == 'line' && SCHEDULE == 'pingpong' && RESIDENT == 'yes'",
      "SHAPE == 'rectangle' && SCHEDULE == 'cooperative' && ACROSS == 2",
      "SHAPE == 'line' && CHUNK_BYTES == 32",
      "SHAPE == 'line' && RESIDENT == 'no'",
      "SHAPE == 'rectangle' && SCHEDULE == 'pingpong' && RESIDENT == 'yes'",
      "LEFT_ROWS == 2",
      "SHAPE == 'line' && SCHEDULE == 'pingpong' && PIXELS == 16",
  };
}

std::vector<std::string> halo_conditions() {
  return {
      "SHAPE == 'rectangle' && SCHEDULE == 'single'",
      "SHAPE == 'line' && SCHEDULE == 'pingpong'",
      "SHAPE == 'rectangle' && SCHEDULE == 'cooperative' && CHANNEL_BANDS == 2",
      "SHAPE == 'line' && ACROSS == 2 && RESIDENT == 'no'",
      "SHAPE == 'rectangle' && SCHEDULE == 'pingpong' && CHUNK_BYTES == 32 && RESIDENT == 'yes'",
      "SHAPE == 'line' && SCHEDULE == 'cooperative' && PIXEL_STAGES == 1",
  };
}

std::vector<std::string> halo_edge_conditions() {
  return {"SHAPE == 'line' && CHUNK_BYTES == 64", "SHAPE == 'rectangle'"};
}

std::vector<std::string> halo_row_conditions() {
  return {"LEFT_ROWS == 2", "LEFT_ROWS == 4 && SCHEDULE == 'pingpong'"};
}

std::vector<Assignments> halo_group_layers() {
  return {
      {"width=9", "height=8", "channels_in=64", "channels_out=32", "groups=4"},
      {"width=19", "height=7", "channels_in=128", "channels_out=128", "groups=32", "batch=1"},
      {"width=18", "height=5", "channels_in=24", "channels_out=24", "groups=24"},
      // The second band has half its channels.
      {"width=21", "height=10", "channels_in=48", "channels_out=96", "groups=3", "filter_width=5",
       "filter_height=2", "padding_x=0"},
      // Two chunks, the second one half.
      {"width=20", "height=6", "channels_in=96", "channels_out=24", "groups=3"},
      {"width=13", "height=9", "channels_in=80", "channels_out=160", "groups=10", "dilation_x=2",
       "dilation_y=3", "batch=1"},
  };
}

std::vector<std::string> halo_group_conditions() {
  return {
      "SHAPE == 'line' && SCHEDULE == 'cooperative'",
      "SHAPE == 'line' && SCHEDULE == 'pingpong' && RESIDENT == 'yes'",
      "SHAPE == 'rectangle' && LEFT_ROWS == 2",
      "SHAPE == 'rectangle' && SCHEDULE == 'pingpong'",
      "LEFT_ROWS == 2 && RESIDENT == 'no'",
      "SHAPE == 'rectangle' && SCHEDULE == 'single' && RESIDENT == 'yes'",
  };
}

std::vector<Assignments> rows_layers() {
  return {
      {"width=40", "height=21", "channels_in=3", "channels_out=64", "filter_width=7", "stride_x=2",
       "type=float16"},
      {"width=34", "height=12", "channels_in=4", "channels_out=50", "dilation_x=2", "stride_y=2",
       "dilation_y=3", "type=bfloat16"},
      {"width=43", "height=9", "channels_in=1", "channels_out=20", "filter_width=9", "type=float16",
       "type_out=float32", "accumulate=yes"},
      {"width=40", "height=20", "channels_in=5", "channels_out=10", "stride_x=3", "padding_x=0",
       "type=float32", "precision=tf32"},
  };
}

std::vector<std::string> rows_wgmma_conditions() {
  return {
      "PRODUCT == 'wgmma' && FILTERS == 64",
      "PRODUCT == 'wgmma' && FILTERS == 32 && WARPS == 8",
      "PRODUCT == 'wgmma' && FILTERS == 24",
      "PRODUCT == 'wgmma' && FILTERS == 8",
  };
}

Implementation with_fewer_layer_values(const Implementation& implementation) {
  if (implementation.name == "depthwise")
    return with_values(implementation, {{"OUTPUTS_X", {1, 4}},
                                        {"OUTPUTS_Y", {1, 2}},
                                        {"THREADS_X", {1, 8}},
                                        {"THREADS_Y", {4}},
                                        {"MIN_BLOCKS", {1}}});
  if (implementation.name == "depthwise_toeplitz")
    return with_values(implementation,
                       {{"ROWS", {1, 2, 3}}, {"WARPS", {1, 3, 4}}, {"MIN_BLOCKS", {1}}});
  if (implementation.name == "halo")
    return with_values(implementation, {{"PIXELS", {16, 64, 96, 184, 240}},
                                        {"FILTER_STAGES", {2, 4}},
                                        {"PIXEL_STAGES", {1, 2}},
                                        {"MIN_BLOCKS", {1}}});
  return with_values(implementation, {{"BLOCK_M", {16, 64, 128, 192}},
                                      {"BLOCK_N", {16, 64, 128}},
                                      {"STAGES", {3, 4}},
                                      {"SPLIT_K", {1, 2, 3}},
                                      {"GROUP", {1, 4}},
                                      {"CLUSTER_M", {1, 2}},
                                      {"MIN_BLOCKS", {1}}});
}

std::vector<Assignments> other_layers() {
  return {
      {"width=50", "height=1", "channels_in=12", "channels_out=10", "filter_width=5", "stride_x=2"},
      {"width=31", "height=1", "channels_in=6", "channels_out=9", "groups=3", "dilation_x=3",
       "layout=nchw", "accumulate=yes"},
      {"width=9", "height=7", "depth=5", "channels_in=6", "channels_out=4"},
      {"width=9", "height=7", "depth=6", "channels_in=4", "channels_out=6", "groups=2",
       "stride_x=2", "stride_z=3", "dilation_z=2", "padding_z=0", "layout=nchw",
       "boundary=replicate"},
      {"width=13", "height=9", "channels_in=10", "channels_out=6", "layout=nchw",
       "filter_layout=krsc", "boundary=reflect"},
      {"width=13", "height=9", "channels_in=10", "channels_out=6", "filter_layout=kcrs",
       "boundary=mirror", "accumulate=yes"},
      {"width=4", "height=3", "channels_in=8", "channels_out=8", "filter_width=9", "boundary=wrap"},
  };
}

std::vector<Assignments> layer_types() {
  return {
      {"type=float16"},
      {"type=bfloat16"},
      {"type=float16", "type_out=float32"},
      {"type=bfloat16", "type_out=float8_e4m3"},
      {"type=float32", "precision=tf32"},
      {"type=float32", "precision=tf32", "type_out=float16"},
      {"type=float8_e4m3"},
      {"type=float8_e5m2", "type_out=float16"},
      {"type=float8_e4m3", "type_out=float8_e4m3"},
      {"type=int8"},
      {"type=int8", "type_out=int8"},
      {"type=int8", "type_out=bfloat16"},
      {"type=float64"},
      {"type=float32", "type_out=bfloat16"},
      {"type=float16", "precision=float64"},
  };
}

LayerWithEdges dense_layer_with_edges(Family family, const std::filesystem::path& folder,
                                      const LayerChannels& channels) {
  return with_edges(std::move(family), image_with_edges(folder, channels, 2), channels,
                    {"filter_width=3"});
}

LayerWithEdges grouped_layer_with_edges(Family family, const std::filesystem::path& folder) {
  const auto other = [](int, int, int channel) {
    return channel >= 64 ? std::numeric_limits<float>::infinity() : 0.0F;
  };
  const LayerChannels channels = {.in = 128, .out = 32};
  return with_edges(std::move(family), image_file(folder / "groups.raw", channels, other), channels,
                    {"filter_width=3", "groups=4"});
}

LayerWithEdges strided_layer_with_edges(Family family, const std::filesystem::path& folder,
                                        const LayerChannels& channels) {
  return with_edges(std::move(family), image_with_edges(folder, channels, 3), channels,
                    {"filter_width=2", "filter_height=3", "stride_x=3", "stride_y=1", "padding_x=0",
                     "padding_y=1"});
}

}  // namespace tilewright::test
