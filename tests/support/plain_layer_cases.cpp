#include "tests/support/plain_layer_cases.hpp"

#include <utility>

#include "tests/support/layer_cases.hpp"

namespace tilewright::test {

std::vector<PlainLayer> blocked_layers() {
  const std::vector<std::string> conditions = {
      "BLOCK_K == 8 && SPLIT_K == 1 && GROUP == 1",
      "THREAD_M == 12 && STAGES == 3",
      "SPLIT_K == 2 && REDUCTION == 'cluster'",
      "THREAD_M == 6 && BLOCK_K == 16",
      "SPLIT_K > 1 && REDUCTION == 'block' && STAGES == 4",
  };
  std::vector<PlainLayer> layers;
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

std::vector<PlainLayer> window_layers() {
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

}  // namespace tilewright::test
