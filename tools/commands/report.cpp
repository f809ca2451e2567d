#include "tools/report/report.hpp"
#include "definition/text/text_file.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/target.hpp"
#include "tools/results/result_files.hpp"
#include "tuner/toolchain/scratch_folder.hpp"

namespace tilewright::tools {
namespace {

constexpr FileLimit kPlotlyFile = {"plotly.min.js", 16};

struct ReportGiven : GivenWords {
  Places places;
  std::string output;
  std::string sweep;
  std::vector<std::string> from;
  bool is_linked = false;

  void declare(Options& all) {
    all.text(output, {"output", "FILE", "The page to write.", OptionSpec::Times::once, 'o'});
    all.text(sweep,
             {"sweep", "ID", "Show only this sweep. The first characters of its id are enough."});
    all.texts(from,
              {"from", "FILE",
               "Read this file instead of the database: what `tilewright export --format json` "
               "wrote, or another database; may be repeated."});
    all.flag(is_linked,
             {"link", "",
              "Link to the chart library on cdn.plot.ly instead of including it. The page is 5 MB "
              "smaller, and opens only with a network."});
    places.declare(all, {kDatabase, kKernels});
  }
};

std::string library_element(const ReportGiven& given) {
  if (given.is_linked) return linked_library();
  const std::filesystem::path file = plotly_file();
  if (file.empty())
    throw MachineError(
        "the charts need plotly.min.js, which was not found at set-up; run tools/setup.sh, or link "
        "to it in the page with --link");
  return inlined_library(read_text_file(file, kPlotlyFile));
}

// The sweeps of files are checked like an import, in a database that nobody else sees.
nlohmann::json document_of_files(const ReportGiven& given, ReportRequest request) {
  for (const std::string& file : given.from)
    request.source +=
        (request.source.empty() ? "" : ", ") + std::filesystem::path(file).filename().string();
  const ScratchFolder folder(temporary_folder());
  Store store(folder.path() / "sweeps.db");
  store.import_sweeps(sweeps_in_all(given.from, load_library(given.places)));
  return report_document(store, request,
                         library_for_names(given.places, stored_operations(&store)));
}

nlohmann::json document_of(const ReportGiven& given) {
  ReportRequest request;
  for (const std::string& word : given.words) request.queries.push_back(query_for(word));
  request.sweep = given.sweep;
  if (!given.from.empty()) {
    if (!given.places.database.empty()) throw InputError("--from and --db: give one of them");
    return document_of_files(given, std::move(request));
  }
  const std::unique_ptr<Store> store = open_for_reading(given.places);
  if (!store) return nullptr;
  request.source = database_file(given.places).filename().string();
  const std::set<std::string> stored = stored_operations(store.get());
  const Library library = library_for_names(given.places, stored);
  nlohmann::json document = report_document(*store, request, library);
  if (document.is_null())
    for (const std::string& word : given.words) require_name(word, library, stored);
  return document;
}

int run_report(const ReportGiven& given) {
  if (given.output.empty()) throw InputError("name the page to write with -o FILE.html");
  check_output(given.output, given.places, {given.from.begin(), given.from.end()});
  const std::string library = library_element(given);
  const nlohmann::json document = document_of(given);
  if (document.is_null()) {
    const bool is_missing = given.from.empty() && !has_database(given.places);
    return tell_nothing((is_missing ? no_database_text(given.places) : "no stored sweep matches") +
                        "; nothing is written");
  }
  write_file(given.output, report_page(document, library, new_nonce()));
  std::cerr << fmt::format("{}: {}; open it in a browser\n", given.output,
                           counted(document.at("sweeps").size(), "sweep"));
  return kDone;
}

}  // namespace

Command report_command() {
  return make_command({"report", Purpose::ask, "Write one HTML page with charts of stored sweeps.",
                       "[OPERATION[/IMPLEMENTATION]…] -o FILE.html [options]",
                       "  tilewright report -o report.html\n"
                       "  tilewright report gemm --sweep 1f3a -o gemm.html\n"
                       "  tilewright report --from h200.json --from a100.json -o both.html\n"},
                      run_report);
}

}  // namespace tilewright::tools
