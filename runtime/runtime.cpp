#include "tilewright/runtime.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "db/catalog/size_memo.hpp"
#include "runtime/catalog_source.hpp"
#include "tuner/machine/machine.hpp"

namespace tilewright {

class Runtime::State {
 public:
  explicit State(const RuntimeOptions& options)
      : source(std::make_shared<CatalogSource>(options)), kernels(source) {}

  const std::shared_ptr<CatalogSource> source;
  Kernels kernels;
};

class KernelsBySize::State {
 public:
  // Throws InputError, MachineError.
  State(std::shared_ptr<Runtime::State> runtime, KernelRequest request,
        std::vector<std::string> dimensions);

  const Kernel& at(std::span<const std::int64_t> sizes);

 private:
  const std::shared_ptr<Runtime::State> runtime_;
  const KernelRequest request_;
  const std::vector<std::string> dimensions_;
  SizeMemo<Kernel> memo_;
};

KernelsBySize::State::State(std::shared_ptr<Runtime::State> runtime, KernelRequest request,
                            std::vector<std::string> dimensions)
    : runtime_(std::move(runtime)),
      request_(std::move(request)),
      dimensions_(std::move(dimensions)) {
  runtime_->source->catalog().require_dimensions(request_.operation, dimensions_);
  local_device(request_.device);
}

const Kernel& KernelsBySize::State::at(std::span<const std::int64_t> sizes) {
  if (const Kernel* known = memo_.find(sizes)) return *known;
  if (sizes.size() != dimensions_.size())
    throw std::invalid_argument(
        fmt::format("kernels with {} dimensions were asked for with {} sizes", dimensions_.size(),
                    sizes.size()));
  KernelRequest request = request_;
  for (std::size_t i = 0; i < sizes.size(); ++i) request.problem[dimensions_[i]] = sizes[i];
  return memo_.add(sizes, runtime_->kernels.kernel(std::move(request)));
}

KernelsBySize::KernelsBySize(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelsBySize::KernelsBySize(KernelsBySize&&) noexcept = default;
KernelsBySize& KernelsBySize::operator=(KernelsBySize&&) noexcept = default;
KernelsBySize::~KernelsBySize() = default;

const Kernel& KernelsBySize::at(std::span<const std::int64_t> sizes) const {
  return state_->at(sizes);
}

Runtime::Runtime(RuntimeOptions options) : state_(std::make_shared<State>(options)) {}
Runtime::Runtime(Runtime&&) noexcept = default;
Runtime& Runtime::operator=(Runtime&&) noexcept = default;
Runtime::~Runtime() = default;

Kernel Runtime::kernel(const KernelRequest& request) const {
  return state_->kernels.kernel(request);
}

KernelsBySize Runtime::resolve(KernelRequest request, std::vector<std::string> dimensions) const {
  return KernelsBySize(
      std::make_unique<KernelsBySize::State>(state_, std::move(request), std::move(dimensions)));
}

std::size_t Runtime::trim() const {
  return state_->kernels.trim();
}

Device Runtime::device(DeviceSelector selector) const {
  return local_device(selector).device;
}

Environment Runtime::environment(DeviceSelector selector) const {
  return state_->source->environment(local_device(selector));
}

}  // namespace tilewright
