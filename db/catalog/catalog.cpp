// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tilewright/catalog.hpp"

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

}  // namespace tilewright
