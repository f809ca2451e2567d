#include "runtime/bundle/bundle_source.hpp"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "db/records/staleness.hpp"
#include "definition/architecture.hpp"
#include "definition/json/json.hpp"
#include "definition/text/errors.hpp"
#include "tilewright/bundle.hpp"
#include "tuner/machine/machine.hpp"

namespace tilewright {

namespace {

Library definitions_of(const BundleContents& contents, const std::string& name) {
  try {
    std::vector<Manifest> manifests;
    for (const ManifestText& text : contents.definitions) manifests.push_back(read_manifest(text));
    return Library::of(manifests);
  } catch (const InputError& error) {
    throw bad_input("{} has definitions that this tilewright does not understand: {}", name,
                    error.what());
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

bool is_of_routine(const Library& definitions, const BestRow& row) {
  const auto family = definitions.families().find(row.problem.operation);
  if (family == definitions.families().end()) return false;
  return std::ranges::any_of(family->second.implementations, [&](const Implementation& one) {
    return one.is_routine() && one.full_name() == row.implementation;
  });
}

// Of the environment that an answer was measured in, a bundle knows only the power limit.
void compare_limits(Answer& answer, const std::optional<int>& present) {
  add_stale(answer, other_limit_text(limit_on_its_device(answer), present));
}

}  // namespace

std::string usual_library_version(const std::string& routine) {
  return library_version(routine, {});
}

BundleSource::BundleSource(const std::filesystem::path& file, LibraryVersion version)
    : name_(file.string()),
      contents_(read_bundle(file)),
      definitions_(definitions_of(contents_, name_)),
      present_(definitions_),
      has_routines_(std::ranges::any_of(
          contents_.rows, [this](const BestRow& row) { return is_of_routine(definitions_, row); })),
      known_wrong_(std::make_shared<const KnownWrongs>(contents_.known_wrong)) {
  present_.know_libraries(std::move(version));
}

std::optional<KernelAttempt> BundleSource::next(const KernelRequest& request,
                                                const DeviceReport& device,
                                                std::span<const FailedAttempt> failed) {
  const auto is_accepted = [&](const std::optional<KernelAttempt>& attempt) {
    return attempt && accepts(request.require, attempt->recipe.answer.rung);
  };
  std::string why, why_no_other;
  std::optional<KernelAttempt> best = held(request, device, failed, why);
  if (!is_accepted(best)) best = other(request, device, failed, Rung::none, why_no_other);
  if (is_accepted(best)) {
    say_what_failed(failed, best->recipe.answer);
    return best;
  }
  if (!failed.empty()) return std::nullopt;
  const std::string begin = why.empty() ? name_ + ": " : fmt::format("{}: {}; ", name_, why);
  if (!best && request.require == Require::exact && !why.empty())
    throw NothingFound(begin + why_no_other);
  if (!best) throw InputError(begin + why_no_other);
  throw NothingFound(fmt::format("{}there is only an answer of rung '{}'", begin,
                                 to_text(best->recipe.answer.rung)));
}

std::optional<KernelAttempt> BundleSource::held(const KernelRequest& request,
                                                const DeviceReport& here,
                                                std::span<const FailedAttempt> failed,
                                                std::string& why) const {
  const Device& device = here.device;
  const auto& limit_w = here.environment.power_limit_w;
  if (has_routines_) {
    std::string why_none;
    auto best = other(request, here, failed, Rung::other_policy, why_none);
    if (best && best->recipe.launches.routine.is_given()) return best;
  }
  const BundledRecipe* const found =
      find_recipe(contents_, request.operation, request.problem, device, why, limit_w);
  if (found == nullptr || is_among(failed, found->recipe.answer)) return std::nullopt;
  if (request.require == Require::exact && found->recipe.answer.stale) {
    why = "its answer was " + found->recipe.answer.why_stale;
    return std::nullopt;
  }
  const bool takes_values = !name_of_value_input(found->recipe).empty();
  if (takes_values && needs_memory_inputs(request, device)) return std::nullopt;
  Recipe recipe = found->recipe;
  if (is_made_for(recipe, device)) compare_limits(recipe.answer, limit_w);
  return KernelAttempt{std::move(recipe),
                       [self = shared_from_this(), build = found->build](const Recipe&) {
                         return self->contents_.code_of(build);
                       },
                       CodeFrom::bundle};
}

BundleSource::Asked BundleSource::understood(const KernelRequest& request,
                                             const Device& device) const {
  return {asked_problem(definitions_, request.operation, request.problem, device), request, device};
}

std::optional<std::string> BundleSource::build_of(const Asked& asked,
                                                  const Implementation& implementation,
                                                  const Configuration& configuration) const {
  try {
    const ChosenKernel kernel{asked.chosen.operation, &implementation, asked.chosen.family};
    auto key = build_key(kernel, asked.problem, configuration, asked.device);
    if (!key || !contents_.builds.contains(*key)) return std::nullopt;
    if (!needs_memory_inputs(asked.request, asked.device) ||
        reads_memory(kernel, asked.problem, configuration, asked.device))
      return key;
  } catch (const InputError&) {  // an expression has no result for this problem
  }
  return std::nullopt;
}

std::optional<KernelAttempt> BundleSource::other(const KernelRequest& request,
                                                 const DeviceReport& here,
                                                 std::span<const FailedAttempt> failed,
                                                 Rung weakest, std::string& why) const try {
  const Device& device = here.device;
  const Asked meant = understood(request, device);
  LadderQuestion asked{meant.chosen.operation, meant.chosen.implementations, meant.problem, device,
                       request.cache};
  asked.excluded = excluded_by(failed);
  asked.present = &present_;
  asked.known_wrong = known_wrong_;
  asked.require = request.require;
  asked.power_limit_w = here.environment.power_limit_w;
  asked.weakest = weakest;
  bool lacks_nearer = false;  // the code of a row that might have answered
  asked.can_serve = [&](const auto& implementation, const auto& configuration, Rung rung) {
    const bool can =
        implementation.is_routine() || build_of(meant, implementation, configuration).has_value();
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
  const ChosenKernel kernel{meant.chosen.operation, found->implementation, meant.chosen.family};
  Answer answer = answer_of(*found, meant.problem);
  compare_limits(answer, asked.power_limit_w);
  RecipeCode code{std::make_shared<const std::vector<std::uint8_t>>(), {}};  // of a routine
  if (!found->implementation->is_routine())
    code = contents_.code_of(*build_of(meant, *found->implementation, found->configuration));
  return KernelAttempt{plan_recipe(kernel, answer, device),
                       [code = std::move(code)](const Recipe&) { return code; }, CodeFrom::bundle};
} catch (const InputError& error) {
  why = error.what();
  return std::nullopt;
}

std::optional<KernelAttempt> BundleSource::same(const KernelRequest& request, const Device& device,
                                                std::span<const FailedAttempt> failed,
                                                const Answer& answer) const try {
  const Asked asked = understood(request, device);
  const Implementation* const known =
      find_implementation(asked.chosen.implementations, answer.implementation);
  if (known == nullptr || asked.problem != answer.problem || is_among(failed, answer) ||
      !fits(*known, answer.configuration, asked.problem, device))
    return std::nullopt;
  const auto build = build_of(asked, *known, answer.configuration);
  if (!build) return std::nullopt;
  return KernelAttempt{
      plan_recipe({asked.chosen.operation, known, asked.chosen.family}, answer, device),
      [code = contents_.code_of(*build)](const Recipe&) { return code; }, CodeFrom::bundle};
} catch (const InputError&) {  // its definitions are others
  return std::nullopt;
}

BundleSource::HasCode BundleSource::ready_for(const KernelRequest& request,
                                              const Device& device) const try {
  return [this, asked = understood(request, device)](const std::string& implementation,
                                                     const Configuration& configuration) {
    const Implementation* const known =
        find_implementation(asked.chosen.implementations, implementation);
    return known != nullptr && has_its_parameters(*known, configuration) &&
           build_of(asked, *known, configuration).has_value();
  };
} catch (const InputError&) {
  return [](const std::string&, const Configuration&) { return false; };
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

// A runtime whose only source is the file.
class Bundle::State {
 public:
  explicit State(const std::filesystem::path& file)
      : source(std::make_shared<BundleSource>(file)), kernels(source) {}

  const std::shared_ptr<BundleSource> source;
  Kernels kernels;
};

Bundle::Bundle(const std::filesystem::path& file) : state_(std::make_shared<State>(file)) {}
Bundle::Bundle(Bundle&&) noexcept = default;
Bundle& Bundle::operator=(Bundle&&) noexcept = default;
Bundle::~Bundle() = default;

const std::string& Bundle::tool() const {
  return state_->source->contents().tool;
}

std::vector<BundleKernel> Bundle::kernels() const {
  std::vector<BundleKernel> kernels;
  for (const BundledRecipe& bundled : state_->source->contents().recipes) {
    const Recipe& recipe = bundled.recipe;
    kernels.push_back({recipe.answer, recipe.device.kind, recipe.device.name, recipe.architecture});
  }
  return kernels;
}

Kernel Bundle::kernel(const BundleRequest& request) const {
  return state_->kernels.kernel(
      {request.operation, request.problem, request.device, {}, request.require, request.inputs});
}

std::string Bundle::describe(const std::string& operation) const {
  return tilewright::describe(state_->source->definitions().family(operation).operation).dump();
}

std::size_t Bundle::trim() const {
  return state_->kernels.trim();
}

}  // namespace tilewright
