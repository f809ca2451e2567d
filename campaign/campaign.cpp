#include "campaign/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "campaign/sweep_report.hpp"
#include "db/exchange/exchange.hpp"
#include "definition/json/codec.hpp"
#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tuner/machine/machine.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using Fate = StoredSweep::Fate;

constexpr std::chrono::milliseconds kBetweenLooks{250};

// Returns where it could be written.
fs::path write_beside(const fs::path& database, const fs::path& scratch, const std::string& name,
                      const std::string& content) {
  fs::path beside = fs::path(database).replace_filename(name);
  try {
    write_file(beside, content);
    return beside;
  } catch (const MachineError&) {
    // Its folder may be gone, full or read-only.
  }
  fs::path elsewhere = scratch / name;
  write_file(elsewhere, content);
  return elsewhere;
}

// Commits each trial when it ends, and those of the final together. If the store fails, it writes
// the unfinished sweep with all its trials to a file next to the database, or else to `scratch`.
// Then it throws a MachineError that names the failure and the file. Tells `next` of what is
// stored.
class StoreObserver final : public SweepObserver {
 public:
  // `sweep` is unfinished; `trials` are those that it has so far.
  StoreObserver(Store& store, SweepRecord sweep, std::vector<Trial> trials,
                std::filesystem::path scratch, SweepObserver& next)
      : store_(store),
        sweep_(std::move(sweep)),
        trials_(std::move(trials)),
        scratch_(std::move(scratch)),
        next_(next) {}
  void on_start(std::size_t candidates, std::size_t already_done) override {
    next_.on_start(candidates, already_done);
  }
  void on_trial(const Trial& trial) override {
    keep({trial});
    next_.on_trial(trial);
  }
  void on_pruned(const std::vector<Trial>& trials) override {
    keep(trials);
    next_.on_pruned(trials);
  }
  void on_finals(const std::vector<Trial>& trials) override {
    keep(trials);
    next_.on_finals(trials);
  }
  void finish(const std::string& report);

  const std::vector<Trial>& trials() const { return trials_; }

 private:
  void keep(const std::vector<Trial>& trials);
  [[noreturn]] void rescue(const std::string& failure) const;

  Store& store_;
  SweepRecord sweep_;
  std::vector<Trial> trials_;
  std::filesystem::path scratch_;
  SweepObserver& next_;
};

void StoreObserver::keep(const std::vector<Trial>& trials) {
  trials_.insert(trials_.end(), trials.begin(), trials.end());
  try {
    store_.add_trials(sweep_.id, trials);
  } catch (const MachineError& error) {
    rescue(error.what());
  }
}

void StoreObserver::finish(const std::string& report) {
  try {
    store_.finish_sweep(sweep_.id, report);
  } catch (const MachineError& error) {
    rescue(error.what());
  }
}

void StoreObserver::rescue(const std::string& failure) const {
  const std::string name =
      fmt::format("{}.rescue-{}.json", store_.file().filename().string(), sweep_.uuid.substr(0, 8));
  std::string file;
  try {
    file = write_beside(store_.file(), scratch_, name, export_json({{sweep_, trials_}})).string();
  } catch (const MachineError& error) {
    throw MachineError(fmt::format("{}; the sweep could not be written elsewhere either: {}",
                                   failure, error.what()));
  }
  throw MachineError(fmt::format(
      "{}; the sweep so far is in {}; bring it back with `tilewright recover {} --db {}`", failure,
      file, file, store_.file().string()));
}

StoredSweep stored(Fate fate, SweepRecord record, nlohmann::json report, std::vector<Trial> trials,
                   const std::optional<Objective>& objective) {
  std::vector<BestRow> winners = winners_of(record, trials, objective);
  return {fate, std::move(record), std::move(report), std::move(winners), std::move(trials)};
}

Query query_for(const SweepKey& key) {
  return {key.operation, {}, key.problem, key.device, key.policy};
}

std::vector<Trial> screened(std::vector<Trial> trials) {
  std::erase_if(trials, [](const Trial& trial) { return trial.stage != Stage::screen; });
  return trials;
}

// As a budget counts them.
std::size_t tried_of(const std::vector<Trial>& trials) {
  return static_cast<std::size_t>(std::ranges::count_if(trials, [](const Trial& trial) {
    return trial.outcome != Outcome::pruned && trial.outcome != Outcome::duplicate;
  }));
}

StoredSweep without_record(Fate fate, const PreparedSweep& sweep) {
  StoredSweep result;
  result.fate = fate;
  result.record.key = sweep.key;
  return result;
}

// No configuration is legal, and the device's limits exclude none either.
bool has_nothing_to_record(const PreparedSweep& sweep) {
  const auto is_empty = [](const Space& space) { return space.pruned.empty(); };
  return sweep.legal == 0 && std::ranges::all_of(sweep.spaces, is_empty);
}

}  // namespace

StoredSweep Campaign::run(PreparedSweep& sweep) {
  if (has_nothing_to_record(sweep)) return without_record(Fate::nothing_legal, sweep);
  open_store();
  if (auto finished = finished_before(sweep)) return *std::move(finished);
  observer_.on_claim();
  if (!claim(sweep.device)) return without_record(Fate::not_begun, sweep);
  bool is_told = false;
  do {
    if (claim_.waited || is_told)  // the other process may have run this sweep
      if (auto finished = finished_before(sweep)) return *std::move(finished);
    if (const auto record = begin(sweep, is_told)) return measure(sweep, *record);
    is_told = true;
    std::this_thread::sleep_for(kBetweenLooks);
  } while (!stop_);
  return without_record(Fate::not_begun, sweep);
}

void Campaign::open_store() {
  if (store_) return;
  store_.emplace(options_.database);
  store_->tell_of_bad_rows([this](const std::string& why) { observer_.on_bad_row(why); });
}

std::optional<StoredSweep> Campaign::finished_before(const PreparedSweep& sweep) const {
  if (options_.start != Store::Start::resume) return std::nullopt;
  auto record = store_->finished_sweep(sweep.key);
  if (!record) return std::nullopt;
  nlohmann::json report = parse_sorted(record->report);
  if (!report.is_object()) report = nlohmann::json::object();
  std::vector<Trial> trials = store_->trials(record->id);
  return stored(Fate::was_on_record, *std::move(record), std::move(report), std::move(trials),
                sweep.request.objective);
}

bool Campaign::claim(const DeviceReport& device) {
  claim_.waited = false;
  if (!claim_.lock)
    claim_ = claim_device(options_.lock_folder, device, stop_,
                          [&](const std::string& who) { observer_.on_wait(who); });
  return claim_.lock.has_value();
}

void Campaign::start_workers(const Device& device) {
  if (compilers_) return;
  const WorkerOptions workers = options_.workers();
  compilers_.emplace(workers, device.kind);
  evaluator_ = options_.isolation == Isolation::caller
                   ? until_context_is_lost(backend_of(device.kind).make_session_beside_caller())
                   : device_process(workers, device, stop_);
}

// Nothing while another process measures the sweep, or if one has just finished it.
std::optional<SweepRecord> Campaign::begin(const PreparedSweep& sweep, bool is_told) {
  start_workers(sweep.device.device);
  try {
    if (options_.start == Store::Start::resume)
      return store_->begin_unless_finished(sweep.key, sweep.environment);
    return store_->begin_sweep(sweep.key, sweep.environment, options_.start);
  } catch (const SweepInUse& in_use) {
    if (!is_told) observer_.on_wait(in_use.what());
    return std::nullopt;
  }
}

// What this sweep need not measure: its own trials, or if it has none, those of a smaller sweep
// that differs only in how long it searched.
CampaignObserver::Kept Campaign::take_over(PreparedSweep& sweep, const SweepRecord& record) {
  using Kept = CampaignObserver::Kept;
  sweep.request.done = store_->trials(record.id);
  if (options_.start != Store::Start::resume || !sweep.request.done.empty())
    return Kept::of_this_sweep;
  std::vector<Trial> most;
  for (const SweepRecord& other : store_->sweeps(query_for(sweep.key))) {
    if (other.imported || other.id == record.id || other.environment != record.environment ||
        !has_same_trials(other.key, sweep.key))
      continue;
    std::vector<Trial> trials = screened(store_->trials(other.id));
    const std::size_t tried = tried_of(trials);
    const bool is_smaller = sweep.key.budget == 0 || tried < sweep.key.budget;
    if (is_smaller && tried > tried_of(most)) most = std::move(trials);
  }
  if (most.empty()) return Kept::of_this_sweep;
  store_->add_trials(record.id, most);
  sweep.request.done = std::move(most);
  return Kept::of_another_budget;
}

StoredSweep Campaign::measure(PreparedSweep& sweep, const SweepRecord& record) {
  SweepRequest& request = sweep.request;
  const auto origin = take_over(sweep, record);
  observer_.on_begin(request.done.size(), origin);
  Priors priors;
  const bool has_use = may_use_priors(request);
  if (has_use && sweep.priors == PriorUse::stored)
    priors = find_priors(
        *store_,
        options_.shipped ? options_.shipped(request.operation->name) : std::vector<BestRow>{},
        request);
  if (!priors.left_out.empty()) observer_.on_bad_row(priors.left_out);
  give_priors(priors, request);
  const auto monitor = backend_of(sweep.device.device.kind).make_monitor(sweep.device);
  request.monitor = monitor.get();
  StoreObserver keep(*store_, record, request.done, options_.scratch, observer_);
  const SweepSummary summary =
      run_sweep(request, sweep.spaces, *compilers_, *evaluator_, keep, stop_);
  request.monitor = nullptr;
  nlohmann::json report = report_of(summary, sweep, keep.trials());
  if (has_use) report["priors"] = json_of(*request.operation, priors, sweep.priors);
  report[kOwnManifests] = manifests_of(sweep.target);
  const bool is_interrupted = summary.end == SweepEnd::interrupted;
  if (!is_interrupted) keep.finish(json_text(report));
  StoredSweep result = stored(is_interrupted ? Fate::interrupted : Fate::measured, record,
                              std::move(report), keep.trials(), request.objective);
  result.machine = summary.machine;
  return result;
}

}  // namespace tilewright
