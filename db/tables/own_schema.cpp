#include "db/tables/own_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "definition/text/escape.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"

namespace tilewright {

namespace {

// Tables of SQLite's own, which it reads before any query. ANALYZE makes them, and AUTOINCREMENT.
constexpr std::string_view kOfSqlite =
    "CREATE TABLE sqlite_stat1(tbl,idx,stat);"
    "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample);"
    "CREATE TABLE sqlite_sequence(name,seq)";

constexpr std::string_view kCreateTable = "CREATE TABLE ";
constexpr std::string_view kAlterTable = "ALTER TABLE ";
constexpr std::string_view kAddColumn = " ADD COLUMN ";
constexpr std::string_view kIfMissing = "IF NOT EXISTS ";  // SQLite leaves it out of its list

bool is_blank(char c) {
  return std::string_view(" \t\n\f\r").find(c) != std::string_view::npos;
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// How many characters a blank or a comment has at the beginning of `sql`, as SQLite sees it.
std::size_t gap_at(std::string_view sql) {
  if (is_blank(sql.front())) return 1;
  if (sql.starts_with("--")) return std::min(sql.find('\n'), sql.size());
  if (!sql.starts_with("/*")) return 0;
  const std::size_t end = sql.find("*/", 2);
  return end == std::string_view::npos ? sql.size() : end + 2;
}

// Without comments, and with a blank only between words. Of what can quote, SQL of ours has only
// texts in '.
std::string canonical(std::string_view sql) {
  std::string text;
  bool is_after_gap = false;
  while (!sql.empty()) {
    if (const std::size_t gap = gap_at(sql)) {
      sql.remove_prefix(gap);
      is_after_gap = true;
      continue;
    }
    if (is_after_gap && !text.empty() && is_word(text.back()) && is_word(sql.front())) text += ' ';
    is_after_gap = false;
    std::size_t size = 1;
    if (sql.front() == '\'') size = std::min(sql.find('\'', 1), sql.size() - 1) + 1;
    text += sql.substr(0, size);
    sql.remove_prefix(size);
  }
  return text;
}

// Of a canonical CREATE TABLE: what it begins with, what stands between its commas, and its end.
std::vector<std::string> parts_of(std::string_view table) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : table) {
    if (c == ')' && --depth == 0) parts.emplace_back();
    if (c != ',' || depth != 1) parts.back() += c;
    if ((c == '(' && ++depth == 1) || (c == ',' && depth == 1)) parts.emplace_back();
  }
  return parts;
}

// Of a canonical CREATE INDEX. Nothing in it may quote, or it would not be what SQLite sees.
bool has_columns_alone(std::string_view index) {
  const auto end_of = [index](std::size_t begin, char other) {
    const auto is_other = [other](char c) { return !is_word(c) && c != other; };
    return static_cast<std::size_t>(std::ranges::find_if(index.substr(begin), is_other) -
                                    index.begin());
  };
  const std::size_t open = end_of(0, ' ');
  return index.substr(open).starts_with('(') && index.substr(end_of(open + 1, ',')) == ")";
}

bool hides_a_function(std::string_view name) {
  return name.starts_with("pragma_") || name.starts_with("json_");
}

}  // namespace

OwnSchema::OwnSchema(std::string_view sql) : sql_(canonical(sql) + ';' + std::string(kOfSqlite)) {
  for (auto at = sql_.find(kIfMissing); at != std::string::npos; at = sql_.find(kIfMissing, at))
    sql_.erase(at, kIfMissing.size());
  for (std::string_view rest = sql_; !rest.empty();) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    add(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void OwnSchema::add(std::string_view statement) {
  const auto name_at = [statement](std::size_t begin, std::string_view end) {
    return std::string(statement.substr(begin, statement.find(end, begin) - begin));
  };
  if (statement.starts_with(kCreateTable)) {
    for (std::string& part : parts_of(statement))
      tables_[name_at(kCreateTable.size(), "(")].insert(std::move(part));
  } else if (statement.starts_with(kAlterTable)) {
    const std::string name = name_at(kAlterTable.size(), kAddColumn);
    tables_[name].emplace(statement.substr(kAlterTable.size() + name.size() + kAddColumn.size()));
  }
}

bool OwnSchema::is_ours(const std::string& kind, const std::string& name, const std::string& table,
                        const std::string& sql) const {
  if (kind == "index" && (!tables_.contains(table) || has_columns_alone(sql))) return true;
  if (kind == "index" || kind == "trigger") return sql_.find(sql) != std::string::npos;
  const auto own = tables_.find(name);
  if (own == tables_.end()) return !hides_a_function(name);
  return std::ranges::all_of(
      parts_of(sql), [&own](const std::string& part) { return own->second.contains(part); });
}

void OwnSchema::require(Database& database) const {
  // The one name that no table or view can take.
  Statement select(database, "SELECT type, name, tbl_name, sql FROM main.sqlite_master");
  // SQLite reads them to the first NUL, and names in any case.
  const auto cell = [&select](int column) {
    const std::string text = select.text(column);
    return text.substr(0, text.find('\0'));
  };
  while (select.step()) {
    const std::string kind = lower(cell(0));
    const std::string name = cell(1);
    if (!is_ours(kind, lower(name), lower(cell(2)), canonical(cell(3))))
      throw MachineError(
          visible_line(fmt::format("database '{}' has the {} '{}', which is not tilewright's",
                                   database.file().string(), kind, name)));
  }
}

}  // namespace tilewright
