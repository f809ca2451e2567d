// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <iostream>

#include "db/exchange.hpp"
#include "tilewright/error.hpp"
#include "tools/command.hpp"
#include "tools/files.hpp"
#include "tools/open_store.hpp"

namespace tilewright::tools {
namespace {

Query read_query(const Arguments& arguments) {
  Query query;
  if (arguments.words().empty()) return query;
  if (arguments.words().size() > 1)
    throw InputError(
        fmt::format("export takes one operation; '{}' is one too many", arguments.words()[1]));
  const std::string& name = arguments.words().front();
  const std::size_t slash = name.find('/');
  query.operation = name.substr(0, slash);
  if (slash != std::string::npos) query.implementation = name;
  return query;
}

int run(const Arguments& arguments) {
  const std::string format = arguments.choice("format", {"json", "csv", "header"});
  const Query query = read_query(arguments);
  const std::unique_ptr<Store> store = open_for_reading(arguments);
  const std::vector<BestRow> rows = store ? store->best(query) : std::vector<BestRow>{};
  if (rows.empty()) {
    std::cerr << "no stored result matches; nothing is written\n";
    return kNothing;
  }
  const std::string content = format == "json"  ? export_json(*store, query)
                              : format == "csv" ? export_csv(rows)
                                                : export_header(rows);
  if (const auto file = arguments.text("output")) {
    write_file(*file, content);
  } else {
    std::cout << content;
  }
  return kDone;
}

}  // namespace

Command export_command() {
  return {"export",
          "Write stored results as JSON, CSV or a C++ header.",
          "[OPERATION[/IMPLEMENTATION]] [options]",
          "  tilewright export gemm --format json --output gemm.json\n"
          "  tilewright export --format header --output tilewright_best.hpp\n",
          {{"format", "json|csv|header", "json, which import takes back, by default."},
           {"output", "FILE", "Write here; standard output by default."},
           database_option()},
          run};
}

}  // namespace tilewright::tools
