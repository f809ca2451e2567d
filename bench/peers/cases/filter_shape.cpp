#include "bench/peers/cases/filter_shape.hpp"

#include "bench/peers/cases/entrant.hpp"

namespace tilewright::bench {
namespace {

int number(const Problem& problem, const char* name) {
  return static_cast<int>(std::get<std::int64_t>(problem.values.at(name)));
}

std::string label(const Problem& problem, const char* name) {
  return std::get<std::string>(problem.values.at(name));
}

FilterShape signal_shape(const Problem& problem) {
  FilterShape shape;
  shape.width = shape.pitch = number(problem, "length");
  shape.filter_width = number(problem, "taps");
  shape.anchor_x = shape.filter_width / 2;
  shape.batch = number(problem, "batch");
  return shape;
}

FilterShape image_shape(const Problem& problem) {
  FilterShape shape;
  shape.width = number(problem, "width");
  shape.height = number(problem, "height");
  shape.pitch = number(problem, "pitch");
  shape.filter_width = number(problem, "filter_width");
  shape.filter_height = number(problem, "filter_height");
  shape.anchor_x = number(problem, "anchor_x");
  shape.anchor_y = number(problem, "anchor_y");
  shape.channels = number(problem, "channels");
  shape.batch = number(problem, "batch");
  shape.own_filters = label(problem, "filters") == "per_channel";
  if (!problem.values.contains("depth")) return shape;
  shape.depth = number(problem, "depth");
  shape.filter_depth = number(problem, "filter_depth");
  shape.anchor_z = number(problem, "anchor_z");
  return shape;
}

}  // namespace

FilterShape filter_shape(const Problem& problem) {
  FilterShape shape =
      problem.values.contains("length") ? signal_shape(problem) : image_shape(problem);
  shape.boundary = label(problem, "boundary");
  if (label(problem, "flip") == "yes") throw CannotCompete("filters are not flipped here");
  return shape;
}

FilterShape rows_of(FilterShape shape) {
  shape.filter_height = 1;
  shape.anchor_y = 0;
  return shape;
}

FilterShape columns_of(FilterShape shape) {
  shape.filter_width = 1;
  shape.anchor_x = 0;
  return shape;
}

}  // namespace tilewright::bench
