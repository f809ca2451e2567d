#include "db/ladder/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <list>
#include <memory>
#include <utility>

#include "db/ladder/ladder.hpp"
#include "db/ladder/present.hpp"
#include "definition/architecture.hpp"
#include "definition/general.hpp"
#include "definition/library/hook.hpp"
#include "definition/problem.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {

namespace {

const Family& family_of(const Library& library, std::string_view name) {
  const std::string_view operation = name.substr(0, name.find('/'));
  const auto at = library.families().find(operation);
  if (at != library.families().end()) return at->second;
  throw bad_input(
      "unknown operation '{}'{}", operation,
      suggestion(operation, names_of(library.families(), &Families::value_type::first)));
}

ChosenOperation chosen_of(const Family& family, std::string_view name) {
  const std::size_t slash = name.find('/');
  ChosenOperation chosen{&family.operation, {}};
  if (slash != std::string_view::npos) {
    chosen.implementations.push_back(&family.implementation(name.substr(slash + 1)));
    return chosen;
  }
  chosen.implementations = comparable(family.implementations);
  if (chosen.implementations.empty())
    throw bad_input("operation '{}' has no implementation", family.operation.name);
  return chosen;
}

}  // namespace

ChosenOperation choose_operation(const Library& library, std::string_view name) {
  return chosen_of(family_of(library, name), name);
}

ChosenOperation choose_operation(const Library& library, std::string_view name, Settings& values) {
  const Family& known = family_of(library, name);
  if (!name_snippets(known.operation, values)) return chosen_of(known, name);
  const auto family =
      std::make_shared<const Family>(with_snippets(known, values, library.snippets()));
  ChosenOperation chosen = chosen_of(*family, name);
  chosen.family = family;
  return chosen;
}

const Implementation* find_implementation(const std::vector<const Implementation*>& all,
                                          std::string_view name) {
  const auto known = std::ranges::find(all, name, &Implementation::full_name);
  return known == all.end() ? nullptr : *known;
}

AskedProblem asked_problem(const Library& library, std::string_view name, Settings values,
                           const Device& device) {
  ChosenOperation chosen = choose_operation(library, name, values);
  Problem problem = make_problem(*chosen.operation, values, device);
  return {std::move(chosen), std::move(problem)};
}

std::string to_text(Rung rung) {
  constexpr std::array kNames = {
      "override",    "",         "exact",   "other policy", "near problem",
      "near device", "portable", "default", "none"};
  return kNames.at(static_cast<std::size_t>(rung));
}

std::string to_text(Origin origin) {
  constexpr std::array kNames = {"own", "imported", "shipped"};
  return kNames.at(static_cast<std::size_t>(origin));
}

bool accepts(Require require, Rung rung) {
  switch (require) {
    case Require::exact:
      return rung <= Rung::exact;
    case Require::device:
      return rung <= Rung::near_problem;
    case Require::any:
      return rung < Rung::none;
  }
  return false;
}

bool has_its_parameters(const Implementation& implementation, const Configuration& configuration) {
  std::size_t known = 0;
  for (const Parameter& parameter : implementation.parameters) {
    const Value* const value = find_value(configuration, parameter);
    if (value == nullptr || !is_among(*value, parameter.values)) return false;
    if (configuration.values.contains(parameter.name)) ++known;
  }
  return known == configuration.values.size();
}

bool fits(const Implementation& implementation, const Configuration& configuration,
          const Problem& problem, const Device& device) {
  if (!has_its_parameters(implementation, configuration)) return false;
  if (!why_not_on(implementation, device).empty()) return false;
  const Scope scope = full_scope(problem, configuration, device);
  const auto holds = [&scope](const Constraint& constraint) {
    return constraint.require.is_true(scope);
  };
  try {
    if (!std::ranges::all_of(implementation.constraints, holds)) return false;
    const Value shared = implementation.estimate.shared_bytes.value(scope);
    const auto* const bytes = std::get_if<std::int64_t>(&shared);
    return device.shared_bytes_per_block <= 0 || bytes == nullptr ||
           *bytes <= device.shared_bytes_per_block;
  } catch (const ExpressionError&) {
    return false;
  }
}

std::string why_not_on(const Implementation& implementation, const Device& device) {
  const std::string& required = implementation.requires_architecture;
  const std::string here = architecture_of(device);
  if (architecture_for(required, here)) return {};
  return fmt::format("{} needs {}, and this is {}", implementation.full_name(), required, here);
}

bool is_excluded(const LadderQuestion& question, const Implementation& implementation,
                 const Configuration& configuration, Rung rung) {
  return std::ranges::any_of(question.excluded, [&](const Exclusion& one) {
    return one.implementation == implementation.full_name() &&
           (one.configuration == configuration || (one.rung && rung <= *one.rung));
  });
}

const KnownWrong* find_wrong(const LadderQuestion& question, const Implementation& implementation,
                             const Configuration& configuration, Rung rung) {
  if (!question.known_wrong || rung == Rung::override_given) return nullptr;
  return question.known_wrong->find(implementation, configuration, question.problem,
                                    question.device, rung);
}

bool may_serve(const LadderQuestion& question, const Implementation& implementation,
               const Configuration& configuration, Rung rung) {
  // A library knows a configuration for the problem that it was asked about.
  if (implementation.is_routine() &&
      (rung > Rung::other_policy
           ? rung != Rung::manifest_default || !relative_cost(question, implementation)
           : question.present != nullptr &&
                 !question.present->why_no_library(implementation).empty()))
    return false;
  if (is_excluded(question, implementation, configuration, rung) ||
      find_wrong(question, implementation, configuration, rung) != nullptr)
    return false;
  if (!question.device) return true;
  return fits(implementation, configuration, question.problem, *question.device) &&
         (!question.can_serve || question.can_serve(implementation, configuration, rung));
}

double expected_cycles(const LadderQuestion& question, const Implementation& implementation,
                       const Configuration& configuration) {
  if (!implementation.cost || !question.device) return no_cost;
  const Scope scope = full_scope(question.problem, configuration, *question.device);
  CostValues cost{};
  try {
    std::ranges::transform(kCostFormulas, cost.begin(), [&](const CostFormula& formula) {
      return (*implementation.cost.*formula.member).evaluate(scope);
    });
  } catch (const ExpressionError&) {
    return no_cost;
  }
  return cycles_on(*question.device, cost);
}

std::optional<double> relative_cost(const LadderQuestion& question,
                                    const Implementation& implementation) {
  if (!implementation.is_routine() || !question.device || question.present == nullptr ||
      question.present->source_hash(implementation.full_name()).empty())
    return std::nullopt;
  const Scope scope = full_scope(question.problem, *question.device);
  try {
    const double thousandths =
        static_cast<double>(std::get<std::int64_t>(implementation.relative_cost.value(scope)));
    return thousandths > 0 ? std::optional(thousandths / 1000) : std::nullopt;
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

CachePolicy cache_of(const LadderQuestion& question) {
  return question.cache.value_or(default_cache_policy(question.device.value_or(Device{})));
}

namespace {

// The general configurations of an implementation, for one question.
struct Part {
  const Implementation* implementation;
  std::shared_ptr<const GeneralConfigurations> general;
  GeneralConfigurations::Judge judge;

  Part(const Implementation& one, const LadderQuestion& question)
      : implementation(&one),
        general(general_of(one)),
        judge(*general, question.problem, *question.device) {}
};

struct Candidate {
  Part* part = nullptr;
  std::size_t index = 0;  // among the part's configurations
  double cycles = no_cost;
};

// What fits, the least expected cycles first, otherwise in the order of the definitions.
class Candidates {
 public:
  explicit Candidates(const LadderQuestion& question) : question_(question) {
    for (const Implementation* one : question.implementations)
      if (why_not_on(*one, *question.device).empty()) parts_.emplace_back(*one, question);
    for (Part& part : parts_)
      for (std::size_t i = 0; i < part.judge.count(); ++i)
        all_.push_back({&part, i, part.judge.cycles(i)});
    std::ranges::stable_sort(all_, {}, &Candidate::cycles);
    place_routines();
  }

  // Gives to `take` what may answer and is expected to take at most `share` times as long as the
  // first of these, with its cycles, until `take` returns true. Where nobody knows what to expect,
  // the first.
  template <class Take>
  void visit(double share, Take take) const {
    double most = no_cost;
    bool is_first = true;
    for (const Candidate& one : all_) {
      if (one.cycles > most || (!is_first && most == no_cost)) return;
      std::optional<LadderAnswer> found = answer(one);
      if (!found) continue;
      if (std::exchange(is_first, false)) most = share * one.cycles;
      if (take(*std::move(found), one.cycles)) return;
    }
  }

 private:
  // Beside the kernel with the least cycles that may answer.
  void place_routines() {
    const auto first = std::ranges::find_if(
        all_, [&](const Candidate& one) { return one.cycles != no_cost && answer(one); });
    if (first == all_.end()) return;
    const double least = first->cycles;
    for (Candidate& one : all_)
      if (const auto share = relative_cost(question_, *one.part->implementation))
        one.cycles = *share * least;
    std::ranges::stable_sort(all_, {}, &Candidate::cycles);
  }

  // Nothing if it may not answer. A snippet adds constraints that no judge knows, so what the judge
  // lets pass is looked at again.
  std::optional<LadderAnswer> answer(const Candidate& one) const {
    if (!one.part->judge.fits(one.index)) return std::nullopt;
    const Implementation& implementation = *one.part->implementation;
    const auto configuration = one.part->judge.configuration(one.index);
    constexpr Rung kRung = Rung::manifest_default;
    if (!configuration || !may_serve(question_, implementation, *configuration, kRung))
      return std::nullopt;
    return LadderAnswer{kRung, &implementation, *configuration};
  }

  const LadderQuestion& question_;
  std::list<Part> parts_;
  std::vector<Candidate> all_;
};

}  // namespace

std::vector<LadderAnswer> expected_within(const LadderQuestion& question, double share) {
  std::vector<LadderAnswer> answers;
  Candidates(question).visit(share, [&](LadderAnswer answer, double cycles) {
    const bool is_known = std::ranges::any_of(answers, [&answer](const LadderAnswer& one) {
      return one.implementation == answer.implementation &&
             one.configuration == answer.configuration;
    });
    if (cycles != no_cost && !is_known) answers.push_back(std::move(answer));
    return false;
  });
  return answers;
}

const std::optional<LadderAnswer>& DefaultAnswer::get() {
  if (!is_known_) find();
  return answer_;
}

bool DefaultAnswer::is_faster_than(double share, const Implementation& implementation,
                                   const Configuration& configuration) {
  const double cycles = expected_cycles(question_, implementation, configuration);
  return cycles != no_cost && get() && cycles_ < share * cycles;
}

void DefaultAnswer::find() {
  is_known_ = true;
  if (question_.device && find_expected()) return;
  cycles_ = no_cost;
  for (const Implementation* one : question_.implementations) {
    const Configuration usual = default_configuration(*one);
    if (!may_serve(question_, *one, usual, Rung::manifest_default)) continue;
    answer_ = LadderAnswer{Rung::manifest_default, one, usual};
    return;
  }
}

bool DefaultAnswer::find_expected() {
  const auto& is_ready = question_.is_ready;
  Candidates(question_).visit(kWorthNoCompile, [&](LadderAnswer answer, double cycles) {
    const bool is_last = !is_ready || answer.implementation->is_routine() ||
                         is_ready(*answer.implementation, answer.configuration);
    if (answer_ && !is_last) return false;
    answer_ = std::move(answer);
    cycles_ = cycles;
    return is_last;
  });
  return answer_.has_value();
}

}  // namespace tilewright
