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

// Those of image_layers() for kernels with tensor maps, with types of that many bytes: an image's
// channels have a multiple of 16 bytes, of 32 in each of several groups.
std::vector<std::vector<std::string>> mapped_layers(std::size_t bytes);

// Volumes and a signal for the same, with types of 16 bits.
std::vector<std::vector<std::string>> mapped_volumes();

// Patches (stride = filter) for im2col and mma, their types included: in both layouts, whole
// images, and with strides beyond those of tensor maps.
std::vector<std::vector<std::string>> patch_layers();

// Images in nchw for im2col, halo and mma, their types included: rows of 16 or 8 bytes and others,
// several tiles each way.
std::vector<std::vector<std::string>> planar_layers();

// Those of mapped_layers() for conv_layer/halo, whose output has 16 bytes of channels or a
// multiple, too.
std::vector<std::vector<std::string>> halo_layers(std::size_t bytes);

// Problems with strides for halo with types of 16 bits: odd and even sizes, one axis or both, with
// groups, and with fewer columns or rows of taps than a stride. And a condition for each of them.
std::vector<std::vector<std::string>> halo_strided_layers();
std::vector<std::string> halo_strided_conditions();

// Conditions of configurations of im2col or halo, which together have every schedule, store,
// cluster, shape, chunk and way to share K; the implementation with fewer values of parameters that
// only multiply the space.
std::vector<std::string> im2col_conditions();
std::vector<std::string> halo_conditions();
// Two of either shape, for what lies beyond edges.
std::vector<std::string> halo_edge_conditions();
// With several rows in a band.
std::vector<std::string> halo_row_conditions();
// Problems with groups for halo with types of 16 bits, and a condition for each of them: groups of
// 1 to 32 channels, in one band or several, and with several rows in a band.
std::vector<std::vector<std::string>> halo_group_layers();
std::vector<std::string> halo_group_conditions();
// Problems for rows by wgmma, their types included, and a condition for each of them.
std::vector<std::vector<std::string>> rows_layers();
std::vector<std::string> rows_wgmma_conditions();
Implementation with_fewer_layer_values(const Implementation& implementation);

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
  std::string type = "float16";  // or float32
};
LayerWithEdges dense_layer_with_edges(Family family, const std::filesystem::path& folder,
                                      const LayerChannels& channels = {});
// The same but four groups, of which all channels of two are infinite, so that the outputs of both
// are, and all others finite.
LayerWithEdges grouped_layer_with_edges(Family family, const std::filesystem::path& folder);
LayerWithEdges strided_layer_with_edges(Family family, const std::filesystem::path& folder,
                                        const LayerChannels& channels = {});

}  // namespace tilewright::test
