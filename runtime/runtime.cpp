// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tilewright/runtime.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "runtime/runtime_state.hpp"
#include "tuner/machine/machine.hpp"

namespace tilewright {
namespace {

std::string key_of(const KernelRequest& request, const DeviceReport& device) {
  const int cache = request.cache ? static_cast<int>(*request.cache) : -1;
  return fmt::format("{} {} {} {} {}", request.operation, canonical_json(request.problem),
                     device.id, cache, static_cast<int>(request.require));
}

}  // namespace

Runtime::State::State(RuntimeOptions options)
    : maker_(std::make_shared<KernelMaker>(std::move(options))) {}

Kernel Runtime::State::kernel(const KernelRequest& request) {
  const DeviceReport device = local_device(request.device);
  const std::string key = key_of(request, device);
  if (auto known = kernels_.find(key)) return *std::move(known);
  const auto made = maker_->make(request, device);
  KernelRequest whole = request;  // what the request says without leaving anything out
  whole.problem = made->first_recipe().answer.problem.values;
  return kernels_.add(key, key_of(whole, device), made);
}

KernelsBySize::State::State(std::shared_ptr<Runtime::State> runtime, KernelRequest request,
                            std::vector<std::string> dimensions)
    : runtime_(std::move(runtime)),
      request_(std::move(request)),
      dimensions_(std::move(dimensions)) {
  runtime_->maker().catalog().require_dimensions(request_.operation, dimensions_);
  local_device(request_.device);
}

const Kernel& KernelsBySize::State::at(std::span<const std::int64_t> sizes) {
  if (const Kernel* known = memo_.find(sizes)) return *known;
  if (sizes.size() != dimensions_.size())
    throw std::invalid_argument(fmt::format("kernels of {} dimensions were asked for {}",
                                            dimensions_.size(), sizes.size()));
  KernelRequest request = request_;
  for (std::size_t i = 0; i < sizes.size(); ++i) request.problem[dimensions_[i]] = sizes[i];
  return memo_.add(sizes, runtime_->kernel(request));
}

KernelsBySize::KernelsBySize(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelsBySize::KernelsBySize(KernelsBySize&&) noexcept = default;
KernelsBySize& KernelsBySize::operator=(KernelsBySize&&) noexcept = default;
KernelsBySize::~KernelsBySize() = default;

const Kernel& KernelsBySize::at(std::span<const std::int64_t> sizes) const {
  return state_->at(sizes);
}

Runtime::Runtime(RuntimeOptions options) : state_(std::make_shared<State>(std::move(options))) {}
Runtime::Runtime(Runtime&&) noexcept = default;
Runtime& Runtime::operator=(Runtime&&) noexcept = default;
Runtime::~Runtime() = default;

Kernel Runtime::kernel(const KernelRequest& request) const {
  return state_->kernel(request);
}

KernelsBySize Runtime::resolve(KernelRequest request, std::vector<std::string> dimensions) const {
  return KernelsBySize(
      std::make_unique<KernelsBySize::State>(state_, std::move(request), std::move(dimensions)));
}

std::size_t Runtime::trim() const {
  return state_->trim();
}

Device Runtime::device(DeviceSelector selector) const {
  return local_device(selector).device;
}

Environment Runtime::environment(DeviceSelector selector) const {
  return state_->maker().environment(local_device(selector));
}

}  // namespace tilewright
