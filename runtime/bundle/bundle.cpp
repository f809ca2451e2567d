// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tilewright/bundle.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>
#include <utility>

#include "runtime/bundle/attempts.hpp"
#include "runtime/bundle/bundle_kernels.hpp"
#include "runtime/launch/kernel_memo.hpp"
#include "runtime/launch/kernel_state.hpp"
#include "tilewright/error.hpp"
#include "tuner/machine/machine.hpp"

namespace tilewright {

namespace {

std::string text_of(const BundleRequest& request, const DeviceReport& device) {
  return fmt::format("{} {} {} {}", request.operation, canonical_json(request.problem), device.id,
                     static_cast<int>(request.require));
}

Question question_of(const BundleRequest& request, const DeviceReport& device) {
  return {.operation = request.operation, .problem = request.problem, .device = device.device};
}

// Where the code of those did not load; nothing: no other is left that the request accepts.
std::optional<KernelAttempt> next_best(const BundleKernels& kernels, const BundleRequest& request,
                                       const DeviceReport& device,
                                       std::span<const FailedAttempt> failed) {
  std::string why;
  auto found = kernels.find_other(question_of(request, device), not_from_bundles(failed), why);
  if (!found || !accepts(request.require, found->recipe.answer.rung)) return std::nullopt;
  say_what_failed(failed, found->recipe.answer);
  return attempt_of(*std::move(found));
}

}  // namespace

class Bundle::State {
 public:
  explicit State(const std::filesystem::path& file)
      : kernels_(std::make_shared<const BundleKernels>(read_bundle(file), file.string())),
        file_(file.string()) {}

  const BundleContents& contents() const { return kernels_->contents(); }
  Kernel kernel(const BundleRequest& request);
  std::size_t trim() { return asked_.trim(); }

 private:
  KernelAttempt first(const BundleRequest& request, const DeviceReport& device) const;
  KernelAttempt other(const BundleRequest& request, const DeviceReport& device,
                      const std::string& why) const;

  const std::shared_ptr<const BundleKernels> kernels_;
  const std::string file_;
  KernelMemo asked_;  // by all that is asked
};

Kernel Bundle::State::kernel(const BundleRequest& request) {
  const DeviceReport device = local_device(request.device);
  const std::string asked = text_of(request, device);
  if (auto known = asked_.find(asked)) return *std::move(known);
  const auto made = std::make_shared<Kernel::State>(
      first(request, device), device,
      [kernels = kernels_, request, device](std::span<const FailedAttempt> failed) {
        return next_best(*kernels, request, device, failed);
      });
  BundleRequest whole = request;  // what it says without leaving anything out
  whole.problem = made->first_recipe().answer.problem.values;
  return asked_.add(asked, text_of(whole, device), made);
}

KernelAttempt Bundle::State::first(const BundleRequest& request, const DeviceReport& device) const {
  std::string why;
  const BundledRecipe* const bundled =
      find_recipe(contents(), request.operation, request.problem, device.device, why);
  const bool is_held = bundled != nullptr && accepts(request.require, bundled->recipe.answer.rung);
  return is_held ? attempt_of(kernels_, *bundled) : other(request, device, why);
}

KernelAttempt Bundle::State::other(const BundleRequest& request, const DeviceReport& device,
                                   const std::string& why) const {
  std::string why_no_other;
  auto found = kernels_->find_other(question_of(request, device), {}, why_no_other);
  const std::string begin = why.empty() ? file_ + ": " : fmt::format("{}: {}; ", file_, why);
  if (!found) throw InputError(begin + why_no_other);
  const Rung rung = found->recipe.answer.rung;
  if (!accepts(request.require, rung))
    throw NothingFound(fmt::format("{}there is only an answer of rung '{}'", begin, to_text(rung)));
  return attempt_of(*std::move(found));
}

Bundle::Bundle(const std::filesystem::path& file) : state_(std::make_shared<State>(file)) {}
Bundle::Bundle(Bundle&&) noexcept = default;
Bundle& Bundle::operator=(Bundle&&) noexcept = default;
Bundle::~Bundle() = default;

const std::string& Bundle::tool() const {
  return state_->contents().tool;
}

std::vector<BundleKernel> Bundle::kernels() const {
  std::vector<BundleKernel> kernels;
  for (const BundledRecipe& bundled : state_->contents().recipes) {
    const Recipe& recipe = bundled.recipe;
    kernels.push_back({recipe.answer, recipe.device.kind, recipe.device.name, recipe.architecture});
  }
  return kernels;
}

Kernel Bundle::kernel(const BundleRequest& request) const {
  return state_->kernel(request);
}

std::size_t Bundle::trim() const {
  return state_->trim();
}

}  // namespace tilewright
