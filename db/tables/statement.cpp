#include <sqlite3.h>

#include <limits>

#include "db/tables/sqlite.hpp"

namespace tilewright {

namespace {

constexpr std::size_t kRow = 256;  // bytes of the allowance, beside the row's texts

}  // namespace

Statement::Statement(Database& database, std::string_view sql, const std::vector<Cell>& cells)
    : database_(database), handle_(nullptr, sqlite3_finalize) {
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v2(database_.handle_.get(), sql.data(),
                                      static_cast<int>(sql.size()), &handle, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) database_.fail(code);
  bind(cells);
}

void Statement::bind(const std::vector<Cell>& cells) {
  sqlite3_reset(handle_.get());
  int index = 0;
  for (const Cell& cell : cells) bind(++index, cell);
}

void Statement::bind(int index, const Cell& cell) {
  int code = SQLITE_OK;
  if (const auto* number = std::get_if<std::int64_t>(&cell)) {
    code = sqlite3_bind_int64(handle_.get(), index, *number);
  } else if (const auto* real = std::get_if<double>(&cell)) {
    code = sqlite3_bind_double(handle_.get(), index, *real);
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    code = sqlite3_bind_text64(handle_.get(), index, text->data(), text->size(), SQLITE_TRANSIENT,
                               SQLITE_UTF8);
  } else {
    code = sqlite3_bind_null(handle_.get(), index);
  }
  if (code != SQLITE_OK) database_.fail(code);
}

bool Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_DONE) return false;
  if (code == SQLITE_ROW) database_.spend(kRow);
  if (code == SQLITE_ROW) return true;
  database_.fail(code);
}

void Statement::run() {
  while (step()) {
  }
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_.get(), column);
}

double Statement::real(int column) const {
  if (is_null(column)) return std::numeric_limits<double>::quiet_NaN();
  return sqlite3_column_double(handle_.get(), column);
}

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  if (bytes == nullptr) return {};
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  database_.spend(size);
  return {bytes, size};
}

}  // namespace tilewright
