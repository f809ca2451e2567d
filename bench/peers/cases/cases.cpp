#include "bench/peers/cases/cases.hpp"

#include <fmt/format.h>

#include <utility>

#include "bench/peers/cases/tensor_cases.hpp"

namespace tilewright::bench {
namespace {

using Number = std::int64_t;

Case image(Number width, Number height, Number filter_width, Number filter_height) {
  return {fmt::format("conv2d-{}x{}-k{}x{}", width, height, filter_width, filter_height),
          "conv2d",
          {{"width", width},
           {"height", height},
           {"filter_width", filter_width},
           {"filter_height", filter_height}}};
}

// Of both filters' radius.
Case separable(Number width, Number height, Number radius) {
  Case item = image(width, height, 2 * radius + 1, 2 * radius + 1);
  item.name = fmt::format("separable-{}x{}-r{}", width, height, radius);
  item.operation = "conv2d_separable";
  return item;
}

Case volume(Number side, Number size) {
  return {fmt::format("conv3d-{}x{}x{}-k{}x{}x{}", side, side, side, size, size, size),
          "conv3d",
          {{"width", side}, {"height", side}, {"depth", side}, {"filter_width", size}}};
}

Case steps(Number radius, Number count) {
  constexpr Number kSide = 512;
  return {fmt::format("stencil3d-{}x{}x{}-r{}-s{}", kSide, kSide, kSide, radius, count),
          "stencil3d",
          {{"width", kSide},
           {"height", kSide},
           {"depth", kSide},
           {"radius", radius},
           {"steps", count}}};
}

Case of_type(Case item, const char* type) {
  item.name += fmt::format("-{}", type);
  item.problem["type"] = type;
  return item;
}

Case depthwise(Number size) {
  constexpr Number kSide = 256;
  constexpr Number kChannels = 64;
  constexpr Number kBatch = 8;
  Case item = image(kSide, kSide, size, size);
  item.name =
      fmt::format("depthwise-{}x{}x{}x{}-k{}x{}", kBatch, kChannels, kSide, kSide, size, size);
  item.problem["channels"] = kChannels;
  item.problem["batch"] = kBatch;
  item.problem["filters"] = "per_channel";
  return item;
}

Case signal(Number taps, Number length = 1 << 24) {
  return {
      fmt::format("conv1d-{}-t{}", length, taps), "conv1d", {{"length", length}, {"taps", taps}}};
}

Case product(Number m, Number n, Number k) {
  return {fmt::format("gemm-{}x{}x{}", m, n, k), "gemm", {{"M", m}, {"N", n}, {"K", k}}};
}

Case products(Number count, Number size) {
  Case item = product(size, size, size);
  item.name += fmt::format("-b{}", count);
  item.problem["batch"] = count;
  return item;
}

Case transposed(Number size, const std::string& a, const std::string& b) {
  Case item = product(size, size, size);
  item.name += fmt::format("-{}{}", a == "yes" ? 't' : 'n', b == "yes" ? 't' : 'n');
  item.problem["transpose_a"] = a;
  item.problem["transpose_b"] = b;
  return item;
}

Case biased(Number size) {
  Case item = product(size, size, size);
  item.name += "-bias_gelu";
  item.problem["epilogue"] = "bias_gelu";
  return item;
}

void add_products(std::vector<Case>& list) {
  for (const Number size : {100, 256, 300, 512, 700, 1024, 1536, 2048, 3072, 4096, 8192})
    list.push_back(product(size, size, size));
  for (const Number rows : {1, 2, 8, 16, 64}) list.push_back(product(rows, 4096, 4096));
  list.push_back(product(4096, 8, 4096));
  list.push_back(product(33, 4097, 1023));
  list.push_back(product(64, 64, 65536));
  for (const Number depth : {16, 64}) list.push_back(product(4096, 4096, depth));
  list.push_back(product(777, 999, 1234));
  list.push_back(product(1536, 1537, 1535));
  list.push_back(products(64, 256));
  list.push_back(products(256, 128));
  list.push_back(products(12, 1000));
  list.push_back(transposed(2048, "no", "yes"));
  list.push_back(transposed(2048, "yes", "no"));
  list.push_back(transposed(2048, "yes", "yes"));
  for (const Number size : {512, 2048}) list.push_back(biased(size));
}

void add_filters(std::vector<Case>& list) {
  constexpr Number kSide = 4096;
  for (const Number size : {3, 5, 7, 9, 11, 15, 17, 21, 31, 63})
    list.push_back(image(kSide, kSide, size, size));
  list.push_back(image(8192, 8192, 5, 5));
  for (const Number size : {5, 17}) list.push_back(image(1920, 1080, size, size));
  list.push_back(image(1000, 3000, 7, 7));
  list.push_back(image(kSide, kSide, 3, 15));
  list.push_back(image(kSide, kSide, 15, 3));
  for (const Number size : {4, 8}) list.push_back(image(kSide, kSide, size, size));
  for (const Number size : {3, 7, 31}) list.push_back(depthwise(size));
  for (const Number taps : {9, 33, 129, 1025}) list.push_back(signal(taps));
}

void add_separable_filters(std::vector<Case>& list) {
  constexpr Number kSide = 4096;
  for (const Number radius : {1, 2, 4, 6, 8, 12, 32, 64})
    list.push_back(separable(kSide, kSide, radius));
  for (const Number radius : {2, 8}) list.push_back(separable(1920, 1080, radius));
  list.push_back(separable(1000, 3000, 4));
  for (const char* type : {"float16", "bfloat16"})
    for (const Number radius : {2, 6, 12})
      list.push_back(of_type(separable(kSide, kSide, radius), type));
  for (const Number radius : {2, 8})
    list.push_back(of_type(separable(kSide, kSide, radius), "float64"));
}

// At the end of the table, because sweeps of the cases before start with nothing of these.
void add_volumes(std::vector<Case>& list) {
  for (const Number size : {3, 4, 5, 7, 9}) list.push_back(volume(512, size));
  for (const Number side : {64, 256}) list.push_back(volume(side, 3));
  for (const Number radius : {1, 2, 3, 4}) list.push_back(steps(radius, 1));
  for (const Number radius : {1, 2, 4}) list.push_back(steps(radius, 4));
  list.push_back(steps(1, 12));
  list.push_back(of_type(volume(512, 3), "float16"));
  list.push_back(of_type(steps(1, 1), "bfloat16"));
}

// What Fourier transforms are for, where cases of add_filters() are not.
void add_large_filters(std::vector<Case>& list) {
  constexpr Number kTaps = 31;
  list.push_back(image(4096, 4096, 45, 45));
  list.push_back(image(1920, 1080, kTaps, kTaps));
  list.push_back(image(8192, 8192, kTaps, kTaps));
  Case images = image(1024, 1024, kTaps, kTaps);
  images.name += "-b8";
  images.problem["batch"] = 8;
  list.push_back(std::move(images));
  for (const Number taps : {500, 1025}) list.push_back(signal(taps, 10'000'000));
}

}  // namespace

const std::vector<Case>& cases() {
  static const std::vector<Case> list = [] {
    std::vector<Case> all;
    add_filters(all);
    add_separable_filters(all);
    add_products(all);
    for (Case& item : tensor_cases()) all.push_back(std::move(item));
    add_volumes(all);
    add_large_filters(all);
    return all;
  }();
  return list;
}

std::optional<Settings> kernel_tuner_problem(const Problem& problem) {
  constexpr Number kLongest = 33;
  const auto number = [&](const char* name) { return std::get<Number>(problem.values.at(name)); };
  if (problem.operation != "conv2d" || number("channels") * number("batch") > 1)
    return std::nullopt;
  for (const char* name : {"filter_width", "filter_height"})
    if (number(name) % 2 == 0 || number(name) > kLongest || number(name) < 3) return std::nullopt;
  Settings same;
  for (const char* name : {"width", "height", "filter_width", "filter_height"})
    same[name] = number(name);
  return same;
}

}  // namespace tilewright::bench
