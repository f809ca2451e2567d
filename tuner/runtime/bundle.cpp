// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tilewright/bundle.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "tuner/runtime/bundle_file.hpp"
#include "tuner/runtime/kernel_state.hpp"
#include "tuner/runtime/local_device.hpp"

namespace tilewright {

class Bundle::State {
 public:
  explicit State(const std::filesystem::path& file)
      : contents_(std::make_shared<const BundleContents>(read_bundle(file))),
        file_(file.string()) {}

  const BundleContents& contents() const { return *contents_; }
  Kernel kernel(const BundleRequest& request);

 private:
  const std::shared_ptr<const BundleContents> contents_;
  const std::string file_;
  std::mutex mutex_;
  std::map<std::pair<const BundledRecipe*, std::string>, Kernel> kernels_;  // by recipe and device
};

Kernel Bundle::State::kernel(const BundleRequest& request) {
  DeviceReport device = local_device(request.device);
  std::string why;
  const BundledRecipe* const bundled =
      find_recipe(*contents_, request.operation, request.problem, device.device, why);
  if (bundled == nullptr) throw InputError(file_ + ": " + why);
  const std::lock_guard lock(mutex_);
  const auto key = std::pair(bundled, device.id);
  if (const auto known = kernels_.find(key); known != kernels_.end()) return known->second;
  const Kernel kernel(std::make_shared<Kernel::State>(
      KernelAttempt{
          bundled->recipe,
          [contents = contents_, bundled](const Recipe&) { return contents->code_of(*bundled); },
          CodeFrom::bundle},
      std::move(device)));
  return kernels_.emplace(key, kernel).first->second;
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
