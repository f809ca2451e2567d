#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "db/tables/sqlite.hpp"

namespace tilewright {

// How a file is brought to the present version. Versions start at 1.
struct SchemaPlan {
  std::int64_t application_id = 0;
  std::int64_t version = 1;
  std::string create;                   // SQL that adds what a file of `version` lacks
  std::vector<std::string> steps;       // SQL; steps[i] takes version i + 1 to version i + 2
  std::string former = {};              // SQL of tables as they were before a step replaced them
  void (*derive)(Database&) = nullptr;  // fills derived tables after the steps, in one transaction
  // For readers: SQL of temporary views that show an older version as `version`.
  std::map<std::int64_t, std::string> views = {};
};

// The text of db/tables/schema.sql.
extern const std::string_view kSchemaSql;

// The plan for tilewright's databases.
SchemaPlan schema_plan();

// Brings the file to plan.version in one transaction: creates the tables in an empty file, or
// migrates an older version. Throws MachineError for another program's file, for a newer version,
// and for a schema with parts that are not in the plan; if `database` is read-only,
// also for an empty or older file without plan.views. Several processes may call it at once.
void prepare_schema(Database& database, const SchemaPlan& plan);

}  // namespace tilewright
