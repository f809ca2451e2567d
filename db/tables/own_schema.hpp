#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "db/tables/sqlite.hpp"

namespace tilewright {

// What a database of ours may consist of, in any version. It is compared as text, without comments
// and blanks: columns and constraints each by itself, because a migrated table has them in another
// text than a new one.
class OwnSchema {
 public:
  // From all SQL that ever made or changed tables.
  explicit OwnSchema(std::string_view sql);

  // Throws MachineError if a table, index or trigger of ours could run anything that is not ours: a
  // view, a virtual table, a generated column, an expression, another trigger. So could one of
  // SQLite's own tables, and a table or view with the name of one of SQLite's functions. All else
  // that a user added is accepted, for reading and for writing, because no query of ours touches
  // it: other tables and views, and indexes of our tables by columns alone.
  // REQUIRES a Transaction; reads nothing but the list of what there is.
  void require(Database& database) const;

 private:
  using Parts = std::set<std::string, std::less<>>;
  void add(std::string_view statement);
  bool is_ours(const std::string& kind, const std::string& name, const std::string& table,
               const std::string& sql) const;

  std::string sql_;
  std::map<std::string, Parts, std::less<>> tables_;
};

}  // namespace tilewright
