#include "tuner/sweep/candidates.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "definition/expected_cycles.hpp"
#include "definition/general.hpp"
#include "definition/problem.hpp"
#include "definition/text/suggest.hpp"
#include "tuner/backend/parallel.hpp"

namespace tilewright {
namespace {

// By digit: which of its values occur in a configuration.
std::vector<std::vector<bool>> values_in_use(const Configurations& configurations) {
  const Radix& radix = configurations.radix();
  std::vector<std::vector<bool>> used;
  for (const Radix::Digit& digit : radix.digits()) used.emplace_back(digit.values.size(), false);
  for (const Code code : configurations.codes())
    for (std::size_t i = 0; i < used.size(); ++i) used[i][radix.place(code, i)] = true;
  return used;
}

// A few settings in which every value in use occurs.
std::vector<Settings> representatives(const Configurations& configurations) {
  std::vector<Settings> settings;
  const auto used = values_in_use(configurations);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const Radix::Digit& digit = configurations.radix().digits()[i];
    std::size_t next = 0;
    for (std::size_t place = 0; place < used[i].size(); ++place) {
      if (!used[i][place]) continue;
      if (next == settings.size()) settings.push_back(configurations[0].values);
      settings[next++][digit.name] = digit.values[place];
    }
  }
  if (settings.empty() && !configurations.empty()) settings.emplace_back();
  return settings;
}

// By place: the level on the axis. Unused values have none.
std::vector<std::uint16_t> levels_of(const SearchAxis& axis, const std::vector<Value>& values) {
  std::vector<std::uint16_t> levels;
  for (const Value& value : values) {
    const auto label = std::find(axis.labels.begin(), axis.labels.end(), to_text(value));
    levels.push_back(label == axis.labels.end()
                         ? SearchGrid::kAbsent
                         : static_cast<std::uint16_t>(label - axis.labels.begin()));
  }
  return levels;
}

// Appends the levels of all configurations. `model` has the levels of one of them. They hold for
// all on axes that are not parameters. The first `parameter_axes` axes are parameters.
void append_levels(const Configurations& configurations, std::vector<std::uint16_t> model,
                   std::size_t parameter_axes, SearchGrid& grid) {
  struct Column {
    std::size_t axis;
    std::size_t digit;
    std::vector<std::uint16_t> levels;
  };
  const Radix& radix = configurations.radix();
  std::vector<Column> columns;
  for (std::size_t axis = 0; axis < parameter_axes; ++axis)
    for (std::size_t digit = 0; digit < radix.digits().size(); ++digit)
      if (radix.digits()[digit].name == grid.axes[axis].name)
        columns.push_back({axis, digit, levels_of(grid.axes[axis], radix.digits()[digit].values)});
  for (const Code code : configurations.codes()) {
    for (const Column& column : columns)
      model[column.axis] = column.levels[radix.place(code, column.digit)];
    grid.levels.insert(grid.levels.end(), model.begin(), model.end());
  }
}

bool rules_out(const Expression& where, const Problem& problem, const Configuration& configuration,
               const Device& device) {
  try {
    return !where.is_true(full_scope(problem, configuration, device));
  } catch (const ExpressionError&) {
    return false;
  }
}

// The parameters that `where` names, and those that depend on others.
std::set<std::string> changeable(const Implementation& implementation, const Expression& where) {
  std::set<std::string> names = where.names();
  for (const Parameter& parameter : implementation.parameters)
    if (parameter.active || parameter.follows) names.insert(parameter.name);
  return names;
}

// The configurations as numbers by parameter, for ExpectedCycles.
class NumbersOf {
 public:
  NumbersOf(const Configurations& configurations, const Implementation& implementation,
            const ExpectedCycles& cycles)
      : configurations_(configurations) {
    const auto& digits = configurations.radix().digits();
    const Configuration model = configurations[0];
    for (const Parameter& parameter : implementation.parameters) {
      Column& column = columns_.emplace_back();
      const auto digit = std::ranges::find(digits, parameter.name, &Radix::Digit::name);
      column.digit = static_cast<std::size_t>(digit - digits.begin());
      if (digit == digits.end())
        column.numbers = {cycles.number_of(*find_value(model, parameter))};
      else
        for (const Value& value : digit->values) column.numbers.push_back(cycles.number_of(value));
    }
  }

  void write(std::size_t configuration, std::vector<std::int64_t>& row) const {
    const Radix& radix = configurations_.radix();
    const Code code = configurations_.codes()[configuration];
    row.clear();
    for (const Column& column : columns_) {
      const bool is_digit = column.digit < radix.digits().size();
      row.push_back(column.numbers[is_digit ? radix.place(code, column.digit) : 0]);
    }
  }

 private:
  struct Column {
    std::size_t digit = 0;              // the number of digits: none, always the same
    std::vector<std::int64_t> numbers;  // by place
  };

  const Configurations& configurations_;
  std::vector<Column> columns_;
};

// Times the least expected cost of what is tried first.
constexpr double kHopeless = 3;
constexpr double kHopelessDefault = 1000;

// As make_search() says.
void order_by_expected(SearchProblem& problem, const std::function<bool(std::size_t)>& is_default) {
  if (problem.expected.empty()) return;
  const auto cost = [&](std::size_t i) {
    return problem.expected[i] > 0 ? problem.expected[i] : no_cost;
  };
  double least = no_cost;
  for (const auto* list : {&problem.first, &problem.suggested})
    for (const std::size_t i : *list) least = std::min(least, cost(i));
  const auto is_hopeless = [&](std::size_t i) {
    return problem.expected[i] > (is_default(i) ? kHopelessDefault : kHopeless) * least;
  };
  for (auto* list : {&problem.first, &problem.suggested}) std::erase_if(*list, is_hopeless);
  auto& first = problem.first;
  const auto seeds = std::stable_partition(first.begin(), first.end(), is_default);
  std::stable_sort(seeds, first.end(),
                   [&](std::size_t one, std::size_t other) { return cost(one) < cost(other); });
}

}  // namespace

void Candidates::add(const Implementation& implementation, Configurations configurations,
                     std::vector<Configuration> first) {
  const std::size_t count = configurations.size();
  parts_.push_back({&implementation, std::move(configurations), size_, std::move(first)});
  size_ += count;
}

Candidate Candidates::operator[](std::size_t i) const {
  const auto behind = std::upper_bound(
      parts_.begin(), parts_.end(), i,
      [](std::size_t candidate, const Part& part) { return candidate < part.first; });
  const Part& part = *std::prev(behind);
  return {part.implementation, part.configurations[i - part.first]};
}

std::optional<std::size_t> Candidates::find(const std::string& implementation,
                                            const Configuration& configuration) const {
  for (const Part& part : parts_) {
    if (part.implementation->full_name() != implementation) continue;
    if (const auto found = part.configurations.find(configuration)) return part.first + *found;
  }
  return std::nullopt;
}

std::vector<std::size_t> Candidates::worth_trying_first(
    const Problem& problem, const Device& device, const std::optional<Expression>& where) const {
  std::vector<std::size_t> first;
  const auto add = [&](const Part& part, const Configuration& wanted) {
    auto place = part.configurations.find(wanted);
    if (!place && where && rules_out(*where, problem, wanted, device))
      place = part.configurations.nearest(wanted, changeable(*part.implementation, *where));
    if (place && !is_among(part.first + *place, first)) first.push_back(part.first + *place);
  };
  for (const Part& part : parts_) add(part, default_configuration(*part.implementation));
  for (const Part& part : parts_)
    for (const Configuration& wanted :
         tilewright::worth_trying_first(*part.implementation, problem, device))
      add(part, wanted);
  for (const Part& part : parts_)
    for (const Configuration& wanted : part.tried_first) add(part, wanted);
  return first;
}

SearchGrid Candidates::grid() const {
  std::vector<std::string> names;  // by part
  std::vector<std::vector<Settings>> settings;
  for (const Part& part : parts_) {
    names.push_back(part.implementation->full_name());
    settings.push_back(representatives(part.configurations));
  }
  std::vector<GridPoint> points;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    for (const Settings& one : settings[i]) points.push_back({names[i], &one});
  const SearchGrid few = make_grid(points);
  SearchGrid grid{few.axes, {}, few.has_implementations};
  grid.levels.reserve(size_ * few.axes.size());
  std::size_t point = 0;
  for (std::size_t i = 0; i < parts_.size(); point += settings[i++].size()) {
    if (settings[i].empty()) continue;
    const auto model = few.of(point);
    append_levels(parts_[i].configurations, {model.begin(), model.end()},
                  few.axes.size() - (few.has_implementations ? 1 : 0), grid);
  }
  return grid;
}

std::vector<double> Candidates::expected(const Problem& problem, const Device& device) const {
  constexpr std::int64_t grain = 50'000;  // takes about 50 ms
  std::vector<double> all(size_, 0);
  for (const Part& part : parts_)
    parallel_ranges(static_cast<std::int64_t>(part.configurations.size()), grain,
                    [&](std::int64_t first, std::int64_t last) {
                      ExpectedCycles cycles(*part.implementation, problem, device);
                      if (!cycles.is_known()) return;
                      const NumbersOf numbers(part.configurations, *part.implementation, cycles);
                      std::vector<std::int64_t> row;
                      for (auto i = static_cast<std::size_t>(first);
                           i < static_cast<std::size_t>(last); ++i) {
                        numbers.write(i, row);
                        const double one = cycles.of(row);
                        if (one > 0 && one != no_cost) all[part.first + i] = one;
                      }
                    });
  const bool has_any = std::ranges::any_of(all, [](double one) { return one > 0; });
  return has_any ? all : std::vector<double>();
}

std::unique_ptr<Strategy> make_search(const SweepRequest& request, const Candidates& candidates) {
  SearchProblem problem{
      .count = candidates.size(),
      .first = candidates.worth_trying_first(request.problem, request.device, request.where),
      .seed = request.seed,
      .budget = request.budget,
      .grid = candidates.grid()};
  for (const Prior& prior : request.priors)
    if (const auto candidate = candidates.find(prior.implementation, prior.configuration))
      problem.priors.push_back({*candidate, prior.ratio});
  for (const Suggestion& one : request.suggested)
    if (const auto candidate = candidates.find(one.implementation, one.configuration))
      problem.suggested.push_back(*candidate);
  if (!request.objective) {
    problem.expected = candidates.expected(request.problem, request.device);
    const auto is_default = [&](std::size_t i) { return candidates[i].is_default(); };
    order_by_expected(problem, is_default);
  }
  return make_strategy(request.strategy, std::move(problem));
}

}  // namespace tilewright
