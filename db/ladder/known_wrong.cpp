#include "db/ladder/known_wrong.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "db/ladder/question.hpp"
#include "definition/general.hpp"

namespace tilewright {
namespace {

auto key_of(const KnownWrong& one) {
  return std::tie(one.implementation, one.configuration);
}

// Whether it was found of the implementation's present epoch. Of its present source is all that is
// given (PresentDefinitions::of_present_sources).
bool is_of(const Implementation& implementation, const KnownWrong& found) {
  return found.epoch == implementation.epoch;
}

bool counts(const KnownWrong& found, const Problem& problem, const std::optional<Device>& device,
            Rung rung) {
  if (device && found.kind != device->kind) return false;
  if (found.problem != problem) return rung >= Rung::portable && found.configuration;
  return rung > Rung::other_policy || !device || found.device == device->name;
}

// The configurations with which an implementation may answer.
class MightAnswer {
 public:
  MightAnswer(const Implementation& implementation, const std::vector<BestRow>& rows,
              const std::vector<PortableRow>& portable)
      : implementation_(implementation), general_(general_configurations(implementation)) {
    for (const Parameter& parameter : implementation.parameters)
      if (!settled_value(parameter)) fixed_.push_back(&parameter);
    const auto add = [&](const auto& row) {
      if (row.implementation == implementation.full_name()) listed_.insert(row.configuration);
    };
    std::ranges::for_each(rows, add);
    std::ranges::for_each(portable, add);
  }

  bool contains(const Configuration& configuration) const {
    return listed_.contains(configuration) ||
           (has_its_parameters(implementation_, configuration) &&
            std::ranges::any_of(general_, [&](const Configuration& general) {
              return std::ranges::all_of(fixed_, [&](const Parameter* parameter) {
                return *find_value(general, *parameter) == *find_value(configuration, *parameter);
              });
            }));
  }

 private:
  const Implementation& implementation_;
  const std::vector<Configuration> general_;
  std::vector<const Parameter*> fixed_;  // whose values follow nothing
  std::set<Configuration> listed_;
};

}  // namespace

KnownWrongs::KnownWrongs(std::vector<KnownWrong> all) : all_(std::move(all)) {
  std::ranges::stable_sort(all_, {}, key_of);
}

const KnownWrong* KnownWrongs::find(const Implementation& implementation,
                                    const Configuration& configuration, const Problem& problem,
                                    const std::optional<Device>& device, Rung rung) const {
  const std::string name = implementation.full_name();
  for (const auto& of : {std::optional<Configuration>(), std::optional(configuration)}) {
    const auto key = std::tie(name, of);
    for (auto found = std::ranges::lower_bound(all_, key, {}, key_of);
         found != all_.end() && key_of(*found) == key; ++found)
      if (is_of(implementation, *found) && counts(*found, problem, device, rung)) return &*found;
  }
  return nullptr;
}

std::vector<KnownWrong> that_might_answer(const KnownWrongs& known,
                                          const std::vector<Implementation>& implementations,
                                          const std::vector<BestRow>& rows,
                                          const std::vector<PortableRow>& portable) {
  std::vector<KnownWrong> few;
  for (const Implementation& one : implementations) {
    const MightAnswer might_answer(one, rows, portable);
    std::ranges::copy_if(known.all(), std::back_inserter(few), [&](const KnownWrong& found) {
      return found.implementation == one.full_name() && is_of(one, found) &&
             (!found.configuration || might_answer.contains(*found.configuration));
    });
  }
  return few;
}

std::string to_text(const KnownWrong& found) {
  const std::string which = found.configuration && !found.configuration->values.empty()
                                ? fmt::format(" with {}", to_text(found.configuration->values))
                                : "";
  const char* const what = found.outcome == Outcome::faulted               ? "faulted"
                           : found.outcome == Outcome::wrote_out_of_bounds ? "wrote out of bounds"
                                                                           : "gave wrong answers";
  const std::string share =
      found.tried > 0 ? fmt::format(" ({} of {} tried were wrong)", found.wrong, found.tried) : "";
  return fmt::format("{}{} {} for {} on {}{}", found.implementation, which, what,
                     to_text(found.problem.values), found.device, share);
}

}  // namespace tilewright
