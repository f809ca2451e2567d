#include "tilewright/catalog.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "db/catalog/size_memo.hpp"
#include "db/catalog/state.hpp"

namespace tilewright {

class Handle::State {
 public:
  const std::shared_ptr<Catalog::State> catalog;
  const Question question;
  const std::vector<std::string> dimensions;
  SizeMemo<Answer> memo = {};
};

Catalog::Catalog(CatalogOptions options) : state_(std::make_shared<State>(std::move(options))) {}
Catalog::Catalog(Catalog&&) noexcept = default;
Catalog& Catalog::operator=(Catalog&&) noexcept = default;
Catalog::~Catalog() = default;

Answer Catalog::look_up(const Question& question) const {
  return state_->look_up(question);
}

Handle Catalog::resolve(Question question, std::vector<std::string> dimensions) const {
  state_->require_dimensions(question.operation, dimensions);
  return Handle(std::unique_ptr<Handle::State>(
      new Handle::State{state_, std::move(question), std::move(dimensions)}));
}

std::size_t Catalog::store_wanted(std::string& why) const {
  return state_->store_wanted({}, why);
}

std::size_t Catalog::store_wanted(const std::filesystem::path& file, std::string& why) const {
  return state_->store_wanted(file, why);
}

std::string Catalog::fingerprint() const {
  return hash_of(state_->fingerprint());
}

std::vector<Device> Catalog::devices(const std::string& operation) const {
  return state_->devices(operation);
}

Device Catalog::device(const std::string& operation, const std::string& name) const {
  return state_->device(operation, name);
}

Handle::Handle(std::unique_ptr<State> state) : state_(std::move(state)) {}
Handle::Handle(Handle&&) noexcept = default;
Handle& Handle::operator=(Handle&&) noexcept = default;
Handle::~Handle() = default;

const Answer& Handle::best(std::span<const std::int64_t> sizes) const {
  if (const Answer* known = state_->memo.find(sizes)) return *known;
  const std::vector<std::string>& dimensions = state_->dimensions;
  if (sizes.size() != dimensions.size())
    throw std::invalid_argument(fmt::format("a handle of {} dimensions was asked about {}",
                                            dimensions.size(), sizes.size()));
  Question question = state_->question;
  for (std::size_t i = 0; i < sizes.size(); ++i) question.problem[dimensions[i]] = sizes[i];
  return state_->memo.add(sizes, state_->catalog->look_up(question));
}

void Handle::forget() {
  state_->memo.forget();
}

}  // namespace tilewright
