#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/input/target.hpp"
#include "tuner/sweep/run/sweep.hpp"

namespace tilewright::tools {

// What names a configuration on a command line.
struct SubjectGiven : GivenWords {
  std::string unit;                   // --unit
  std::string config;                 // --config
  std::string trial;                  // --trial
  std::string arch;                   // --arch
  std::string device;                 // --device
  std::optional<std::uint64_t> seed;  // --seed
  Places places;

  void declare(Options& all);
};

// One configuration of an implementation for one problem on one device.
struct ShowSubject {
  Target target;         // `request` and `implementation` point into it
  SweepRequest request;  // of a sweep with it: operation, implementations, problem, device,
                         // architecture and seed
  const Implementation* implementation = nullptr;
  Configuration configuration;
  std::string unit;                   // whose source is shown; empty: the first that is compiled
  std::string origin;                 // where the configuration comes from, to be printed
  std::vector<std::string> warnings;  // sentences
};

// The configuration that --trial names, else that of --config for the one implementation named,
// else the answer of `best`. Throws InputError for bad names, for a configuration that is not in
// the space (naming the rule), and for an implementation that needs another architecture.
ShowSubject read_subject(const SubjectGiven& given);

// The implementation's default, changed by words such as "A=1", "B=label". Throws an InputError
// that begins with `what` for unknown names and for values that the manifest does not list.
Configuration read_configuration(const std::string& what, const std::vector<std::string>& words,
                                 const Implementation& implementation);

// A rule of a space that a configuration breaks.
struct BrokenRule {
  std::string why;      // the author's sentence
  std::string formula;  // that must hold; for an inactive parameter the one that makes it active
  std::string values;   // that break it
  std::string text;     // all of it in one line
};

// The rules of the implementation's space that the configuration breaks for this problem and
// device. Throws an InputError that begins with `what` if it
// has other parameters or values than the manifest, or if a rule has no result.
std::vector<BrokenRule> broken_rules(const std::string& what, const Implementation& implementation,
                                     const Configuration& configuration, const Problem& problem,
                                     const Device& device);

// Throws an InputError that begins with `what` and has the first rule that it breaks.
void check_configuration(const std::string& what, const Implementation& implementation,
                         const Configuration& configuration, const Problem& problem,
                         const Device& device);

}  // namespace tilewright::tools
