#include "tests/support/layer_kernel_cases.hpp"

#include <utility>

#include "tests/support/layer_cases.hpp"

namespace tilewright::test {

std::vector<GemmCase> blocked_layers() {
  const std::vector<std::string> conditions = {
      "BLOCK_K == 8 && SPLIT_K == 1 && GROUP == 1",
      "THREAD_M == 12 && STAGES == 3",
      "SPLIT_K == 2 && REDUCTION == 'cluster'",
      "THREAD_M == 6 && BLOCK_K == 16",
      "SPLIT_K > 1 && REDUCTION == 'block' && STAGES == 4",
  };
  std::vector<GemmCase> layers;
  for (std::vector<std::string>& layer : image_layers()) {
    layer.emplace_back("type=float32");
    layers.push_back({std::move(layer), {conditions[layers.size() % conditions.size()]}});
  }
  layers.push_back({{"width=9", "height=8", "channels_in=48", "channels_out=70", "dilation_x=5",
                     "padding_x=6", "padding_y=2", "boundary=wrap", "type=float64"},
                    {"CACHE == 'l1'"}});
  layers.push_back({{"width=11", "height=14", "channels_in=32", "channels_out=6", "boundary=mirror",
                     "accumulate=yes", "type_out=float16"},
                    {"BLOCK_K == 32"}});
  return layers;
}

std::vector<GemmCase> window_layers() {
  return {
      {{"width=40", "height=21", "channels_in=3", "channels_out=64", "filter_width=7",
        "stride_x=2"},
       {"THREAD_M == 8 && THREAD_N == 16", "THREAD_M == 4 && BLOCK_N == 64"}},
      {{"width=34", "height=12", "channels_in=4", "channels_out=50", "dilation_x=2", "stride_y=2",
        "dilation_y=3", "accumulate=yes"},
       {"THREAD_M == 8 && THREAD_N == 8"}},
      {{"width=43", "height=9", "channels_in=1", "channels_out=20", "filter_width=9",
        "boundary=mirror", "type=float64"},
       {"LANES_N == 4"}},
      {{"width=40", "height=20", "channels_in=5", "channels_out=10", "stride_x=3", "padding_x=0"},
       {"TILE_HEIGHT == 1"}},
      {{"width=2", "height=3", "channels_in=8", "channels_out=33", "padding_x=4", "padding_y=5",
        "width_out=12", "height_out=13", "type_out=bfloat16"},
       {"TILE_WIDTH == 8"}},
  };
}

std::vector<GemmCase> winograd_layers() {
  return {
      {{"width=13", "height=9", "channels_in=40", "channels_out=36", "padding_x=0", "padding_y=1",
        "type=float32"},
       {"TILE_SIDE == 4 && THREAD_M == 12", "TILE_SIDE == 2 && CHANNELS == 4 && STAGES == 3"}},
      {{"width=6", "height=11", "channels_in=14", "channels_out=10", "padding_x=2", "padding_y=3",
        "accumulate=yes", "type_out=float16"},
       {"TILE_SIDE == 4 && CHANNELS == 2", "TILE_SIDE == 2 && BLOCK_K == 32"}},
      {{"width=1", "height=1", "filter_height=3", "channels_in=13", "channels_out=70",
        "padding_x=3", "padding_y=1", "boundary=replicate"},
       {"TILE_SIDE == 4 && CHANNELS == 1"}},
      {{"width=14", "height=5", "channels_in=16", "channels_out=33", "boundary=wrap",
        "type=float64"},
       {"TILE_SIDE == 2 && BLOCK_K == 8 && LANES_N == 4", "TILE_SIDE == 4"}},
  };
}

std::vector<GemmCase> depthwise_cases() {
  return {
      {{"width=13", "height=9", "channels_in=24", "groups=24", "filter_width=7", "batch=2",
        "type=float16"},
       {"VECTOR == 8 && OUTPUTS_X == 4 && OUTPUTS_Y == 2 && STAGES == 2", "VECTOR == 4"}},
      {{"width=17", "height=14", "channels_in=6", "channels_out=18", "groups=6", "stride_x=2",
        "stride_y=3", "filter_width=4", "filter_height=3", "batch=1", "type=bfloat16",
        "accumulate=yes"},
       {"VECTOR == 1 && OUTPUTS_X == 4"}},
      {{"width=15", "height=11", "channels_in=4", "channels_out=16", "groups=4", "dilation_x=2",
        "dilation_y=3", "batch=1", "boundary=reflect"},
       {"VECTOR == 4 && UNITS == 8", "VECTOR == 2"}},
      {{"width=9", "height=4", "channels_in=16", "groups=16", "filter_width=11", "batch=1",
        "type=int8", "boundary=wrap"},
       {"VECTOR == 8 && OUTPUTS_X == 4"}},
      {{"width=9", "height=4", "channels_in=5", "groups=5", "stride_x=3", "batch=1",
        "type=float64"},
       {"STAGES == 2"}},
  };
}

std::vector<GemmCase> depthwise_toeplitz_cases() {
  return {
      {{"width=21", "height=9", "channels_in=40", "groups=40", "filter_width=7", "batch=2",
        "type=float16"},
       {"UNITS == 4 && FILTERS == 'registers' && STORE == 'staged' && STAGES == 2",
        "UNITS == 2 && FILTERS == 'shared' && ACROSS == 2 && TOGETHER == 2"}},
      {{"width=17", "height=14", "channels_in=16", "groups=16", "stride_x=2", "stride_y=3",
        "filter_width=3", "filter_height=4", "batch=1", "type=bfloat16", "accumulate=yes"},
       {"STRIPS == 2 && FILTERS == 'registers' && ROWS == 3"}},
      {{"width=35", "height=11", "channels_in=24", "groups=24", "dilation_x=4", "dilation_y=2",
        "batch=1", "type=float16", "type_out=float32", "boundary=reflect"},
       {"STRIPS == 4 && ACROSS == 2", "STRIPS == 16 && FILTERS == 'registers'"}},
      {{"width=7", "height=5", "channels_in=8", "groups=8", "filter_width=13", "batch=1",
        "type=float16", "boundary=wrap"},
       {"ROWS == 3 && WARPS == 3 && TOGETHER == 2"}},
  };
}

}  // namespace tilewright::test
