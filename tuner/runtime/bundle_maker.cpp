// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/runtime/bundle_maker.hpp"

#include <utility>

#include "tilewright/version.hpp"
#include "tuner/definition/architecture.hpp"
#include "tuner/runtime/plan_recipe.hpp"

namespace tilewright {

BundleMaker::BundleMaker(const RuntimeOptions& options)
    : catalog_(options.catalog),
      codes_({options.cache, options.toolkits, options.host_compiler, options.scratch}) {
  contents_.tool = kVersion;
}

Answer BundleMaker::add(const Question& question) {
  Answer answer = catalog_.look_up(question);
  answer.age = {};  // of no meaning later
  const Device& device = question.device.value();
  const ChosenKernel chosen = chosen_kernel(catalog_.definitions(), answer);
  BundledRecipe bundled;
  bundled.recipe = plan_recipe(chosen, answer, device, architecture_of(device));
  bundled.defaulted = defaulted_names(*chosen.operation, answer.problem, device);
  bundled.aliases = snippet_names(*chosen.operation);
  const RecipeCode code = codes_.get(compile_request(chosen, bundled.recipe));
  contents_.add(std::move(bundled), code);
  return answer;
}

}  // namespace tilewright
