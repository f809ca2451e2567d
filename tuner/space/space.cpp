#include "tuner/space/space.hpp"

#include <algorithm>
#include <exception>
#include <span>
#include <stdexcept>
#include <utility>

#include "definition/general.hpp"
#include "definition/text/errors.hpp"
#include "tuner/backend/parallel.hpp"
#include "tuner/space/bindings.hpp"
#include "tuner/space/formulas.hpp"
#include "tuner/space/limits.hpp"
#include "tuner/space/propagation.hpp"
#include "tuner/space/rules.hpp"

namespace tilewright {
namespace {

constexpr std::uint64_t kSampleSeed = 20260101;
// Combinations are judged in parts, on all cores. Each part remembers its own verdicts.
constexpr std::size_t kFewestOfAPart = 4096;
constexpr std::size_t kMostParts = 128;

class SpaceBuilder {
 public:
  SpaceBuilder(const Operation& operation, const Implementation& implementation,
               const Problem& problem, const Device& device, const std::optional<Expression>& where,
               const SpaceLimits& limits)
      : operation_(operation),
        implementation_(implementation),
        problem_(problem),
        device_(device),
        limits_(limits),
        bindings_(implementation, problem, device),
        formulas_(implementation, bindings_),
        radix_(implementation.parameters),
        rules_(make_rules(implementation, where, bindings_)) {
    for (const Rule& rule : rules_) formula_of_.push_back(add_formula(rule));
  }

  Space build() {
    space_.combinations = count_combinations();
    const auto ask_tree = [this](std::size_t rule, const Places& places) {
      return ask(rule, places);
    };
    const auto found = propagate({formulas_, formula_of_, ask_tree}, limits_.steps);
    if (!found)
      throw bad_input(
          "{}: the constraints on {} combinations depend on each other in too many ways to "
          "enumerate; narrow them with constraints, fewer values or --where",
          implementation_.full_name(), space_.combinations);
    count_cuts(*found);
    space_.satisfying = static_cast<std::int64_t>(found->satisfying.size());
    apply_limits(choose(found->satisfying));
    return std::move(space_);
  }

 private:
  FormulaId add_formula(const Rule& rule) {
    const ExpressionNode& condition = rule.condition.root();
    if (!rule.inactive) return formulas_.add(condition);
    const Value& canonical = implementation_.parameters[*rule.inactive].default_value;
    return formulas_.add_unless(*rule.inactive, canonical, condition);
  }

  std::int64_t count_combinations() const {
    std::int64_t combinations = 1;
    for (const Parameter& parameter : implementation_.parameters) {
      const auto values = static_cast<std::int64_t>(parameter.values.size());
      if (__builtin_mul_overflow(combinations, values, &combinations))
        throw bad_input("{}: the number of combinations does not fit into 64 bits",
                        implementation_.full_name());
    }
    return combinations;
  }

  void bind(const Places& places) {
    for (std::size_t i = 0; i < places.size(); ++i)
      bindings_.bind(i, implementation_.parameters[i].values[places[i]]);
  }

  std::optional<bool> ask(std::size_t rule, const Places& places) {
    bind(places);
    try {
      return accepts(rules_[rule], implementation_, bindings_);
    } catch (const ExpressionError&) {
      return std::nullopt;
    }
  }

  void count_cuts(const Propagated& found) {
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (found.without_result[i].count > 0)
        fail_without_result(rules_[i], found.without_result[i].example);
      const Tally& broken = found.broken[i];
      if (broken.count == 0) continue;
      bind(broken.example);
      add_cut(space_.cuts, {rules_[i].name, broken.count,
                            describe_broken(rules_[i], implementation_, bindings_)});
    }
  }

  [[noreturn]] void fail_without_result(const Rule& rule, const Places& example) {
    bind(example);
    try {
      accepts(rule, implementation_, bindings_);
    } catch (const ExpressionError& error) {
      const std::string values = to_text(bindings_.configuration(rule.depth).values);
      throw bad_input("{}: {}: {} at character {}{}{}", implementation_.full_name(), rule.what,
                      error.what(), error.position() + 1, values.empty() ? "" : ", for ", values);
    }
    throw std::logic_error(rule.what + " has a result after all");
  }

  // All of them, or the default, the seeds and a random sample.
  std::vector<Code> choose(const Diagram& satisfying) const {
    if (satisfying.size() <= static_cast<std::uint64_t>(limits_.listed)) return satisfying.codes();
    std::vector<Code> codes =
        satisfying.sample(static_cast<std::size_t>(limits_.sampled), kSampleSeed);
    for (const Configuration& configuration :
         worth_trying_first(implementation_, problem_, device_)) {
      const auto code = radix_.code(configuration);
      if (code && satisfying.contains(*code)) codes.push_back(*code);
    }
    std::sort(codes.begin(), codes.end());
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
    return codes;
  }

  void apply_limits(const std::vector<Code>& codes) {
    const std::size_t grain = std::max(kFewestOfAPart, codes.size() / kMostParts + 1);
    std::vector<Judged> parts((codes.size() + grain - 1) / grain);
    parallel_ranges(static_cast<std::int64_t>(codes.size()), static_cast<std::int64_t>(grain),
                    [&](std::int64_t first, std::int64_t last) {
                      const auto begin = static_cast<std::size_t>(first);
                      const std::span part(codes);
                      parts[begin / grain] =
                          judge(part.subspan(begin, static_cast<std::size_t>(last) - begin));
                    });
    std::vector<Code> legal;
    for (const Judged& part : parts) {
      if (part.failure) std::rethrow_exception(part.failure);
      legal.insert(legal.end(), part.legal.begin(), part.legal.end());
      for (const Cut& limit : part.limits) add_cut(space_.limits, limit);
      for (const PrunedConfiguration& pruned : part.pruned)
        if (space_.pruned.size() < kMostPruned) space_.pruned.push_back(pruned);
    }
    space_.listed = static_cast<std::int64_t>(codes.size());
    space_.legal = Configurations(radix_, std::move(legal));
  }

  // Some of the combinations, by the hardware's limits.
  struct Judged {
    std::vector<Code> legal;
    std::vector<Cut> limits;
    std::vector<PrunedConfiguration> pruned;
    std::exception_ptr failure;  // that of the first whose launches cannot be planned
  };

  Judged judge(std::span<const Code> codes) const {
    Judged judged;
    Bindings bindings(implementation_, problem_, device_);
    LaunchLimits launch_limits(operation_, implementation_, device_, radix_, bindings);
    try {
      for (const Code code : codes) {
        if (const auto& broken = launch_limits.violation(code))
          exclude(code, *broken, judged);
        else
          judged.legal.push_back(code);
      }
    } catch (...) {
      judged.failure = std::current_exception();
    }
    return judged;
  }

  void exclude(Code code, const Violation& broken, Judged& judged) const {
    const auto known = std::ranges::find(judged.limits, broken.rule, &Cut::rule);
    if (known != judged.limits.end() && judged.pruned.size() >= kMostPruned) {
      ++known->count;
      return;
    }
    const Configuration configuration = radix_.configuration(code);
    add_cut(judged.limits, {broken.rule, 1, to_text(configuration.values) + ": " + broken.message});
    if (judged.pruned.size() < kMostPruned)
      judged.pruned.push_back({configuration, broken.rule, broken.message});
  }

  const Operation& operation_;
  const Implementation& implementation_;
  const Problem& problem_;
  const Device& device_;
  const SpaceLimits limits_;
  Bindings bindings_;
  Formulas formulas_;
  Radix radix_;
  std::vector<Rule> rules_;
  std::vector<FormulaId> formula_of_;  // by rule
  Space space_;
};

}  // namespace

void add_cut(std::vector<Cut>& cuts, const Cut& more) {
  const auto known = std::ranges::find(cuts, more.rule, &Cut::rule);
  if (known == cuts.end())
    cuts.push_back(more);
  else
    known->count += more.count;
}

Space build_space(const Operation& operation, const Implementation& implementation,
                  const Problem& problem, const Device& device,
                  const std::optional<Expression>& where, const SpaceLimits& limits) {
  if (implementation.is_routine()) return open_space(implementation, problem, device);
  return SpaceBuilder(operation, implementation, problem, device, where, limits).build();
}

}  // namespace tilewright
