// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tools/input/options.hpp"
#include "tools/input/target.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tilewright::tools {

// One configuration of an implementation for one problem on one device.
struct ShowSubject {
  Target target;         // `request` and `implementation` point into it
  SweepRequest request;  // of a sweep with it: operation, implementations, problem, device,
                         // architecture and seed
  const Implementation* implementation = nullptr;
  Configuration configuration;
  std::string origin;                 // where the configuration comes from, for people
  std::vector<std::string> warnings;  // sentences
};

// What --trial names; else what --config says for the one implementation named; else what `best`
// answers. Throws InputError: bad names, a configuration that is not in the space (the rule is
// named), an implementation that needs another architecture.
ShowSubject read_subject(const Arguments& arguments);

// The implementation's default with the values of "A=1 B=label" in it. Throws InputError: unknown
// names, values that the manifest does not list.
Configuration read_configuration(const std::string& text, const Implementation& implementation);

// Throws InputError, which begins with `what` and names the rule, where the configuration is not
// in the space of the implementation for this problem and device.
void check_configuration(const std::string& what, const Implementation& implementation,
                         const Configuration& configuration, const Problem& problem,
                         const Device& device);

}  // namespace tilewright::tools
