#include "tilewright/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "db/catalog/size_memo.hpp"
#include "definition/json/json.hpp"
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
  const std::shared_ptr<Runtime::State> runtime;
  const KernelRequest request;
  const std::vector<std::string> dimensions;
  const std::function<Settings(std::int64_t)> settings;  // empty: nothing else is open
  SizeMemo<Kernel> memo = {};
};

KernelsBySize::KernelsBySize(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelsBySize::KernelsBySize(KernelsBySize&&) noexcept = default;
KernelsBySize& KernelsBySize::operator=(KernelsBySize&&) noexcept = default;
KernelsBySize::~KernelsBySize() = default;

const Kernel& KernelsBySize::at(std::span<const std::int64_t> sizes) const {
  if (const Kernel* known = state_->memo.find(sizes)) return *known;
  const std::vector<std::string>& dimensions = state_->dimensions;
  const std::size_t further = state_->settings ? 1 : 0;
  if (sizes.size() != dimensions.size() + further)
    throw std::invalid_argument(
        fmt::format("kernels with {} dimensions were asked for with {} sizes", dimensions.size(),
                    sizes.size() - std::min(further, sizes.size())));
  KernelRequest request = state_->request;
  for (std::size_t i = 0; i < dimensions.size(); ++i)
    if (sizes[i] != kDefault) request.problem[dimensions[i]] = sizes[i];
  if (state_->settings)
    for (auto& [name, value] : state_->settings(sizes.back())) request.problem[name] = value;
  return state_->memo.add(sizes, state_->runtime->kernels.kernel(std::move(request)));
}

Runtime::Runtime(const RuntimeOptions& options) : state_(std::make_shared<State>(options)) {}
Runtime::Runtime(Runtime&&) noexcept = default;
Runtime& Runtime::operator=(Runtime&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}
Runtime::~Runtime() {
  if (state_) state_->source->stop_compiling();
}

Kernel Runtime::kernel(const KernelRequest& request) const {
  return state_->kernels.kernel(request);
}

KernelsBySize Runtime::resolve(KernelRequest request, std::vector<std::string> dimensions) const {
  return resolve(std::move(request), std::move(dimensions), nullptr);
}

KernelsBySize Runtime::resolve(KernelRequest request, std::vector<std::string> dimensions,
                               std::function<Settings(std::int64_t)> settings) const {
  state_->source->catalog().require_dimensions(request.operation, dimensions);
  local_device(request.device);
  return KernelsBySize(std::unique_ptr<KernelsBySize::State>(new KernelsBySize::State{
      state_, std::move(request), std::move(dimensions), std::move(settings)}));
}

std::string Runtime::describe(const std::string& operation) const {
  const Library& definitions = state_->source->catalog().definitions();
  return tilewright::describe(definitions.family(operation).operation).dump();
}

std::size_t Runtime::trim() const {
  return state_->kernels.trim();
}

std::size_t Runtime::store_wanted(const std::filesystem::path& file, std::string& why) const {
  return state_->source->store_wanted(file, why);
}

std::string Runtime::fingerprint() const {
  return hash_of(state_->source->fingerprint());
}

Device Runtime::device(DeviceSelector selector) const {
  return local_device(selector).device;
}

Environment Runtime::environment(DeviceSelector selector) const {
  return state_->source->environment(local_device(selector));
}

}  // namespace tilewright
