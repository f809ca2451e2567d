#include <fmt/format.h>

#include <iostream>

#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/output.hpp"
#include "tools/input/paths.hpp"
#include "tools/input/target.hpp"
#include "tools/print/text.hpp"
#include "tools/report/document.hpp"
#include "tools/report/page.hpp"
#include "tools/results/result_files.hpp"
#include "tuner/toolchain/scratch_folder.hpp"

namespace tilewright::tools {
namespace {

constexpr FileLimit kPlotlyFile = {"plotly.min.js", 16};

ReportRequest request_of(const Arguments& arguments) {
  ReportRequest request;
  for (const std::string& word : arguments.words()) request.queries.push_back(query_for(word));
  request.sweep = arguments.text("sweep").value_or("");
  return request;
}

std::string library_element(const Arguments& arguments) {
  if (arguments.has("link")) return linked_library();
  const std::filesystem::path file = plotly_file();
  if (file.empty())
    throw MachineError(
        "the charts need plotly.min.js, which was not found at set-up; run tools/setup.sh, or link "
        "to it in the page with --link");
  return inlined_library(read_text_file(file, kPlotlyFile));
}

// The sweeps of files are checked like an import, in a database that nobody else sees.
nlohmann::json document_of_files(const Arguments& arguments, const std::vector<std::string>& files,
                                 ReportRequest request) {
  for (const std::string& file : files)
    request.source +=
        (request.source.empty() ? "" : ", ") + std::filesystem::path(file).filename().string();
  const ScratchFolder folder(temporary_folder());
  Store store(folder.path() / "sweeps.db");
  store.import_sweeps(sweeps_in_all(files, load_library(arguments)));
  return report_document(store, request, library_for_names(arguments, stored_operations(&store)));
}

nlohmann::json document_of(const Arguments& arguments, ReportRequest request) {
  if (const auto files = arguments.texts("from"); !files.empty()) {
    if (arguments.has("db")) throw InputError("--from and --db: give one of them");
    return document_of_files(arguments, files, std::move(request));
  }
  const std::unique_ptr<Store> store = open_for_reading(arguments);
  if (!store) return nullptr;
  request.source = database_file(arguments).filename().string();
  const std::set<std::string> stored = stored_operations(store.get());
  const Library library = library_for_names(arguments, stored);
  nlohmann::json document = report_document(*store, request, library);
  if (document.is_null())
    for (const std::string& word : arguments.words()) require_name(word, library, stored);
  return document;
}

int run_report(const Arguments& arguments) {
  const auto file = arguments.text("output");
  if (!file) throw InputError("name the page to write with -o FILE.html");
  const auto sources = arguments.texts("from");
  check_output(arguments, {sources.begin(), sources.end()});
  const std::string library = library_element(arguments);
  const nlohmann::json document = document_of(arguments, request_of(arguments));
  if (document.is_null()) {
    const bool is_missing = !arguments.has("from") && !has_database(arguments);
    std::cerr << (is_missing ? no_database_text(arguments) : "no stored sweep matches")
              << "; nothing is written\n";
    return kNothing;
  }
  write_file(*file, report_page(document, library, new_nonce()));
  std::cerr << fmt::format("{}: {}; open it in a browser\n", *file,
                           counted(document.at("sweeps").size(), "sweep"));
  return kDone;
}

}  // namespace

Command report_command() {
  return {"report",
          "Write one HTML page with charts of stored sweeps.",
          "[OPERATION[/IMPLEMENTATION]…] -o FILE.html [options]",
          "  tilewright report -o report.html\n"
          "  tilewright report gemm --sweep 1f3a -o gemm.html\n"
          "  tilewright report --from h200.json --from a100.json -o both.html\n",
          {{"output", "FILE", "The page to write.", OptionSpec::Times::once, 'o'},
           {"sweep", "ID", "Show only this sweep. The first characters of its id are enough."},
           {"from", "FILE",
            "Read this file instead of the database: what `tilewright export --format json` wrote, "
            "or another database; may be repeated.",
            OptionSpec::Times::many},
           {"link", "",
            "Link to the chart library on cdn.plot.ly instead of including it. The page is 5 MB "
            "smaller, and opens only with a network."},
           kDatabaseOption,
           kKernelsOption},
          run_report};
}

}  // namespace tilewright::tools
