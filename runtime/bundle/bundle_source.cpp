#include "runtime/bundle/bundle_source.hpp"

#include <fmt/format.h>

#include <tuple>

#include "definition/architecture.hpp"
#include "definition/problem.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

Library definitions_of(const BundleContents& contents, const std::string& name) {
  try {
    std::vector<Manifest> manifests;
    for (const ManifestText& text : contents.definitions) manifests.push_back(read_manifest(text));
    return Library::of(manifests);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} has definitions that this tilewright does not understand: {}",
                                 name, error.what()));
  }
}

bool is_nearer(const std::optional<LadderAnswer>& one, const LadderAnswer& other) {
  return one && std::tuple(one->rung, one->distance) < std::tuple(other.rung, other.distance);
}

// The attempts that failed with a bundle's code. Other code of the same configuration may still
// work.
std::vector<Exclusion> excluded_by(std::span<const FailedAttempt> failed) {
  std::vector<Exclusion> excluded;
  for (const FailedAttempt& one : failed)
    if (one.from == CodeFrom::bundle)
      excluded.push_back({one.answer.implementation, one.answer.configuration});
  return excluded;
}

}  // namespace

BundleSource::BundleSource(const std::filesystem::path& file)
    : name_(file.string()),
      contents_(read_bundle(file)),
      definitions_(definitions_of(contents_, name_)) {}

std::optional<KernelAttempt> BundleSource::next(const KernelRequest& request,
                                                const DeviceReport& device,
                                                std::span<const FailedAttempt> failed) {
  const auto is_accepted = [&](const std::optional<KernelAttempt>& attempt) {
    return attempt && accepts(request.require, attempt->recipe.answer.rung);
  };
  std::string why, why_no_other;
  std::optional<KernelAttempt> best = held(request, device.device, failed, why);
  if (!is_accepted(best)) best = other(request, device.device, failed, why_no_other);
  if (is_accepted(best)) {
    say_what_failed(failed, best->recipe.answer);
    return best;
  }
  if (!failed.empty()) return std::nullopt;
  const std::string begin = why.empty() ? name_ + ": " : fmt::format("{}: {}; ", name_, why);
  if (!best) throw InputError(begin + why_no_other);
  throw NothingFound(fmt::format("{}there is only an answer of rung '{}'", begin,
                                 to_text(best->recipe.answer.rung)));
}

std::optional<KernelAttempt> BundleSource::held(const KernelRequest& request, const Device& device,
                                                std::span<const FailedAttempt> failed,
                                                std::string& why) const {
  const BundledRecipe* const found =
      find_recipe(contents_, request.operation, request.problem, device, why);
  if (found == nullptr || is_among(failed, found->recipe.answer)) return std::nullopt;
  const bool takes_values = !name_of_value_input(found->recipe).empty();
  if (takes_values && needs_memory_inputs(request, device)) return std::nullopt;
  return KernelAttempt{found->recipe,
                       [self = shared_from_this(), build = found->build](const Recipe&) {
                         return self->contents_.code_of(build);
                       },
                       CodeFrom::bundle};
}

std::optional<std::string> BundleSource::build_of(const ChosenKernel& chosen,
                                                  const KernelRequest& request,
                                                  const Problem& problem,
                                                  const Configuration& configuration,
                                                  const Device& device) const {
  try {
    auto key = build_key(chosen, problem, configuration, device);
    if (!key || !contents_.builds.contains(*key)) return std::nullopt;
    if (!needs_memory_inputs(request, device) ||
        reads_memory(chosen, problem, configuration, device))
      return key;
  } catch (const InputError&) {  // an expression has no result for this problem
  }
  return std::nullopt;
}

std::optional<KernelAttempt> BundleSource::other(const KernelRequest& request, const Device& device,
                                                 std::span<const FailedAttempt> failed,
                                                 std::string& why) const try {
  Settings values = request.problem;
  const ChosenOperation chosen = choose_operation(definitions_, request.operation, values);
  LadderQuestion asked{chosen.operation, chosen.implementations,
                       make_problem(*chosen.operation, values, device), device, request.cache};
  asked.excluded = excluded_by(failed);
  asked.require = request.require;
  const auto build = [&](const Implementation& implementation, const Configuration& configuration) {
    return build_of({chosen.operation, &implementation}, request, asked.problem, configuration,
                    device);
  };
  bool lacks_nearer = false;  // the code of a row that might have answered
  asked.can_serve = [&](const auto& implementation, const auto& configuration, Rung rung) {
    const bool can = build(implementation, configuration).has_value();
    if (!can && rung < Rung::manifest_default) lacks_nearer = true;
    return can;
  };
  auto found = climb(asked, contents_.rows, contents_.portable);
  if (!found) {
    why = fmt::format("none of its code is for such a problem on {}{}", architecture_of(device),
                      needs_memory_inputs(request, device) ? " without inputs by value" : "");
    return std::nullopt;
  }
  asked.can_serve = nullptr;
  if (lacks_nearer && is_nearer(climb(asked, contents_.rows, contents_.portable), *found))
    found->reason += "; the code of a nearer answer is not for this problem";
  const ChosenKernel kernel{chosen.operation, found->implementation, chosen.family};
  return KernelAttempt{
      plan_recipe(kernel, answer_of(*found, asked.problem), device),
      [code = contents_.code_of(*build(*found->implementation, found->configuration))](
          const Recipe&) { return code; },
      CodeFrom::bundle};
} catch (const InputError& error) {
  why = error.what();
  return std::nullopt;
}

std::optional<RecipeCode> BundleSource::code_of(const Recipe& recipe) const {
  for (const BundledRecipe& bundled : contents_.recipes) {
    const Recipe& known = bundled.recipe;
    if (known.answer.implementation == recipe.answer.implementation &&
        known.answer.configuration == recipe.answer.configuration &&
        known.answer.problem == recipe.answer.problem &&
        known.architecture == recipe.architecture && known.arguments == recipe.arguments &&
        known.launches == recipe.launches)
      return contents_.code_of(bundled.build);
  }
  return std::nullopt;
}

}  // namespace tilewright
