#include "tuner/search/grid.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kImplementation = "implementation";

// Gives every label of an axis its level.
class Labels {
 public:
  void add(const std::string& label) {
    levels_.emplace(label, 0);
    ++uses_;
  }

  SearchAxis axis(const std::string& name) {
    if (levels_.size() >= SearchGrid::kAbsent)
      throw InputError("parameter " + name + " has " + std::to_string(levels_.size()) +
                       " values; at most 65534 can be searched");
    SearchAxis axis;
    axis.name = name;
    std::vector<std::pair<double, std::string>> numbers;
    for (const auto& [label, level] : levels_) {
      axis.labels.push_back(label);
      if (const auto number = number_in(label)) numbers.emplace_back(*number, label);
    }
    if (numbers.size() == levels_.size()) {
      std::sort(numbers.begin(), numbers.end());
      axis.labels.clear();
      for (auto& [number, label] : numbers) {
        axis.values.push_back(number);
        axis.labels.push_back(std::move(label));
      }
    }
    for (std::size_t i = 0; i < axis.labels.size(); ++i)
      levels_[axis.labels[i]] = static_cast<std::uint16_t>(i);
    return axis;
  }

  std::uint16_t level(const std::string& label) const { return levels_.at(label); }
  bool is_constant(std::size_t points) const { return levels_.size() == 1 && uses_ == points; }

 private:
  std::map<std::string, std::uint16_t> levels_;
  std::size_t uses_ = 0;
};

template <class Use>
void for_each_value(const GridPoint& point, Use use) {
  use(std::string(kImplementation), std::string(point.implementation));
  for (const auto& [name, value] : *point.settings) use("." + name, to_text(value));
}

std::uint64_t hash_of(std::span<const std::uint16_t> levels) {
  std::uint64_t hash = 0x9E3779B97F4A7C15;
  for (const std::uint16_t level : levels) {
    hash = (hash ^ level) * 0xBF58476D1CE4E5B9;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

std::optional<double> number_in(const std::string& label) {
  double number = 0;
  const char* const end = label.data() + label.size();
  const auto [last, error] = std::from_chars(label.data(), end, number);
  if (label.empty() || error != std::errc{} || last != end) return std::nullopt;
  return number;
}

SearchGrid make_grid(const std::vector<GridPoint>& points) {
  std::map<std::string, Labels> columns;  // parameters begin with '.', so that no name occurs twice
  for (const GridPoint& point : points)
    for_each_value(point, [&](const std::string& name, const std::string& label) {
      columns[name].add(label);
    });
  std::erase_if(columns, [&](const auto& item) { return item.second.is_constant(points.size()); });
  SearchGrid grid;
  grid.has_implementations = columns.contains(std::string(kImplementation));
  std::map<std::string, std::size_t> places;
  for (auto& [name, labels] : columns) {
    places[name] = grid.axes.size();
    grid.axes.push_back(labels.axis(name.starts_with('.') ? name.substr(1) : name));
  }
  grid.levels.assign(points.size() * grid.axes.size(), SearchGrid::kAbsent);
  for (std::size_t i = 0; i < points.size(); ++i)
    for_each_value(points[i], [&](const std::string& name, const std::string& label) {
      const auto place = places.find(name);
      if (place == places.end()) return;
      grid.levels[i * grid.axes.size() + place->second] = columns.at(name).level(label);
    });
  return grid;
}

Neighbours::Neighbours(const SearchGrid& grid) : grid_(grid) {
  by_hash_.reserve(grid.size());
  for (std::size_t i = 0; i < grid.size(); ++i) by_hash_.emplace_back(hash_of(grid.of(i)), i);
  std::sort(by_hash_.begin(), by_hash_.end());
}

std::size_t Neighbours::find(std::span<const std::uint16_t> levels) const {
  const std::uint64_t hash = hash_of(levels);
  auto item = std::lower_bound(by_hash_.begin(), by_hash_.end(), std::pair(hash, std::size_t{0}));
  for (; item != by_hash_.end() && item->first == hash; ++item)
    if (std::ranges::equal(levels, grid_.of(item->second))) return item->second;
  return grid_.size();
}

std::vector<std::size_t> Neighbours::around(std::size_t candidate) const {
  std::vector<std::size_t> found;
  const auto own = grid_.of(candidate);
  std::vector<std::uint16_t> levels(own.begin(), own.end());
  for (std::size_t axis = 0; axis < levels.size(); ++axis) {
    if (own[axis] == SearchGrid::kAbsent) continue;
    for (std::size_t level = 0; level < grid_.axes[axis].labels.size(); ++level) {
      levels[axis] = static_cast<std::uint16_t>(level);
      if (level == own[axis]) continue;
      const std::size_t other = find(levels);
      if (other < grid_.size()) found.push_back(other);
    }
    levels[axis] = own[axis];
  }
  return found;
}

}  // namespace tilewright
