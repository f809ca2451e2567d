#include <algorithm>
#include <iterator>
#include <map>

#include "campaign/device_lock.hpp"
#include "db/catalog/shipped.hpp"
#include "db/exchange/winners.hpp"
#include "definition/json/json.hpp"
#include "definition/text/text_file.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/worker_options.hpp"
#include "tools/print/names.hpp"
#include "tools/print/progress.hpp"
#include "tools/print/terminal.hpp"
#include "tools/run/interrupt.hpp"
#include "tools/run/recheck.hpp"

namespace tilewright::tools {
namespace {

nlohmann::json time_json(const Timing& timing) {
  return {{"median_us", timing.median_us},
          {"interval_low_us", timing.interval_low_us},
          {"interval_high_us", timing.interval_high_us},
          {"sm_mhz", timing.sm_mhz}};
}

nlohmann::json json_of_rival(const Trial& trial) {
  nlohmann::json json = {{"configuration", to_json(trial.configuration.values)},
                         {"outcome", to_text(trial.outcome)}};
  if (trial.timing) json["timing"] = time_json(*trial.timing);
  return json;
}

nlohmann::json json_of_one(const Rechecked& result) {
  const BestRow& row = result.item.row;
  const Confirmation& confirmation = result.confirmation;
  nlohmann::json json = {{"implementation", row.implementation},
                         {"configuration", to_json(row.configuration.values)},
                         {"problem", to_json(row.problem.values)},
                         {"device", device_summary(row.device)},
                         {"policy", tilewright::to_text(row.policy)},
                         {"sweep", row.sweep_uuid},
                         {"was_stale", result.item.was_stale},
                         {"environment", to_json(confirmation.environment)},
                         {"verdict", to_text(confirmation.verdict)},
                         {"message", confirmation.message},
                         {"code_hash", confirmation.code_hash},
                         {"stored_code_hash", row.trial.code_hash}};
  if (row.trial.timing) json["stored"] = time_json(*row.trial.timing);
  if (result.now.winner.timing) json["now"] = time_json(*result.now.winner.timing);
  const Store::Rivals& rivals = result.now.rivals;
  if (rivals.runner_up) json["runner_up"] = json_of_rival(*rivals.runner_up);
  if (rivals.standard) json["default"] = json_of_rival(*rivals.standard);
  return json;
}

// "12.3 µs (12.2 µs to 12.4 µs)"; empty without a time.
std::string time_cell(const std::optional<Timing>& timing) {
  if (!timing) return "";
  return fmt::format("{} ({})", time_text(timing->median_us),
                     interval_text(timing->interval_low_us, timing->interval_high_us));
}

// The problem as its operation writes it, if that is there.
std::string problem_of(const RecheckItem& item) {
  return item.family ? problem_text(item.family->operation, item.row.problem)
                     : tilewright::to_text(item.row.problem.values);
}

void print_rechecked(std::ostream& out, const std::vector<Rechecked>& results) {
  Table table(
      {"implementation", "problem", "device", "policy", "stored", "now", "MHz", "verdict", ""},
      {4, 5, 6});
  table.may_lose({6, 3, 2, 4});
  for (const Rechecked& result : results) {
    const BestRow& row = result.item.row;
    const auto& now = result.now.winner.timing;
    table.add({row.implementation, problem_of(result.item), row.device.name,
               policy_text(row.policy), time_cell(row.trial.timing), time_cell(now),
               now && now->sm_mhz > 0 ? fmt::format("{:.0f}", now->sm_mhz) : "",
               std::string(to_text(result.confirmation.verdict)),
               cause_of(result.confirmation.message)});
  }
  table.print(out);
}

// Stores each verdict as soon as it is found, and shows the progress. Without a store it only
// shows.
class Keeper {
 public:
  Keeper(Store* store, std::size_t total) : store_(store) { line_.start(total, 0); }
  void operator()(Rechecked result) {
    const Verdict verdict = result.confirmation.verdict;
    if (store_ != nullptr) store_->add_confirmation(result.confirmation);
    line_.step({fmt::format("{} {}", result.item.row.implementation, to_text(verdict))});
    results.push_back(std::move(result));
  }
  void finish() { line_.finish(); }

  std::vector<Rechecked> results;

 private:
  Store* const store_;
  ProgressLine line_;
};

struct RecheckGiven : GivenWords {
  Measuring measuring;
  bool is_compile_only = false;
  bool json = false;

  void declare(Options& all) {
    all.text(measuring.device,
             {"device", "DEVICE",
              "cuda:N or host; by default cuda:0, or host where there is no GPU. With "
              "--compile-only every stored device, or those whose name contains this."});
    all.flag(is_compile_only,
             {"compile-only", "", "Only compile and compare the code. Needs no GPU."});
    all.texts(measuring.places.shipped,
              {"shipped", "PLACE",
               "With --compile-only: the results of a file or folder of winners in place of those "
               "of the database. Winners whose code is the same get the hash of the present "
               "source."});
    measuring.declare_no_wait(all);
    measuring.declare_jobs(all);
    measuring.places.declare(all, {kDatabase, kCache, kKernels, kLibraries});
    all.flag(json, kJsonOption);
  }
};

void measure_all(const Measuring& measuring, const DeviceReport& report,
                 std::vector<RecheckItem> items, Keeper& keeper, const std::atomic<bool>& stop) {
  const DeviceClaim claimed = claim(measuring, report, stop);
  const std::unique_ptr<MachineMonitor> monitor =
      backend_of(report.device.kind).make_monitor(report);
  for (RecheckItem& item : items) {
    item.request.device_index = report.index;
    item.request.monitor = monitor.get();
  }
  const WorkerOptions workers = workers_with_skips(measuring);
  CompileProcesses compilers(workers, report.device.kind);
  const std::unique_ptr<Evaluator> device = device_process(workers, report.device, stop);
  measure_items(std::move(items), compilers, *device, stop, std::ref(keeper));
}

void compile_all(const Measuring& measuring, const std::vector<RecheckItem>& items,
                 const std::atomic<bool>& stop, const OnRechecked& done) {
  for (auto found = kDeviceKinds.rbegin(); found != kDeviceKinds.rend(); ++found) {
    const DeviceKind kind = *found;
    std::vector<RecheckItem> own;
    std::ranges::copy_if(items, std::back_inserter(own),
                         [kind](const RecheckItem& item) { return item.row.device.kind == kind; });
    if (own.empty() || stop) continue;
    CompileProcesses compilers(worker_options(measuring), kind);
    compile_items(std::move(own), compilers, stop, done);
  }
}

int answer(const RecheckGiven& given, const std::vector<Rechecked>& results) {
  std::map<std::string, int> verdicts;
  for (const Rechecked& one : results) ++verdicts[std::string(to_text(one.confirmation.verdict))];
  if (given.json) {
    print_json(std::cout, {{"rechecked", json_list(results, json_of_one)}, {"verdicts", verdicts}});
  } else if (!results.empty()) {
    print_rechecked(std::cout, results);
  }
  const bool all_hold = std::ranges::all_of(
      results, [](const Rechecked& one) { return confirms(one.confirmation.verdict); });
  return all_hold ? kDone : kNothing;
}

// A file of winners, some of which were measured with another source.
struct StampedFile {
  std::filesystem::path file;
  std::string text;
  std::vector<BestRow> rows;
  std::vector<RecheckItem> items;
};

std::vector<StampedFile> files_to_stamp(const Places& places, const RecheckWish& wish) {
  std::vector<StampedFile> files;
  for (const std::filesystem::path& place : shipped_places(places)) {
    std::string why;
    for (const std::filesystem::path& file : shipped_files(place, why)) {
      StampedFile one{file, read_text_file(file, kResultsFile), {}, {}};
      one.rows = import_winners(one.text, file.string());
      one.items = items_to_stamp(wish, one.rows);
      if (!one.items.empty()) files.push_back(std::move(one));
    }
    if (!why.empty()) throw InputError("--shipped " + why);
  }
  return files;
}

// Writes the present source hash into the files, for each winner whose compiled code is the one
// that was measured.
int stamp_files(const RecheckGiven& given) {
  const RecheckWish wish = read_wish(given.words, given.measuring, std::nullopt);
  std::vector<StampedFile> files = files_to_stamp(given.measuring.places, wish);
  std::size_t total = 0;
  for (const StampedFile& one : files) total += one.items.size();
  if (total == 0) {
    std::cerr << "no shipped result that matches was measured with another source\n";
    return kDone;
  }
  Keeper keeper(nullptr, total);
  InterruptGuard interrupt;
  interrupt.trials_begin();
  for (StampedFile& one : files) {
    compile_all(given.measuring, one.items, stop_requested(), [&](const Rechecked& result) {
      if (result.confirmation.verdict == Verdict::same_code)
        one.rows[static_cast<std::size_t>(result.item.row.trial_id)].source_hash =
            result.confirmation.source_hash;
      keeper(result);
    });
    std::vector<std::string> hashes;
    for (const BestRow& row : one.rows)
      if (!row.source_hash.empty()) hashes.push_back(row.source_hash);
    if (const std::string text = with_source_hashes(one.text, hashes); text != one.text)
      write_file(one.file, text);
  }
  keeper.finish();
  const int status = answer(given, keeper.results);
  return stop_requested() ? kInterrupted : status;
}

int run_recheck(const RecheckGiven& given) {
  const Measuring& measuring = given.measuring;
  const bool is_of_files = !measuring.places.shipped.empty();
  if (is_of_files && !given.is_compile_only)
    throw InputError("--shipped is for files, whose code is compared: add --compile-only");
  if (is_of_files) return stamp_files(given);
  std::optional<DeviceReport> report;
  if (!given.is_compile_only) report = device_to_measure_on(measuring.device);
  const RecheckWish wish =
      read_wish(given.words, measuring, report ? std::optional(report->device) : std::nullopt);
  if (!has_database(measuring.places)) return tell_nothing(no_database_text(measuring.places));
  open_for_reading(measuring.places);  // a file that is no database stays as it is
  Store store = store_for_writing(measuring.places);
  std::vector<RecheckItem> items = items_to_recheck(wish, store);
  if (items.empty())
    return tell_nothing("no stored result matches" + (report ? " on " + report->device.name : ""));
  Keeper keeper(&store, items.size());
  InterruptGuard interrupt;
  interrupt.trials_begin();
  if (report) {
    measure_all(measuring, *report, std::move(items), keeper, stop_requested());
  } else {
    compile_all(measuring, items, stop_requested(), std::ref(keeper));
  }
  keeper.finish();
  const int status = answer(given, keeper.results);
  if (!stop_requested()) return status;
  std::cerr << "interrupted; what was rechecked is kept\n";
  return kInterrupted;
}

}  // namespace

Command recheck_command() {
  return make_command(
      {"recheck", Purpose::keep,
       "Measure stored winners again, for example after an update of driver or compiler.",
       "[OPERATION[/IMPLEMENTATION]|FILE.toml [DIM=VALUE…]] [options]",
       "  tilewright recheck\n"
       "  tilewright recheck gemm M=N=K=1024\n"
       "  tilewright recheck --compile-only --json\n"},
      run_recheck);
}

}  // namespace tilewright::tools
