// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "definition/architecture.hpp"
#include "runtime/bundle/attempts.hpp"
#include "runtime/launch/plan_recipe.hpp"
#include "runtime/runtime_state.hpp"
#include "tilewright/error.hpp"
#include "tilewright/version.hpp"
#include "tuner/machine/machine.hpp"

namespace tilewright {
namespace {

CodeSourceOptions code_options(const RuntimeOptions& options) {
  return {options.cache, options.toolkits, options.host_compiler, options.scratch};
}

void hold_against(Require require, const KernelRequest& request, const Answer& answer) {
  if (accepts(require, answer.rung)) return;
  throw NothingFound(fmt::format("{} {}: there is only an answer of rung '{}'{}{}",
                                 request.operation, to_text(request.problem), to_text(answer.rung),
                                 answer.reason.empty() ? "" : ": ", answer.reason));
}

std::vector<Exclusion> excluded_by(std::span<const FailedAttempt> failed) {
  std::vector<Exclusion> excluded;
  for (const FailedAttempt& one : failed)
    excluded.push_back(
        {one.answer.implementation, one.answer.configuration,
         one.from == CodeFrom::catalog ? std::optional(one.answer.rung) : std::nullopt});
  return excluded;
}

bool is_among(std::span<const FailedAttempt> failed, const Answer& answer) {
  return std::ranges::any_of(failed, [&](const FailedAttempt& one) {
    return one.answer.implementation == answer.implementation &&
           one.answer.configuration == answer.configuration;
  });
}

}  // namespace

KernelMaker::KernelMaker(RuntimeOptions options)
    : catalog_(std::make_shared<Catalog::State>(options.catalog)),
      has_results_(!options.catalog.database.empty() || !options.catalog.shipped.empty()),
      codes_(code_options(options)) {
  for (const std::filesystem::path& file : options.bundles)
    bundles_.push_back(std::make_shared<const BundleKernels>(read_bundle(file), file.string()));
}

Environment KernelMaker::environment(const DeviceReport& device) {
  Environment environment = device.environment;
  environment.compiler = codes_.compiler_version(architecture_of(device.device));
  environment.tool = kVersion;
  return environment;
}

std::shared_ptr<Kernel::State> KernelMaker::make(const KernelRequest& request,
                                                 const DeviceReport& device) {
  return std::make_shared<Kernel::State>(
      best_attempt(request, device, {}).value(), device,
      [maker = shared_from_this(), request, device](Failed failed) {
        return maker->best_attempt(request, device, failed);
      });
}

std::optional<KernelAttempt> KernelMaker::best_attempt(const KernelRequest& request,
                                                       const DeviceReport& device, Failed failed) {
  const std::optional<Answer> answer = look_up(request, device, failed);
  const Problem& problem = answer ? answer->problem : failed.front().answer.problem;
  std::optional<KernelAttempt> best = bundled_attempt(request, problem, answer, device, failed);
  if (!best && !answer) return std::nullopt;
  const Answer& found = best ? best->recipe.answer : *answer;
  if (!failed.empty() && !accepts(request.require, found.rung)) return std::nullopt;
  hold_against(request.require, request, found);
  if (!best) best = attempt_of(*answer, device);
  say_what_failed(failed, best->recipe.answer);
  return best;
}

std::optional<Answer> KernelMaker::look_up(const KernelRequest& request, const DeviceReport& device,
                                           Failed failed) {
  Question question;
  question.operation = request.operation;
  question.problem = request.problem;
  question.device = device.device;
  question.cache = request.cache;
  if (has_results_) question.environment = environment(device);
  if (failed.empty()) return catalog_->look_up(question);
  return catalog_->look_up_without(question, excluded_by(failed));
}

KernelAttempt KernelMaker::attempt_of(const Answer& answer, const DeviceReport& device) {
  const ChosenKernel chosen = chosen_kernel(catalog_->definitions(), answer);
  return {plan_recipe(chosen, answer, device.device, architecture_of(device.device)),
          [maker = shared_from_this(), chosen](const Recipe& recipe) {
            if (auto code = maker->bundled_code(recipe)) return *std::move(code);
            return maker->codes_.get(compile_request(chosen, recipe));
          }};
}

std::optional<KernelAttempt> KernelMaker::bundled_attempt(const KernelRequest& request,
                                                          const Problem& problem,
                                                          const std::optional<Answer>& answer,
                                                          const DeviceReport& device,
                                                          Failed failed) const {
  const Rung weakest = answer ? answer->rung : Rung::none;
  if (weakest <= Rung::exact) return std::nullopt;  // this machine's own results come first
  std::string why;
  for (const auto& bundle : bundles_) {
    const BundledRecipe* const bundled =
        find_recipe(bundle->contents(), request.operation, problem.values, device.device, why);
    if (bundled == nullptr || bundled->recipe.answer.rung > weakest) continue;
    if (is_among(failed, bundled->recipe.answer)) continue;
    return tilewright::attempt_of(bundle, *bundled);
  }
  return other_bundled_attempt(request, problem, answer, device, failed);
}

// Better than the answer, or the same with its code at hand.
std::optional<KernelAttempt> KernelMaker::other_bundled_attempt(const KernelRequest& request,
                                                                const Problem& problem,
                                                                const std::optional<Answer>& answer,
                                                                const DeviceReport& device,
                                                                Failed failed) const {
  const Question question{.operation = request.operation,
                          .problem = problem.values,
                          .device = device.device,
                          .cache = request.cache};
  std::optional<BundleKernels::Launchable> best;
  std::string why;
  for (const auto& bundle : bundles_) {
    auto found = bundle->find_other(question, not_from_bundles(failed), why);
    if (!found) continue;
    const Answer& other = found->recipe.answer;
    const Rung known = best ? best->recipe.answer.rung : answer ? answer->rung : Rung::none;
    const bool is_same = !best && answer && other.rung == answer->rung &&
                         other.implementation == answer->implementation &&
                         other.configuration == answer->configuration;
    if (other.rung < known || is_same) best = std::move(found);
  }
  if (!best) return std::nullopt;
  return tilewright::attempt_of(*std::move(best));
}

std::optional<RecipeCode> KernelMaker::bundled_code(const Recipe& recipe) const {
  for (const auto& bundle : bundles_)
    for (const BundledRecipe& bundled : bundle->contents().recipes) {
      const Answer& answer = bundled.recipe.answer;
      if (answer.implementation == recipe.answer.implementation &&
          answer.configuration == recipe.answer.configuration &&
          answer.problem == recipe.answer.problem &&
          bundled.recipe.architecture == recipe.architecture &&
          bundled.recipe.arguments == recipe.arguments &&
          bundled.recipe.launches == recipe.launches)
        return bundle->contents().code_of(bundled.build);
    }
  return std::nullopt;
}

}  // namespace tilewright
