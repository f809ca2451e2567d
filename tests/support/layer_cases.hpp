#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "definition/library/library.hpp"

namespace tilewright::test {

// Problems of conv_layer in two dimensions, with images in nhwc and without accumulation: ragged
// sizes, strides and dilations of 1 to 3, padding on both sides, one or none, groups, images that
// are smaller than a filter, and outputs that lie in the padding alone. No type is given.
std::vector<std::vector<std::string>> image_layers();

// Further ones: signals and volumes, other layouts and boundaries, and outputs that are added to.
std::vector<std::vector<std::string>> other_layers();

// Each type with the precisions and types of outputs that it has.
std::vector<std::vector<std::string>> layer_types();

// A problem, and its operation with an image from a file in the folder and without checks: the
// image's outermost rows and columns are infinite, what no filter meets is NaN, and filters are
// positive. So outputs near the edges are infinite and all others finite, unless a kernel
// multiplies with what it should not.
struct LayerWithEdges {
  Family family;
  std::vector<std::string> problem;
};
struct LayerChannels {
  int in = 24;
  int out = 16;
};
LayerWithEdges dense_layer_with_edges(Family family, const std::filesystem::path& folder,
                                      const LayerChannels& channels = {});
LayerWithEdges strided_layer_with_edges(Family family, const std::filesystem::path& folder,
                                        const LayerChannels& channels = {});

}  // namespace tilewright::test
