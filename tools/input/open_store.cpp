// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/input/open_store.hpp"

#include "tools/input/paths.hpp"

namespace tilewright::tools {

bool has_database(const Arguments& arguments) {
  std::error_code error;
  const auto status = std::filesystem::status(database_file(arguments), error);
  return status.type() != std::filesystem::file_type::not_found;
}

std::unique_ptr<Store> open_for_reading(const Arguments& arguments) {
  if (!has_database(arguments)) return nullptr;
  return std::make_unique<Store>(database_file(arguments), Store::Mode::read_only);
}

std::string no_database_text(const Arguments& arguments) {
  return "there is no database " + database_file(arguments).string();
}

}  // namespace tilewright::tools
