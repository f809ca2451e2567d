#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "db/exchange/exchange.hpp"
#include "db/exchange/winners.hpp"
#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/work/export_content.hpp"

namespace tilewright::tools {
namespace {

Query read_query(const Arguments& arguments, const std::string& format) {
  const bool takes_a_problem = format == "defines";
  if (arguments.words().empty()) return {};
  if (arguments.words().size() > 1 && !takes_a_problem)
    throw InputError(
        fmt::format("export takes one operation; '{}' is one too many", arguments.words()[1]));
  return query_for(arguments.words().front());
}

// Nothing if no sweep (for JSON) or no answer (for the other formats) matches.
std::optional<std::string> content_of(const std::string& format, const Arguments& arguments,
                                      const Store* store) {
  const Query query = read_query(arguments, format);
  if (format == "header") return header_content(arguments, query, store);
  if (format == "defines") return defines_content(arguments, store);
  if (store == nullptr) return std::nullopt;
  if (format == "json") {
    const std::vector<SweepRecord> sweeps = store->sweeps(query);
    if (std::none_of(sweeps.begin(), sweeps.end(),
                     [](const SweepRecord& sweep) { return sweep.finished != 0; }))
      return std::nullopt;
    return export_json(*store, query);
  }
  const std::vector<BestRow> rows = store->best(query);
  if (rows.empty()) return std::nullopt;
  return format == "csv" ? export_csv(rows)
                         : export_winners(rows, arguments.text("about").value_or(""));
}

int run_export(const Arguments& arguments) {
  const std::string format =
      arguments.choice("format", {"json", "winners", "csv", "header", "defines"});
  if (arguments.has("about") && format != "winners")
    throw InputError("--about is a note in a file of winners; add --format winners");
  const std::unique_ptr<Store> store = open_for_reading(arguments);
  const std::optional<std::string> content = content_of(format, arguments, store.get());
  if (!content) {
    std::cerr << (store ? "no stored result matches" : no_database_text(arguments))
              << "; nothing is written\n";
    return kNothing;
  }
  if (const auto file = arguments.text("output")) {
    write_file(*file, *content);
  } else {
    std::cout << *content;
  }
  return kDone;
}

}  // namespace

Command export_command() {
  return {
      "export",
      "Write stored results as JSON, CSV, a C++ header or macros.",
      "[OPERATION[/IMPLEMENTATION] [DIM=VALUE…]] [options]",
      "  tilewright export gemm --format json --output gemm.json\n"
      "  tilewright export --format header --output tilewright_best.hpp\n"
      "  tilewright export gemm M=N=K=4096 --format defines --output tile.h\n",
      {{"format", "json|winners|csv|header|defines",
        "json (the default): whole sweeps, for import; winners: only the answers, for shipping; "
        "header: the whole look-up as C++17; defines: macros for one problem."},
       {"about", "TEXT", "With --format winners: who measured, and how."},
       {"output", "FILE", "Write here; standard output by default."},
       kDatabaseOption,
       kKernelsOption,
       kShippedOption},
      run_export};
}

}  // namespace tilewright::tools
