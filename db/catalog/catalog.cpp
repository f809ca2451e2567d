#include "tilewright/catalog.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "db/catalog/state.hpp"

namespace tilewright {

Catalog::Catalog(CatalogOptions options) : state_(std::make_shared<State>(std::move(options))) {}
Catalog::Catalog(Catalog&&) noexcept = default;
Catalog& Catalog::operator=(Catalog&&) noexcept = default;
Catalog::~Catalog() = default;

Answer Catalog::look_up(const Question& question) const {
  return state_->look_up(question);
}

Handle Catalog::resolve(Question question, std::vector<std::string> dimensions) const {
  return Handle(
      std::make_unique<Handle::State>(state_, std::move(question), std::move(dimensions)));
}

std::size_t Catalog::store_wanted(std::string& why) const {
  return state_->store_wanted(why);
}

std::vector<Device> Catalog::devices(const std::string& operation) const {
  return state_->devices(operation);
}

Device Catalog::device(const std::string& operation, const std::string& name) const {
  return state_->device(operation, name);
}

Handle::State::State(std::shared_ptr<Catalog::State> catalog, Question question,
                     std::vector<std::string> dimensions)
    : catalog_(std::move(catalog)),
      question_(std::move(question)),
      dimensions_(std::move(dimensions)) {
  catalog_->require_dimensions(question_.operation, dimensions_);
}

const Answer& Handle::State::best(std::span<const std::int64_t> sizes) {
  if (const Answer* known = memo_.find(sizes)) return *known;
  if (sizes.size() != dimensions_.size())
    throw std::invalid_argument(fmt::format("a handle of {} dimensions was asked about {}",
                                            dimensions_.size(), sizes.size()));
  Question question = question_;
  for (std::size_t i = 0; i < sizes.size(); ++i) question.problem[dimensions_[i]] = sizes[i];
  return memo_.add(sizes, catalog_->look_up(question));
}

void Handle::State::forget() {
  memo_.forget();
}

Handle::Handle(std::unique_ptr<State> state) : state_(std::move(state)) {}
Handle::Handle(Handle&&) noexcept = default;
Handle& Handle::operator=(Handle&&) noexcept = default;
Handle::~Handle() = default;

const Answer& Handle::best(std::span<const std::int64_t> sizes) const {
  return state_->best(sizes);
}

void Handle::forget() {
  state_->forget();
}

}  // namespace tilewright
