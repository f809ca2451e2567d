#include "runtime/catalog_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "definition/architecture.hpp"
#include "definition/text/hash.hpp"
#include "tilewright/error.hpp"
#include "tilewright/version.hpp"
#include "tuner/machine/machine.hpp"

namespace tilewright {

namespace {

std::vector<Exclusion> excluded_by(std::span<const FailedAttempt> failed) {
  std::vector<Exclusion> excluded;
  for (const FailedAttempt& one : failed)
    excluded.push_back(
        {one.answer.implementation, one.answer.configuration,
         one.from == CodeFrom::catalog ? std::optional(one.answer.rung) : std::nullopt});
  return excluded;
}

// The answer with another configuration, and so without its measurement.
Answer served_as(const Implementation& implementation, const Answer& found,
                 const Configuration& other) {
  Answer answer;
  answer.implementation = found.implementation;
  answer.configuration = other;
  answer.problem = found.problem;
  answer.rung = std::max(found.rung, Rung::portable);
  answer.measured_device = found.measured_device;
  answer.passed_over = found.passed_over;
  std::string changes;
  for (const Parameter& parameter : implementation.parameters) {
    const Value& now = *find_value(other, parameter);
    const Value& before = *find_value(found.configuration, parameter);
    if (now != before)
      changes += fmt::format("{}={} in place of {}={}", parameter.name, to_text(now),
                             parameter.name, to_text(before));
  }
  answer.reason = fmt::format(
      "the configuration of rung '{}' takes an input by value, and the request has all inputs in "
      "device memory: {}, which was not measured",
      to_text(found.rung), changes);
  return answer;
}

LibraryVersion version_of_libraries(const RuntimeOptions& options) {
  if (options.catalog.libraries == Libraries::off) return [](const std::string&) { return ""; };
  return [toolchain = Toolchain{{}, options.toolkits}](const std::string& routine) {
    return library_version(routine, toolchain);
  };
}

}  // namespace

CatalogSource::CatalogSource(const RuntimeOptions& options)
    : catalog_(options.catalog, version_of_libraries(options)),
      has_results_(!options.catalog.database.empty() || !options.catalog.shipped.empty()),
      codes_(options),
      compiling_(options.compiling) {
  for (const std::filesystem::path& file : options.bundles)
    bundles_.push_back(std::make_shared<const BundleSource>(file, version_of_libraries(options)));
}

Environment CatalogSource::environment(const DeviceReport& device) {
  Environment environment = device.environment;
  environment.compiler = codes_.compiler_version(architecture_of(device.device));
  environment.tool = kVersion;
  return environment;
}

Fingerprint CatalogSource::fingerprint() {
  Fingerprint parts = catalog_.fingerprint();
  for (const auto& bundle : bundles_)
    parts.push_back({"bundle", hex_hash(encode_bundle(bundle->contents()))});
  return parts;
}

std::optional<KernelAttempt> CatalogSource::next(const KernelRequest& request,
                                                 const DeviceReport& device,
                                                 std::span<const FailedAttempt> failed) {
  std::optional<Found> found = look_up(request, device, failed);
  KernelRequest whole = request;
  whole.problem = (found ? found->answer : failed.front().answer).problem.values;
  const Answer* const answer = found ? &found->answer : nullptr;
  std::optional<KernelAttempt> best = bundled(whole, answer, device, failed);
  if (!best && !found) return std::nullopt;
  const Answer& chosen = best ? best->recipe.answer : *answer;
  if (!accepts(request.require, chosen.rung)) {
    if (!failed.empty()) return std::nullopt;
    throw NothingFound(fmt::format("{} {}: there is only an answer of rung '{}'{}{}",
                                   request.operation, to_text(request.problem),
                                   to_text(chosen.rung), chosen.reason.empty() ? "" : ": ",
                                   chosen.reason));
  }
  if (!best)
    best = KernelAttempt{plan_recipe(found->chosen, found->answer, device.device),
                         [self = shared_from_this(), kernel = found->chosen](const Recipe& recipe) {
                           return self->code_for(kernel, recipe);
                         },
                         CodeFrom::catalog,
                         [this, kernel = found->chosen](const Recipe& recipe) {
                           return is_compiled(kernel, recipe);
                         }};
  say_what_failed(failed, best->recipe.answer);
  return best;
}

CatalogSource::Serving CatalogSource::serving(const KernelRequest& request,
                                              const Device& device) const {
  if (!needs_memory_inputs(request, device)) return {};
  return [device, asked = asked_problem(catalog_.definitions(), request.operation, request.problem,
                                        device)](const Implementation& implementation,
                                                 const Configuration& configuration) {
    return reading_memory({asked.chosen.operation, &implementation, asked.chosen.family},
                          asked.problem, configuration, device);
  };
}

std::optional<CatalogSource::Found> CatalogSource::look_up(const KernelRequest& request,
                                                           const DeviceReport& device,
                                                           std::span<const FailedAttempt> failed) {
  Question question{.operation = request.operation,
                    .problem = request.problem,
                    .device = device.device,
                    .cache = request.cache,
                    .require = request.require};
  if (has_results_) question.environment = environment(device);
  const Serving serving = this->serving(request, device.device);
  Catalog::State::Limits limits{excluded_by(failed)};
  if (serving)
    limits.can_serve = [&](const auto& of, const auto& one, Rung) {
      return serving(of, one).has_value();
    };
  std::vector<BundleSource::HasCode> bundles;
  for (const auto& bundle : bundles_) bundles.push_back(bundle->ready_for(request, device.device));
  if (!bundles.empty())
    limits.is_ready = [&](const Implementation& of, const Configuration& one) {
      const Configuration served = serving ? serving(of, one).value() : one;
      return std::ranges::any_of(
          bundles, [&](const auto& has_code) { return has_code(of.full_name(), served); });
    };
  std::string known_wrong;
  const auto climbed = catalog_.climb_within(question, std::move(limits), known_wrong);
  if (!climbed) {
    if (!failed.empty()) return std::nullopt;
    catalog_.climb_for(question);  // throws if nothing answers
    throw NothingFound(
        fmt::format("{} {}: each configuration that fits takes an input by value; give that input "
                    "in host memory too, or tune one that does not",
                    request.operation, to_text(request.problem)));
  }
  const LadderAnswer& found = climbed->answer;
  question.require = Require::any;  // a weaker answer is refused by next(), which says why
  Answer answer = Catalog::State::answer_for(question, *climbed);
  if (serving)
    if (const auto other = serving(*found.implementation, found.configuration).value();
        other != found.configuration)
      answer = served_as(*found.implementation, answer, other);
  return Found{std::move(answer),
               {climbed->chosen.operation, found.implementation, climbed->chosen.family}};
}

RecipeCode CatalogSource::code_for(const ChosenKernel& chosen, const Recipe& recipe) {
  for (const auto& bundle : bundles_)
    if (auto code = bundle->code_of(recipe)) return *std::move(code);
  return codes_.get(compile_request(chosen, recipe));
}

bool CatalogSource::is_compiled(const ChosenKernel& chosen, const Recipe& recipe) try {
  const auto is_code = [&](const auto& bundle) { return bundle->code_of(recipe).has_value(); };
  return std::ranges::any_of(bundles_, is_code) || codes_.is_known(compile_request(chosen, recipe));
} catch (const InputError&) {  // its source cannot be read
  return false;
}

bool CatalogSource::is_known_wrong(const Answer& answer, const Device& device) try {
  const ChosenOperation chosen = choose_operation(catalog_.definitions(), answer.implementation);
  const auto known_wrong = catalog_.known_wrong(*chosen.operation);
  return known_wrong && answer.rung != Rung::override_given &&
         known_wrong->find(*chosen.implementations.front(), answer.configuration, answer.problem,
                           device, answer.rung) != nullptr;
} catch (const InputError&) {  // its definitions are others
  return false;
}

std::optional<KernelAttempt> CatalogSource::meanwhile(const KernelRequest& request,
                                                      const DeviceReport& device,
                                                      const KernelAttempt& best) {
  if (compiling_ == Compiling::when_needed || bundles_.empty() || is_stopped_) return std::nullopt;
  if (!best.is_compiled || best.is_compiled(best.recipe)) return std::nullopt;
  KernelRequest whole = request;
  whole.problem = best.recipe.answer.problem.values;
  if (name_of_value_input(best.recipe).empty()) whole.inputs = Inputs::in_memory;
  std::optional<KernelAttempt> found;
  const auto consider = [&](std::optional<KernelAttempt> one) {
    if (!one || !accepts(request.require, one->recipe.answer.rung)) return;
    // A bundle's definitions may be others, so the same request may mean another problem there.
    if (one->recipe.answer.problem != best.recipe.answer.problem) return;
    if (is_known_wrong(one->recipe.answer, device.device)) return;
    if (!found || one->recipe.answer.rung < found->recipe.answer.rung) found = std::move(one);
  };
  std::string why;
  for (const auto& bundle : bundles_) {
    consider(bundle->held(whole, device, {}, why));
    consider(bundle->other(whole, device, {}, Rung::none, why));
  }
  if (found)
    say_what_failed(std::array{FailedAttempt{best.recipe.answer, best.from, best.recipe.label,
                                             "its code is being compiled"}},
                    found->recipe.answer);
  return found;
}

std::optional<KernelAttempt> CatalogSource::bundled(const KernelRequest& request,
                                                    const Answer* answer,
                                                    const DeviceReport& device,
                                                    std::span<const FailedAttempt> failed) {
  const Rung weakest = answer != nullptr ? answer->rung : Rung::none;
  if (weakest <= Rung::exact) return std::nullopt;  // this machine's own results come first
  std::string why;
  const auto may_answer = [&](const std::optional<KernelAttempt>& one) {
    return one && !is_known_wrong(one->recipe.answer, device.device);
  };
  for (const auto& bundle : bundles_) {
    auto held = bundle->held(request, device, failed, why);
    if (may_answer(held) && held->recipe.answer.rung <= weakest) return held;
  }
  std::optional<KernelAttempt> best;
  const auto stronger = [](Rung rung) { return static_cast<Rung>(static_cast<int>(rung) - 1); };
  for (const auto& bundle : bundles_) {
    const Rung known = best ? best->recipe.answer.rung : weakest;
    auto found = bundle->other(request, device, failed, stronger(known), why);
    if (may_answer(found)) best = std::move(found);
  }
  for (const auto& bundle : bundles_)
    if (!best && answer != nullptr) best = bundle->same(request, device.device, failed, *answer);
  return best;
}

void Background::add(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (is_stopped_) return;
  if (!thread_.joinable())
    thread_ = std::jthread([this](const std::stop_token& stopped) { serve(stopped); });
  waiting_.push_back(std::move(work));
  changed_.notify_one();
}

void Background::stop() {
  std::jthread ended;  // waited for without the lock
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
  ended = std::move(thread_);
}

void Background::serve(const std::stop_token& stopped) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stopped, [this] { return !waiting_.empty(); }) &&
         !stopped.stop_requested()) {
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace tilewright
