#include "tuner/space/propagation.hpp"

#include <numeric>
#include <utility>

#include "tuner/space/diagram.hpp"
#include "tuner/space/formulas.hpp"
#include "tuner/space/open_rules.hpp"

namespace tilewright {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;
constexpr std::int64_t kShareOfGivenOrder = 10;
constexpr std::size_t kMostNumbers = 25'000'000;  // of a layer: about 500 MB with its tables
constexpr std::size_t kNodesInAStep = 1000;

// The first rule that is not true, and whether it is broken or has no result. While all rules may
// be true, the index is one past the last.
struct Verdict {
  std::size_t rule = 0;
  bool is_broken = true;
};

// Groups of prefixes of one length.
struct Layer {
  struct Group {
    std::int64_t ways = 0;  // prefixes
    Verdict verdict;
    std::uint32_t node = kNone;  // in the diagram, while no rule is broken
  };
  struct Outcome {
    std::uint32_t group = kNone;  // or the verdict is final
    Verdict verdict;
  };

  KeyTable keys;
  std::vector<Outcome> outcomes;  // by key
  std::vector<Group> groups;
  std::vector<std::uint32_t> places;  // of one prefix of each group, by parameter
  std::vector<std::int64_t> open;     // of each group: its open rules
  std::uint32_t nodes = 0;

  bool is_full() const { return keys.numbers() + places.size() + open.size() > kMostNumbers; }
};

class Propagation {
 public:
  Propagation(const Conditions& conditions, std::vector<std::size_t> order, std::int64_t steps)
      : conditions_(conditions),
        formulas_(conditions.formulas),
        domains_(formulas_.domains()),
        rule_count_(conditions.rules.size()),
        order_(std::move(order)),
        rules_(formulas_, conditions.rules, order_),
        steps_left_(steps),
        cost_(static_cast<std::int64_t>(1 + formulas_.size() / kNodesInAStep)),
        weights_(domains_.size(), 1),
        remaining_(domains_.size() + 1, 1),
        places_(domains_.size(), 0),
        values_(domains_.size(), 0),
        broken_(rule_count_),
        without_result_(rule_count_) {
    for (const auto& domain : domains_) unbound_.push_back(Range::of(domain));
    ranges_ = unbound_;
    weigh();
  }

  std::optional<Propagated> run() {
    Layer from;
    const std::vector<std::int64_t> all_open = rules_.all();
    const Layer::Outcome root = successor(0, {rule_count_, true}, all_open, from);
    if (root.group == kNone) {
      count(root.verdict, remaining_[0]);
      levels_ = {{1, 1, {}, {0}}};
    } else {
      from.groups[root.group].ways = 1;
      for (std::size_t depth = 0; depth < order_.size(); ++depth) {
        Layer to;
        expand(depth, from, to);
        if (steps_left_ < 0 || to.is_full()) return std::nullopt;
        from = std::move(to);
      }
    }
    return Propagated{Diagram(std::move(levels_)), std::move(broken_), std::move(without_result_)};
  }

 private:
  void weigh() {
    for (std::size_t i = domains_.size(); i-- > 1;)
      weights_[i - 1] = weights_[i] * domains_[i].size();
    for (std::size_t depth = domains_.size(); depth-- > 0;)
      remaining_[depth] =
          remaining_[depth + 1] * static_cast<std::int64_t>(domains_[order_[depth]].size());
  }

  void expand(std::size_t depth, const Layer& from, Layer& to) {
    const std::size_t parameter = order_[depth];
    const auto values = static_cast<std::uint32_t>(domains_[parameter].size());
    Diagram::Level level{weights_[parameter], values, {}, {}};
    known_.assign(formulas_.size(), {});
    for (std::size_t i = 0; i < from.groups.size() && steps_left_ >= 0 && !to.is_full(); ++i) {
      const Layer::Group& group = from.groups[i];
      const std::span<const std::int64_t> open(from.open.data() + i * rules_.words(),
                                               rules_.words());
      load(depth, from, i);
      const bool is_free = !rules_.mention(open, parameter);
      Layer::Outcome next;
      for (std::uint32_t place = 0; place < values; ++place) {
        if (place == 0 || !is_free) {
          bind(parameter, place);
          next = successor(depth + 1, group.verdict, open, to);
        }
        if (next.group == kNone) {
          count(next.verdict, group.ways * remaining_[depth + 1]);
          continue;
        }
        to.groups[next.group].ways += group.ways;
        if (to.groups[next.group].node != kNone)
          level.edges.push_back({weights_[parameter] * place, to.groups[next.group].node});
      }
      if (group.node != kNone) level.ends.push_back(level.edges.size());
    }
    levels_.push_back(std::move(level));
  }

  // Binds the parameters to one prefix of the group, and works out what its open rules need.
  void load(std::size_t depth, const Layer& from, std::size_t group) {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::size_t parameter = order_[i];
      if (i < depth) {
        bind(parameter, from.places[group * order_.size() + parameter]);
      } else {
        places_[parameter] = 0;
        ranges_[parameter] = unbound_[parameter];
      }
    }
    const std::span<const std::int64_t> open(from.open.data() + group * rules_.words(),
                                             rules_.words());
    for (const OpenRules::Part& part : rules_.parts(depth)) {
      WorkedOut& known = known_[part.formula];
      known.is_known =
          rules_.is_needed(part, open) && formulas_.evaluate(part.formula, values_, known.number);
    }
  }

  void bind(std::size_t parameter, std::uint32_t place) {
    places_[parameter] = place;
    values_[parameter] = domains_[parameter][place];
    ranges_[parameter] = Range::of(values_[parameter]);
  }

  // The outcome of the bound prefix of `depth` parameters: a group of `to`, new if necessary, or a
  // final verdict. The arguments are from before the last parameter was bound.
  Layer::Outcome successor(std::size_t depth, Verdict verdict, std::span<const std::int64_t> open,
                           Layer& to) {
    steps_left_ -= cost_;
    key_.assign(1, 0);
    key_.insert(key_.end(), open.begin(), open.end());
    const auto bits = [this] { return RuleBits(key_.data() + 1, rules_.words()); };
    judge_closing(depth, verdict, bits());
    write_key(depth, verdict);
    const std::uint32_t first = to.keys.number_of(key_);
    if (first < to.outcomes.size()) return to.outcomes[first];
    look_ahead(depth, verdict, bits());
    Layer::Outcome outcome{kNone, verdict};
    std::uint32_t last = first;
    if (verdict.rule == rule_count_ || rules_.any({key_.data() + 1, rules_.words()})) {
      write_key(depth, verdict);
      last = to.keys.number_of(key_);
      if (last < to.outcomes.size())
        outcome = to.outcomes[last];
      else
        outcome.group = add_group(verdict, to);
    }
    to.outcomes.resize(to.keys.size());
    to.outcomes[first] = outcome;
    to.outcomes[last] = outcome;
    return outcome;
  }

  // Judges the rules whose last parameter has just been bound.
  void judge_closing(std::size_t depth, Verdict& verdict, RuleBits open) {
    for (const std::size_t rule : rules_.closing(depth)) {
      if (!open.has(rule)) continue;
      open.remove(rule);
      std::int64_t result = 0;
      std::optional<bool> is_true;
      if (formulas_.evaluate(conditions_.rules[rule], values_, result, known_))
        is_true = result != 0;
      else
        is_true = conditions_.ask(rule, places_);
      if (is_true == true) continue;
      verdict = {rule, is_true.has_value()};
      open.remove_from(rule);
    }
  }

  // Judges open rules that the remaining parameters cannot change any more.
  void look_ahead(std::size_t depth, Verdict& verdict, RuleBits open) const {
    for (std::size_t rule = 0; rule < verdict.rule; ++rule) {
      if (!open.has(rule) || !rules_.is_news(rule, depth)) continue;
      const Outlook seen = outlook(formulas_, conditions_.rules[rule], ranges_, known_);
      if (seen == Outlook::always_true) open.remove(rule);
      if (seen != Outlook::always_false) continue;
      verdict = {rule, true};
      open.remove_from(rule);
    }
  }

  // Appends the values of the open rules' fixed parts to the verdict and the open rules. If a part
  // has no value, the places of its parameters follow at the end.
  void write_key(std::size_t depth, const Verdict& verdict) {
    key_[0] = static_cast<std::int64_t>(2 * verdict.rule + (verdict.is_broken ? 0 : 1));
    key_.resize(1 + rules_.words());
    without_value_.clear();
    for (const OpenRules::Part& part : rules_.parts(depth)) {
      std::int64_t value = 0;
      const bool is_needed = rules_.is_needed(part, {key_.data() + 1, rules_.words()});
      if (is_needed && !formulas_.evaluate(part.formula, values_, value, known_)) {
        value = 0;
        without_value_.push_back(part.formula);
      }
      key_.push_back(value);
    }
    for (const FormulaId part : without_value_) {
      key_.push_back(part);
      for (const std::size_t parameter : parameters_below(formulas_, part))
        key_.push_back(places_[parameter]);
    }
  }

  std::uint32_t add_group(const Verdict& verdict, Layer& to) const {
    const bool is_satisfying = verdict.rule == rule_count_;
    to.groups.push_back({0, verdict, is_satisfying ? to.nodes++ : kNone});
    to.places.insert(to.places.end(), places_.begin(), places_.end());
    to.open.insert(to.open.end(), key_.begin() + 1,
                   key_.begin() + 1 + static_cast<std::ptrdiff_t>(rules_.words()));
    return static_cast<std::uint32_t>(to.groups.size() - 1);
  }

  void count(const Verdict& verdict, std::int64_t combinations) {
    Tally& tally = (verdict.is_broken ? broken_ : without_result_)[verdict.rule];
    if (tally.count == 0) tally.example = places_;
    tally.count += combinations;
  }

  const Conditions& conditions_;
  const Formulas& formulas_;
  const std::vector<std::vector<std::int64_t>>& domains_;
  const std::size_t rule_count_;
  std::vector<std::size_t> order_;
  OpenRules rules_;
  std::int64_t steps_left_;
  std::int64_t cost_;  // of one value after one group, in steps

  std::vector<Code> weights_;             // by parameter: of one place in a code
  std::vector<std::int64_t> remaining_;   // by depth: combinations of the unbound parameters
  std::vector<Range> unbound_;            // by parameter
  std::vector<std::int64_t> key_;         // scratch: verdict, open rules, values of their parts
  std::vector<FormulaId> without_value_;  // scratch
  Places places_;                         // what is bound now; else 0
  std::vector<std::int64_t> values_;
  std::vector<Range> ranges_;
  std::vector<WorkedOut> known_;  // by formula: parts that are the same for a whole group
  std::vector<Tally> broken_;
  std::vector<Tally> without_result_;
  std::vector<Diagram::Level> levels_;
};

std::vector<std::size_t> given_order(const Conditions& conditions) {
  std::vector<std::size_t> order(conditions.formulas.domains().size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<std::size_t> greedy_order(const Conditions& conditions) {
  std::vector<std::size_t> value_counts;
  for (const auto& domain : conditions.formulas.domains()) value_counts.push_back(domain.size());
  std::vector<std::vector<std::size_t>> rules;
  for (const FormulaId rule : conditions.rules)
    rules.push_back(parameters_below(conditions.formulas, rule));
  return tilewright::greedy_order(value_counts, rules);
}

}  // namespace

std::optional<Propagated> propagate(const Conditions& conditions, std::int64_t steps) {
  auto found = Propagation(conditions, given_order(conditions), steps / kShareOfGivenOrder).run();
  if (found) return found;
  return Propagation(conditions, greedy_order(conditions), steps).run();
}

}  // namespace tilewright
