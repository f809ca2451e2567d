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

// Those of image_layers() for conv_layer/im2col, with types of that many bytes: an image's channels
// have a multiple of 16 bytes, of 32 in each of several groups.
std::vector<std::vector<std::string>> mapped_layers(std::size_t bytes);

// Conditions of its configurations, which together have every schedule, store, cluster, chunk and
// way to share K; `im2col` with fewer values of parameters that only multiply the space.
std::vector<std::string> im2col_conditions();
Implementation with_fewer_im2col_values(const Implementation& im2col);

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
LayerWithEdges dense_layer_with_edges(Family family, const std::filesystem::path& folder);
LayerWithEdges strided_layer_with_edges(Family family, const std::filesystem::path& folder);

}  // namespace tilewright::test
