#pragma once

#include <cstdint>
#include <string>

#include "tilewright/settings.hpp"

namespace tilewright::bench {

// A problem of conv3d, conv2d, conv2d_separable or conv1d in the terms of other libraries. A signal
// is an image of one row, an image a volume of one plane.
struct FilterShape {
  int width = 1;
  int height = 1;
  int depth = 1;
  int pitch = 1;  // elements from one row to the next
  int filter_width = 1;
  int filter_height = 1;
  int filter_depth = 1;
  int anchor_x = 0;
  int anchor_y = 0;
  int anchor_z = 0;
  int channels = 1;
  int batch = 1;
  bool own_filters = false;  // one for each channel
  std::string boundary;

  int planes() const { return channels * batch; }
  int taps() const { return filter_width * filter_height * filter_depth; }
  bool is_volume() const { return depth > 1 || filter_depth > 1; }
};

// Throws CannotCompete for flipped filters, because no rival computes them.
FilterShape filter_shape(const Problem& problem);

// The indices of the operations' arguments. Those of conv2d_separable are the image, both filters
// and the output.
inline constexpr std::size_t kImage = 0;
inline constexpr std::size_t kFilter = 1;
inline constexpr std::size_t kOutput = 2;
inline constexpr std::size_t kRowFilter = 1;
inline constexpr std::size_t kColumnFilter = 2;
inline constexpr std::size_t kFilteredOutput = 3;

// One of both parts of a separable filter: the same image, one tap along the other axis.
FilterShape rows_of(FilterShape shape);
FilterShape columns_of(FilterShape shape);

}  // namespace tilewright::bench
