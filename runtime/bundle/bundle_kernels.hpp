// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/ladder/definitions.hpp"
#include "db/ladder/ladder.hpp"
#include "runtime/bundle/bundle_file.hpp"
#include "runtime/launch/plan_recipe.hpp"

namespace tilewright {

// What can be launched from a bundle: the problems that it holds, each with its own kernel, and
// others for which some of its code is right. Immutable; safe to read from many threads.
class BundleKernels {
 public:
  // Throws InputError that names `name` where the bundle's definitions are not understood.
  BundleKernels(BundleContents contents, const std::string& name);

  const BundleContents& contents() const { return contents_; }

  struct Launchable {
    Recipe recipe;
    RecipeCode code;
  };
  // For a problem that it does not hold, or whose own code does not load: the ladder of a catalog,
  // climbed with the bundle's rows, over what its code can run. The question must name a device.
  // Nothing if there is no such code, with `why`.
  std::optional<Launchable> find_other(const Question& question, std::vector<Exclusion> excluded,
                                       std::string& why) const;

 private:
  std::optional<Launchable> climb_for(const Question& question, std::vector<Exclusion> excluded,
                                      std::string& why) const;
  // What was compiled of it, for this problem: a key of the builds, or nothing.
  std::optional<std::string> build_of(const ChosenKernel& chosen, const Problem& problem,
                                      const Configuration& configuration,
                                      const Device& device) const;

  const BundleContents contents_;
  const Definitions definitions_;
};

}  // namespace tilewright
