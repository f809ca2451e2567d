#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/ladder/core.hpp"
#include "db/ladder/known_wrong.hpp"
#include "definition/definition.hpp"
#include "definition/general.hpp"
#include "definition/library/library.hpp"
#include "tilewright/catalog.hpp"
#include "tilewright/device.hpp"

namespace tilewright {

// What "gemm" or "gemm/tiled" means. Points into the library, which must outlive it.
struct ChosenOperation {
  const Operation* operation = nullptr;
  std::vector<const Implementation*> implementations;  // at least one
  std::shared_ptr<const Family> family = {};           // owns the definitions made for a snippet
};

// By its full name. Null if it is none of them.
const Implementation* find_implementation(const std::vector<const Implementation*>& all,
                                          std::string_view name);

// Throws InputError that suggests a similar known name.
ChosenOperation choose_operation(const Library& library, std::string_view name);
// The same for problems with the snippets that `values` names. Replaces these names by labels.
ChosenOperation choose_operation(const Library& library, std::string_view name, Settings& values);

// A problem with the definitions by which it is one.
struct AskedProblem {
  ChosenOperation chosen;
  Problem problem;
};
// What these values of "gemm" or "gemm/tiled" mean on the device. Throws InputError also if they
// are no problem.
AskedProblem asked_problem(const Library& library, std::string_view name, Settings values,
                           const Device& device);

class PresentDefinitions;

// An answer that turned out not to run on the device.
struct Exclusion {
  std::string implementation;  // "gemm/tiled"
  Configuration configuration;
  std::optional<Rung> rung = {};  // up to this rung the whole implementation is excluded; none:
                                  // only this configuration is
};

// Code that need not be compiled is used in place of other code if nobody measured either, and it
// is expected to take at most this many times as long. A judgement: formulas err by a tenth.
inline constexpr double kWorthNoCompile = 1.1;

// A question with its definitions, which must outlive it and its answer.
struct LadderQuestion {
  const Operation* operation = nullptr;
  std::vector<const Implementation*> implementations;  // those that may answer
  Problem problem;
  std::optional<Device> device;
  std::optional<CachePolicy> cache;
  std::vector<Override> overrides = {};
  std::optional<int> power_limit_w = {};        // of the device now; none: not known
  double farthest = ladder::farthest;           // for the near rungs
  const PresentDefinitions* present = nullptr;  // null: nobody knows whether sources have changed
  // A further condition for answers on the rung; may be empty.
  std::function<bool(const Implementation&, const Configuration&, Rung)> can_serve = {};
  // Whether its code need not be compiled; may be empty. The best of the general configurations
  // gives way to one of which this holds, and which is expected to take at most kWorthNoCompile
  // times as long.
  std::function<bool(const Implementation&, const Configuration&)> is_ready = {};
  std::vector<Exclusion> excluded = {};
  // What no rung but override answers with; null: nothing.
  std::shared_ptr<const KnownWrongs> known_wrong = {};
  Require require = Require::any;  // else nothing unmeasured goes before a near answer
  Rung weakest = Rung::none;       // nothing weaker than this is looked for
};

// Whether the configuration has exactly the implementation's parameters, each with a listed value.
bool has_its_parameters(const Implementation& implementation, const Configuration& configuration);

// Also whether it satisfies the constraints for this problem and device, and the device has the
// architecture that the implementation requires.
bool fits(const Implementation& implementation, const Configuration& configuration,
          const Problem& problem, const Device& device);

// "gemm/bulk needs sm_90a, and this is sm_80"; empty if the device has the architecture.
std::string why_not_on(const Implementation& implementation, const Device& device);

bool is_excluded(const LadderQuestion& question, const Implementation& implementation,
                 const Configuration& configuration, Rung rung);

// Why it must not answer on the rung (KnownWrongs::find); null if nothing is known.
const KnownWrong* find_wrong(const LadderQuestion& question, const Implementation& implementation,
                             const Configuration& configuration, Rung rung);

// Whether this may answer on the rung: it is neither excluded nor known to be wrong, it fits, and
// can_serve() holds. Without a device what fits is not known.
bool may_serve(const LadderQuestion& question, const Implementation& implementation,
               const Configuration& configuration, Rung rung);

// The cycles that a call is expected to take; no_cost if nobody says, and on the host.
double expected_cycles(const LadderQuestion& question, const Implementation& implementation,
                       const Configuration& configuration);

// The time of a routine that is not measured, over that of the kernel with the least expected
// cycles. Nothing if that is not known, or nobody knows that its library is here.
std::optional<double> relative_cost(const LadderQuestion& question,
                                    const Implementation& implementation);

// The question's policy, or the default one for its operands.
CachePolicy cache_of(const LadderQuestion& question);

}  // namespace tilewright
