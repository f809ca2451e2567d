#include "tuner/search/forest.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tuner/search/shuffle.hpp"

namespace tilewright {
namespace {

struct Split {
  std::uint32_t feature = 0;
  float threshold = 0;
  double gain = 0;  // 0: none found
};

struct Sums {
  double count = 0;
  double total = 0;
  void add(float value) {
    count += 1;
    total += value;
  }
  // The part of the sum of squares that the mean explains.
  double explained() const { return count == 0 ? 0 : total * total / count; }
};

}  // namespace

class Forest::Builder {
 public:
  Builder(const Examples& examples, const ForestOptions& options, std::mt19937_64& random,
          std::vector<Node>& nodes)
      : examples_(examples),
        options_(options),
        random_(random),
        nodes_(nodes),
        columns_(examples.features.size()),
        rows_(examples.size()),
        order_(examples.width) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    for (std::size_t row = 0; row < examples.size(); ++row)
      for (std::size_t i = 0; i < examples.width; ++i)
        columns_[i * examples.size() + row] = examples.features[row * examples.width + i];
  }

  std::uint32_t grow() {
    std::iota(rows_.begin(), rows_.end(), std::uint32_t{0});
    const auto root = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
    divide(root, 0, rows_.size());
    return root;
  }

 private:
  void divide(std::uint32_t node, std::size_t from, std::size_t to) {
    Sums all;
    double squares = 0;
    for (std::size_t i = from; i < to; ++i) {
      const float target = examples_.targets[rows_[i]];
      all.add(target);
      squares += static_cast<double>(target) * static_cast<double>(target);
    }
    const double mean = all.total / std::max(1.0, all.count);
    nodes_[node].value = static_cast<float>(mean);
    nodes_[node].variance =
        static_cast<float>(std::max(0.0, squares / std::max(1.0, all.count) - mean * mean));
    if (to - from < 2 * options_.smallest_leaf || to - from < 2) return;
    const Split split = find_split(from, to);
    if (split.gain <= 0) return;
    const auto middle = std::partition(rows_.begin() + static_cast<std::ptrdiff_t>(from),
                                       rows_.begin() + static_cast<std::ptrdiff_t>(to),
                                       [&, values = column(split.feature)](std::uint32_t row) {
                                         return values[row] < split.threshold;
                                       });
    const auto left = static_cast<std::uint32_t>(nodes_.size());
    nodes_.resize(nodes_.size() + 2);
    nodes_[node].feature = split.feature;
    nodes_[node].threshold = split.threshold;
    nodes_[node].left = left;
    const auto cut = static_cast<std::size_t>(middle - rows_.begin());
    divide(left, from, cut);
    divide(left + 1, cut, to);
  }

  Split find_split(std::size_t from, std::size_t to) {
    Split best;
    const auto wanted = static_cast<std::size_t>(
        std::ceil(options_.tried_features * static_cast<double>(order_.size())));
    std::size_t tried = 0;
    for (std::size_t i = 0; i < order_.size() && tried < wanted; ++i) {
      std::swap(order_[i], order_[i + static_cast<std::size_t>(below(order_.size() - i, random_))]);
      const Split split = try_feature(static_cast<std::uint32_t>(order_[i]), from, to);
      if (split.gain < 0) continue;  // constant here
      ++tried;
      if (split.gain > best.gain) best = split;
    }
    return best;
  }

  Split try_feature(std::uint32_t feature, std::size_t from, std::size_t to) {
    const float* const values = column(feature);
    float low = values[rows_[from]];
    float high = low;
    for (std::size_t i = from + 1; i < to; ++i) {
      low = std::min(low, values[rows_[i]]);
      high = std::max(high, values[rows_[i]]);
    }
    if (low == high) return {feature, low, -1};
    const auto share = static_cast<float>(unit(random_));
    float threshold = low + share * (high - low);
    if (threshold <= low) threshold = high;
    Sums all;
    Sums left;
    for (std::size_t i = from; i < to; ++i) {
      const float target = examples_.targets[rows_[i]];
      const float is_left = values[rows_[i]] < threshold ? 1 : 0;
      all.count += 1;
      all.total += target;
      left.count += is_left;
      left.total += is_left * target;
    }
    const Sums right{all.count - left.count, all.total - left.total};
    const double least = static_cast<double>(options_.smallest_leaf);
    if (left.count < least || right.count < least) return {feature, threshold, 0};
    return {feature, threshold, left.explained() + right.explained() - all.explained()};
  }

  const float* column(std::uint32_t feature) const {
    return columns_.data() + feature * examples_.size();
  }

  const Examples& examples_;
  const ForestOptions& options_;
  std::mt19937_64& random_;
  std::vector<Node>& nodes_;
  std::vector<float> columns_;  // the features, one after the other
  std::vector<std::uint32_t> rows_;
  std::vector<std::size_t> order_;  // of features, shuffled as far as needed
};

Forest Forest::fit(const Examples& examples, const ForestOptions& options,
                   std::mt19937_64& random) {
  Forest forest;
  Builder builder(examples, options, random, forest.nodes_);
  for (std::size_t i = 0; i < options.trees; ++i) forest.roots_.push_back(builder.grow());
  return forest;
}

const Forest::Node& Forest::leaf(std::uint32_t root, std::span<const float> row) const {
  const Node* node = &nodes_[root];
  while (node->left != 0)
    node = &nodes_[node->left + (row[node->feature] < node->threshold ? 0U : 1U)];
  return *node;
}

Prediction Forest::predict(std::span<const float> row) const {
  float total = 0;
  float squares = 0;
  for (const std::uint32_t root : roots_) {
    const Node& found = leaf(root, row);
    total += found.value;
    squares += found.value * found.value + found.variance;
  }
  const auto count = static_cast<float>(roots_.size());
  const float mean = total / count;
  return {mean, std::sqrt(std::max(0.0F, squares / count - mean * mean))};
}

}  // namespace tilewright
