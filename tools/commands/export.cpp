#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "db/exchange/exchange.hpp"
#include "db/exchange/winners.hpp"
#include "db/header/header.hpp"
#include "db/ladder/present.hpp"
#include "db/records/device_name.hpp"
#include "definition/text/escape.hpp"
#include "tilewright/version.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/target.hpp"
#include "tools/print/names.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/plan/flat_source.hpp"

namespace tilewright::tools {
namespace {

constexpr const char* kCapability = "TILEWRIGHT_COMPUTE_CAPABILITY";

std::vector<PortableRow> portable_rows(const std::string& operation, const Store* store) {
  std::vector<PortableRow> rows;
  if (store == nullptr) return rows;
  for (const DeviceKind kind : kDeviceKinds)
    for (PortableRow& row : store->portable(operation, kind)) rows.push_back(std::move(row));
  return rows;
}

// The family with only the named implementation; whole if the name is empty.
Family narrowed(Family family, const std::string& implementation) {
  if (implementation.empty()) return family;
  const Implementation one =
      family.implementation(implementation.substr(implementation.find('/') + 1));
  family.implementations = {one};
  return family;
}

// TILEWRIGHT_DEVICE_NVIDIA_H200
std::string device_macro(const Device& device) {
  const std::string partition = device.partition.empty() ? "" : '_' + device.partition;
  return "TILEWRIGHT_DEVICE_" + cpp_macro_part(device.name + partition);
}

std::vector<Device> gpus_of(const std::vector<BestRow>& rows) {
  std::vector<Device> gpus;
  for (const BestRow& row : rows)
    if (!runs_on_cpu(row.device.kind)) add_device(gpus, row.device);
  std::ranges::stable_sort(gpus, {},
                           [](const Device& gpu) { return std::pair(gpu.name, gpu.partition); });
  return gpus;
}

std::string answer_text(const LadderQuestion& question, const LadderAnswer& answer) {
  const Device device = question.device.value_or(Device{});
  const Scope scope = full_scope(question.problem, answer.configuration, device);
  const std::string name = answer.implementation->full_name();
  const auto macros = macros_of_launches(*answer.implementation, *question.operation,
                                         question.problem, answer.configuration, scope);
  const std::string when =
      answer.row && answer.row->trial.timing
          ? fmt::format(", {:.4g} us, measured {}{}", answer.row->trial.timing->median_us,
                        date_text(answer.row->finished),
                        answer.has_other_source ? " with another source" : "")
          : "";
  return fmt::format("{}\n#define TILEWRIGHT_IMPLEMENTATION {}\n",
                     cpp_comment(fmt::format("{}: {}{}", name, rung_text(answer), when)),
                     cpp_literal(name)) +
         (macros ? define_lines(*macros)
                 : cpp_comment("Its launches are compiled with different macros; `best --format "
                               "header` has those of each.") +
                       "\n");
}

struct ExportGiven : GivenWords {
  enum class Format { json, winners, csv, header, defines };
  Format format = Format::json;
  std::string about;
  std::string output;
  Places places;

  void declare(Options& all) {
    all.choice(format,
               {Format::json, Format::winners, Format::csv, Format::header, Format::defines},
               {"format", "json|winners|csv|header|defines",
                "json (the default): whole sweeps, for import; winners: only the answers, for "
                "shipping; header: the whole look-up as C++17; defines: macros for one problem."});
    all.text(about, {"about", "TEXT", "With --format winners: who measured, and how."});
    all.text(output, kOutputOption);
    places.declare(all, {kDatabase, kKernels, kShipped});
  }
};

// The C++ header for the operations that match. Like `best` it includes shipped results.
std::optional<std::string> header_content(const Places& places, const Query& query,
                                          const Store* store) {
  const std::set<std::string> names =
      query.operation.empty() ? stored_operations(store) : std::set{query.operation};
  const Library library = load_library(places, names);
  ShippedResults shipped(shipped_places(places));
  const PresentDefinitions present(library);
  std::vector<HeaderPart> parts;
  if (!query.operation.empty()) library.family(query.operation);  // throws if unknown
  for (const auto& [name, family] : library.families()) {
    if (!query.operation.empty() && name != query.operation) continue;
    std::vector<BestRow> rows = all_rows(name, store, shipped, present.defining());
    if (!rows.empty())
      parts.push_back({narrowed(family, query.implementation), library.snippets(), std::move(rows),
                       portable_rows(name, store),
                       store == nullptr ? std::vector<KnownWrong>{}
                                        : present.of_present_sources(store->known_wrong(name))});
  }
  if (parts.empty()) return std::nullopt;
  return export_header(parts);
}

// Macros for the problem on the command line: one set for each GPU with results, among which the
// preprocessor chooses. GPUs by name come first, then the first GPU of each compute capability.
std::optional<std::string> defines_content(const ExportGiven& given) {
  const Target target = read_target(given.words, given.places);
  TargetAnswers answers(target, given.places);
  const std::vector<Device> gpus = gpus_of(answers.rows());
  if (gpus.empty()) return std::nullopt;
  LadderQuestion question;
  const auto content = [&](const std::optional<Device>& device) {
    question = answers.question(device);
    const LadderResult result = answers.climb(question);
    if (!result.answer) refuse_none(result);
    return answer_text(question, *result.answer);
  };
  std::string branches;
  const auto add_branch = [&](const std::string& condition, const std::string& text) {
    branches += fmt::format("#{} {}\n{}", branches.empty() ? "if" : "elif", condition, text);
  };
  std::set<std::string> names;
  for (const Device& gpu : gpus)
    if (names.insert(device_macro(gpu)).second)
      add_branch(fmt::format("defined({})", device_macro(gpu)), content(gpu));
  std::set<int> capabilities;
  for (const Device& gpu : gpus)
    if (capabilities.insert(gpu.compute_capability).second)
      add_branch(fmt::format("defined({0}) && {0} == {1}", kCapability, gpu.compute_capability),
                 content(gpu));
  add_branch(fmt::format("defined({})", kCapability), content(std::nullopt));
  const std::string origin = fmt::format("Written by tilewright {}: {}", kVersion,
                                         named_problem(target.operation(), question.problem));
  return fmt::format(
      "{}\n"
      "// Define one of the names below, or {} (90 for 9.0), the same for host and\n"
      "// device code.\n{}#else\n#error \"define {} or {}\"\n#endif\n",
      cpp_comment(origin), kCapability, branches, *names.begin(), kCapability);
}

// The metrics of each call whose operation the library has. It must outlive what it returns.
MetricsOf metrics_of(const Library& library) {
  return [&library](const MeasuredCall& call) {
    const auto found = library.families().find(call.problem.operation);
    return found == library.families().end() ? nlohmann::json::object()
                                             : metrics_json(found->second.operation, call);
  };
}

// One for each metric of these operations. The library must outlive them.
std::vector<CsvColumn> csv_columns(const Library& library,
                                   const std::set<std::string>& operations) {
  std::vector<CsvColumn> columns;
  for (const auto& [name, family] : library.families()) {
    if (!operations.contains(name)) continue;
    const Operation& operation = family.operation;
    for (const Metric& metric : operation.metrics)
      columns.push_back({metric.name, [&metric, &operation](const BestRow& row) {
                           if (row.problem.operation != operation.name) return std::string();
                           const auto value = value_of(metric, operation, call_of(row));
                           return value ? fmt::format("{}", *value) : std::string();
                         }});
  }
  return columns;
}

// All finished sweeps that match. Nothing if there is none.
std::optional<std::string> sweeps_content(const Places& places, const Query& query,
                                          const Store& store) {
  std::set<std::string> names;
  for (const SweepRecord& sweep : store.sweeps(query))
    if (sweep.finished != 0) names.insert(sweep.key.operation);
  if (names.empty()) return std::nullopt;
  const Library library = library_for_names(places, names);
  return export_json(store, query, metrics_of(library));
}

// As CSV or as winners. Nothing if there is no row.
std::optional<std::string> rows_content(const ExportGiven& given,
                                        const std::vector<BestRow>& rows) {
  if (rows.empty()) return std::nullopt;
  std::set<std::string> names;
  for (const BestRow& row : rows) names.insert(row.problem.operation);
  const Library library = library_for_names(given.places, names);
  if (given.format == ExportGiven::Format::csv)
    return export_csv(rows, csv_columns(library, names));
  return export_winners(rows, given.about, metrics_of(library));
}

Query read_query(const ExportGiven& given) {
  const std::vector<std::string>& words = given.words;
  if (words.empty()) return {};
  if (words.size() > 1 && given.format != ExportGiven::Format::defines)
    throw InputError(
        words[1].find('=') == std::string::npos
            ? fmt::format("export takes one operation; '{}' is one too many", words[1])
            : fmt::format("'{}' names a problem, which goes with --format defines", words[1]));
  return query_for(words.front());
}

// Nothing if no sweep (for JSON) or no answer (for the other formats) matches.
std::optional<std::string> content_of(const ExportGiven& given, const Store* store) {
  const Query query = read_query(given);
  if (given.format == ExportGiven::Format::header)
    return header_content(given.places, query, store);
  if (given.format == ExportGiven::Format::defines) return defines_content(given);
  if (store == nullptr) return std::nullopt;
  if (given.format == ExportGiven::Format::json) return sweeps_content(given.places, query, *store);
  return rows_content(given, store->best(query));
}

// "no result of gemm/mma is stored, only 2 sweeps of gemm and 1 unfinished one". Macros are of GPUs
// alone.
std::string nothing_text(const ExportGiven& given, const Store* store) {
  if (store == nullptr) return no_database_text(given.places);
  std::map<std::string, std::size_t> finished;  // by operation
  std::size_t unfinished = 0;
  for (const SweepRecord& sweep : store->sweeps({}))
    ++(sweep.finished == 0 ? unfinished : finished[sweep.key.operation]);
  std::vector<std::string> others;
  for (const auto& [operation, count] : finished)
    others.push_back(fmt::format("{} of {}", counted(count, "finished sweep"), operation));
  if (unfinished > 0) others.push_back(counted(unfinished, "unfinished sweep"));
  return fmt::format("no result{}{} is stored{}{}",
                     given.words.empty() ? "" : " of " + given.words.front(),
                     given.format == ExportGiven::Format::defines ? " on a GPU" : "",
                     others.empty() ? "" : ", only ", fmt::join(others, ", "));
}

int run_export(const ExportGiven& given) {
  if (!given.about.empty() && given.format != ExportGiven::Format::winners)
    throw InputError("--about is a note in a file of winners; add --format winners");
  check_output(given.output, given.places);
  const std::unique_ptr<Store> store = open_for_reading(given.places);
  const std::optional<std::string> content = content_of(given, store.get());
  if (!content) return tell_nothing(nothing_text(given, store.get()) + "; nothing is written");
  write_output(given.output, *content);
  if (!given.output.empty())
    std::cerr << fmt::format("{}: {} written\n", given.output, counted(content->size(), "byte"));
  return kDone;
}

}  // namespace

Command export_command() {
  return make_command(
      {"export", Purpose::ship, "Write stored results as JSON, CSV, a C++ header or macros.",
       "[OPERATION[/IMPLEMENTATION] [DIM=VALUE…]] [options]",
       "  tilewright export gemm --format json --output gemm.json\n"
       "  tilewright export --format header --output tilewright_best.hpp\n"
       "  tilewright export gemm M=N=K=4096 --format defines --output tile.h\n"},
      run_export);
}

}  // namespace tilewright::tools
