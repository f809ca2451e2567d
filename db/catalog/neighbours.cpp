#include "db/catalog/neighbours.hpp"

#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "definition/json/canonical_settings.hpp"

namespace tilewright {
namespace {

// The index of each dimension with the role `distance`. Sorted by name, as settings are.
std::map<std::string_view, std::size_t> counted_dimensions(const Operation& operation) {
  std::map<std::string_view, std::size_t> places;
  for (const Dimension& dimension : operation.dimensions)
    if (dimension.role == ProblemRole::distance) places.emplace(dimension.name, places.size());
  return places;
}

// A dimension that the settings lack makes the distance infinite.
void append_logarithms(std::string_view settings,
                       const std::map<std::string_view, std::size_t>& dimensions,
                       std::vector<double>& logarithms) {
  const std::size_t first = logarithms.size();
  logarithms.resize(first + dimensions.size(), std::numeric_limits<double>::infinity());
  CanonicalSettings pairs(settings);
  for (const auto& [name, place] : dimensions) {
    auto pair = pairs.next();
    while (pair && pair->name != name) pair = pairs.next();
    const auto* size = pair ? std::get_if<std::int64_t>(&pair->value) : nullptr;
    if (size == nullptr) return;
    logarithms[first + place] = ladder::logarithm(*size);
  }
}

}  // namespace

NearbySubjects::NearbySubjects(const Operation& operation, SubjectList measured)
    : measured_(std::move(measured)) {
  const auto dimensions = counted_dimensions(operation);
  dimensions_ = dimensions.size();
  logarithms_.reserve(measured_.rows.size() * dimensions_);
  for (const SubjectList::Row& one : measured_.rows)
    append_logarithms(one.settings, dimensions, logarithms_);
}

// The subjects in the form that the ladder's core reads, with the place and device of the question.
class NearbySubjects::Asked {
 public:
  Asked(NearbySubjects& subjects, const Operation& operation, const Place& place,
        const Device& device)
      : subjects_(subjects), operation_(operation), place_(place) {
    for (const Device& known : subjects.measured_.devices) {
      between_.push_back(ladder::distance_between(known, device));
      is_here_.push_back(is_same(known, device));
    }
  }

  int count() const { return static_cast<int>(subjects_.measured_.rows.size()); }
  std::optional<double> device_distance(int i) const { return between_[device_of(i)]; }
  double problem_distance(int i) const {
    return ladder::distance_between(
        subjects_.logarithms_.data() + static_cast<std::size_t>(i) * subjects_.dimensions_,
        place_.logarithms().data(), static_cast<int>(subjects_.dimensions_));
  }
  int sort(int i) const { return is_here_[device_of(i)] ? 0 : 1; }
  bool is_same_class(int i) const {
    const auto& there = subjects_.place_of(operation_, static_cast<std::size_t>(i));
    return there && there->is_same_class(place_);
  }

 private:
  std::size_t device_of(int i) const {
    return subjects_.measured_.rows[static_cast<std::size_t>(i)].device;
  }

  NearbySubjects& subjects_;
  const Operation& operation_;
  const Place& place_;
  std::vector<std::optional<double>> between_;  // by device
  std::vector<bool> is_here_;
};

std::vector<SubjectList::Row> NearbySubjects::near(const Operation& operation,
                                                   const Problem& problem, const Device& device) {
  std::vector<SubjectList::Row> found;
  const auto place = Place::of(operation, problem, device);
  if (!place) return found;
  ladder::Nearest here_and_elsewhere[2];
  ladder::find_nearest(Asked(*this, operation, *place, device), here_and_elsewhere);
  for (const ladder::Nearest& nearest : here_and_elsewhere)
    for (int i = 0; i < nearest.count; ++i)
      found.push_back(measured_.rows[static_cast<std::size_t>(nearest.subject[i])]);
  return found;
}

const std::optional<Place>& NearbySubjects::place_of(const Operation& operation,
                                                     std::size_t measured) {
  const auto [known, is_new] = places_.try_emplace(measured);
  const SubjectList::Row& one = measured_.rows[measured];
  auto settings = is_new ? settings_from_canonical(one.settings) : std::nullopt;
  if (settings)
    known->second =
        Place::of(operation, {operation.name, *std::move(settings)}, measured_.devices[one.device]);
  return known->second;
}

}  // namespace tilewright
