#include "db/ladder/default_answer.hpp"

#include <algorithm>
#include <list>
#include <memory>

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

// The least expected cycles first, otherwise in the order of the definitions.
std::vector<Candidate> sorted(std::list<Part>& parts, const Device& device) {
  std::vector<Candidate> all;
  for (Part& part : parts)
    for (std::size_t i = 0; i < part.judge.count(); ++i)
      all.push_back({&part, i, cycles_on(device, part.judge.cost(i))});
  std::ranges::stable_sort(all, {}, &Candidate::cycles);
  return all;
}

}  // namespace

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
  for (const Implementation* one : question_.implementations)
    if (serves(*one, default_configuration(*one))) return;
}

bool DefaultAnswer::find_expected() {
  std::list<Part> parts;
  for (const Implementation* one : question_.implementations) parts.emplace_back(*one, question_);
  for (const Candidate& one : sorted(parts, *question_.device)) {
    if (!one.part->judge.fits(one.index)) continue;
    const auto configuration = one.part->judge.configuration(one.index);
    if (!configuration || !serves(*one.part->implementation, *configuration)) continue;
    cycles_ = one.cycles;
    return true;
  }
  return false;
}

bool DefaultAnswer::serves(const Implementation& implementation,
                           const Configuration& configuration) {
  if (!may_serve(question_, implementation, configuration, Rung::manifest_default)) return false;
  answer_ = LadderAnswer{Rung::manifest_default, &implementation, configuration};
  return true;
}

}  // namespace tilewright
