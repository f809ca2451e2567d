// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tilewright/bundle.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <utility>

#include "tilewright/error.hpp"
#include "tuner/runtime/bundle_kernels.hpp"
#include "tuner/runtime/kernel_state.hpp"
#include "tuner/runtime/local_device.hpp"

namespace tilewright {

namespace {

std::string text_of(const BundleRequest& request, const DeviceReport& device) {
  return fmt::format("{} {} {} {}", request.operation, canonical_json(request.problem), device.id,
                     static_cast<int>(request.require));
}

}  // namespace

class Bundle::State {
 public:
  explicit State(const std::filesystem::path& file)
      : kernels_(std::make_shared<const BundleKernels>(read_bundle(file), file.string())),
        file_(file.string()) {}

  const BundleContents& contents() const { return kernels_->contents(); }
  Kernel kernel(const BundleRequest& request);

 private:
  Kernel held(const BundledRecipe& bundled, const DeviceReport& device);  // REQUIRES the lock
  Kernel other(const BundleRequest& request, const DeviceReport& device,
               const std::string& why) const;

  const std::shared_ptr<const BundleKernels> kernels_;
  const std::string file_;
  std::mutex mutex_;
  std::map<std::pair<const BundledRecipe*, std::string>, Kernel> held_;  // by recipe and device
  std::map<std::string, Kernel> asked_;                                  // by all that is asked
};

Kernel Bundle::State::kernel(const BundleRequest& request) {
  const DeviceReport device = local_device(request.device);
  const std::string asked = text_of(request, device);
  const std::lock_guard lock(mutex_);
  if (const auto known = asked_.find(asked); known != asked_.end()) return known->second;
  std::string why;
  const BundledRecipe* const bundled =
      find_recipe(contents(), request.operation, request.problem, device.device, why);
  const bool is_held = bundled != nullptr && accepts(request.require, bundled->recipe.answer.rung);
  return asked_.emplace(asked, is_held ? held(*bundled, device) : other(request, device, why))
      .first->second;
}

Kernel Bundle::State::held(const BundledRecipe& bundled, const DeviceReport& device) {
  const auto key = std::pair(&bundled, device.id);
  if (const auto known = held_.find(key); known != held_.end()) return known->second;
  const Kernel kernel(std::make_shared<Kernel::State>(
      KernelAttempt{bundled.recipe,
                    [kernels = kernels_, build = bundled.build](const Recipe&) {
                      return kernels->contents().code_of(build);
                    },
                    CodeFrom::bundle},
      device));
  return held_.emplace(key, kernel).first->second;
}

Kernel Bundle::State::other(const BundleRequest& request, const DeviceReport& device,
                            const std::string& why) const {
  const Question question{
      .operation = request.operation, .problem = request.problem, .device = device.device};
  std::string why_no_other;
  auto found = kernels_->find_other(question, {}, why_no_other);
  const std::string begin = why.empty() ? file_ + ": " : fmt::format("{}: {}; ", file_, why);
  if (!found) throw InputError(begin + why_no_other);
  const Rung rung = found->recipe.answer.rung;
  if (!accepts(request.require, rung))
    throw NothingFound(fmt::format("{}there is only an answer of rung '{}'", begin, to_text(rung)));
  return Kernel(std::make_shared<Kernel::State>(
      KernelAttempt{std::move(found->recipe),
                    [code = std::move(found->code)](const Recipe&) { return code; },
                    CodeFrom::bundle},
      device));
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

}  // namespace tilewright
