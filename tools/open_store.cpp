// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/open_store.hpp"

#include "tools/paths.hpp"

namespace tilewright::tools {

std::unique_ptr<Store> open_for_reading(const Arguments& arguments) {
  const std::filesystem::path file = database_file(arguments);
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found) return nullptr;
  return std::make_unique<Store>(file, Store::Mode::read_only);
}

std::string no_database_text(const Arguments& arguments) {
  return "there is no database " + database_file(arguments).string();
}

}  // namespace tilewright::tools
