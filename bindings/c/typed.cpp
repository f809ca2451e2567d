// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "bindings/c/typed.hpp"

#include <fmt/format.h>

#include "tilewright/error.hpp"

namespace tilewright::bindings {

bool is_set(std::int32_t flag, const char* name) {
  if (flag != 0 && flag != 1)
    throw InputError(fmt::format("{}: give 0 or 1; {} was given", name, flag));
  return flag == 1;
}

void require_all(const char* function, std::initializer_list<NamedPointer> pointers) {
  for (const auto& [name, pointer] : pointers)
    require(pointer, fmt::format("{}: {}", function, name).c_str());
}

}  // namespace tilewright::bindings
