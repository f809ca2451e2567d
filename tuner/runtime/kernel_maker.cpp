// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <utility>

#include "tilewright/error.hpp"
#include "tuner/runtime/local_device.hpp"
#include "tuner/runtime/plan_recipe.hpp"
#include "tuner/runtime/runtime_state.hpp"

namespace tilewright {
namespace {

CodeSourceOptions code_options(const RuntimeOptions& options) {
  return {options.cache, options.toolkits, options.host_compiler, options.scratch};
}

void hold_against(Require require, const KernelRequest& request, const Answer& answer) {
  if (accepts(require, answer.rung)) return;
  throw InputError(fmt::format("{} {}: there is only an answer of rung '{}'{}{}", request.operation,
                               to_text(request.problem), to_text(answer.rung),
                               answer.reason.empty() ? "" : ": ", answer.reason));
}

}  // namespace

KernelMaker::KernelMaker(RuntimeOptions options)
    : catalog_(std::make_shared<Catalog::State>(options.catalog)), codes_(code_options(options)) {
  for (const std::filesystem::path& file : options.bundles)
    bundles_.push_back(std::make_shared<const BundleKernels>(read_bundle(file), file.string()));
}

std::shared_ptr<Kernel::State> KernelMaker::make(const KernelRequest& request,
                                                 const DeviceReport& device) {
  Question question;
  question.operation = request.operation;
  question.problem = request.problem;
  question.device = device.device;
  question.cache = request.cache;
  const Answer answer = catalog_->look_up(question);
  std::shared_ptr<Kernel::State> kernel = make_from_bundle(answer, request, device);
  hold_against(request.require, request, kernel ? kernel->recipe().answer : answer);
  return kernel ? kernel : make_from_catalog(answer, device);
}

std::shared_ptr<Kernel::State> KernelMaker::make_from_catalog(const Answer& answer,
                                                              const DeviceReport& device) {
  const ChosenKernel chosen = chosen_kernel(catalog_->definitions(), answer);
  return std::make_shared<Kernel::State>(
      plan_recipe(chosen, answer, device.device, architecture_of(device.device)), device,
      [maker = shared_from_this(), chosen](const Recipe& recipe) {
        if (auto code = maker->bundled_code(chosen, recipe)) return *std::move(code);
        return maker->codes_.get(compile_request(chosen, recipe));
      });
}

std::shared_ptr<Kernel::State> KernelMaker::make_from_bundle(const Answer& answer,
                                                             const KernelRequest& request,
                                                             const DeviceReport& device) const {
  if (answer.rung <= Rung::exact) return nullptr;  // this machine's own results come first
  std::string why;
  for (const auto& bundle : bundles_) {
    const BundledRecipe* const bundled = find_recipe(bundle->contents(), request.operation,
                                                     answer.problem.values, device.device, why);
    if (bundled == nullptr || bundled->recipe.answer.rung > answer.rung) continue;
    return std::make_shared<Kernel::State>(bundled->recipe, device,
                                           [bundle, build = bundled->build](const Recipe&) {
                                             return bundle->contents().code_of(build);
                                           });
  }
  return make_other_from_bundle(answer, request, device);
}

std::shared_ptr<Kernel::State> KernelMaker::make_other_from_bundle(
    const Answer& answer, const KernelRequest& request, const DeviceReport& device) const {
  const Question question{.operation = request.operation,
                          .problem = answer.problem.values,
                          .device = device.device,
                          .cache = request.cache};
  std::optional<BundleKernels::Launchable> best;
  std::string why;
  for (const auto& bundle : bundles_) {
    auto found = bundle->find_other(question, why);
    const Rung known = best ? best->recipe.answer.rung : answer.rung;
    if (found && found->recipe.answer.rung < known) best = std::move(found);
  }
  if (!best) return nullptr;
  return std::make_shared<Kernel::State>(
      std::move(best->recipe), device,
      [code = std::move(best->code)](const Recipe&) { return code; });
}

std::optional<RecipeCode> KernelMaker::bundled_code(const ChosenKernel& chosen,
                                                    const Recipe& recipe) const {
  if (bundles_.empty()) return std::nullopt;
  const auto key =
      build_key(chosen, recipe.answer.problem, recipe.answer.configuration, recipe.device);
  for (const auto& bundle : bundles_)
    if (key && bundle->contents().builds.contains(*key)) return bundle->contents().code_of(*key);
  return std::nullopt;
}

}  // namespace tilewright
