#include "db/ladder/default_answer.hpp"

#include <algorithm>
#include <list>
#include <memory>
#include <utility>

#include "definition/general.hpp"

namespace tilewright {
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
  double cycles = ladder::no_cost;
};

// What fits, the least expected cycles first, otherwise in the order of the definitions.
class Candidates {
 public:
  explicit Candidates(const LadderQuestion& question) : question_(question) {
    for (const Implementation* one : question.implementations)
      if (why_not_on(*one, *question.device).empty()) parts_.emplace_back(*one, question);
    for (Part& part : parts_)
      for (std::size_t i = 0; i < part.judge.count(); ++i)
        all_.push_back({&part, i, cycles_on(*question.device, part.judge.cost(i))});
    std::ranges::stable_sort(all_, {}, &Candidate::cycles);
  }

  // Gives to `take` what may answer and is expected to take at most `share` times as long as the
  // first of these, with its cycles, until `take` returns true. Where nobody knows what to expect,
  // the first.
  template <class Take>
  void visit(double share, Take take) const {
    double most = ladder::no_cost;
    bool is_first = true;
    for (const Candidate& one : all_) {
      if (one.cycles > most || (!is_first && most == ladder::no_cost)) return;
      std::optional<LadderAnswer> found = answer(one);
      if (!found) continue;
      if (std::exchange(is_first, false)) most = share * one.cycles;
      if (take(*std::move(found), one.cycles)) return;
    }
  }

 private:
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
    if (cycles != ladder::no_cost && !is_known) answers.push_back(std::move(answer));
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
  return cycles != ladder::no_cost && get() && cycles_ < share * cycles;
}

void DefaultAnswer::find() {
  is_known_ = true;
  if (question_.device && find_expected()) return;
  cycles_ = ladder::no_cost;
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
    const bool is_last = !is_ready || is_ready(*answer.implementation, answer.configuration);
    if (answer_ && !is_last) return false;
    answer_ = std::move(answer);
    cycles_ = cycles;
    return is_last;
  });
  return answer_.has_value();
}

}  // namespace tilewright
