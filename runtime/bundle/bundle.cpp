#include "tilewright/bundle.hpp"

#include "definition/json/json.hpp"
#include "runtime/bundle/bundle_source.hpp"

namespace tilewright {

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
