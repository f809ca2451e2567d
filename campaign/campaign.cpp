#include "campaign/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

#include "campaign/sweep_report.hpp"
#include "db/derived/choose.hpp"
#include "db/exchange/exchange.hpp"
#include "definition/json/codec.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/escape.hpp"
#include "definition/text/text_file.hpp"
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
    replace_file(beside, content);
    return beside;
  } catch (const MachineError&) {
    // Its folder may be gone, full or read-only.
  }
  fs::path elsewhere = scratch / name;
  replace_file(elsewhere, content);
  return elsewhere;
}

// Commits each trial when it ends, and those of the final together. If the store fails, it writes
// the unfinished sweep with all its trials to a file next to the database, or else to `scratch`.
// Then it throws a MachineError that names the failure and the file. Tells `next` of what is
// stored.
class StoreObserver final : public SweepObserver {
 public:
  // `sweep` is unfinished; `trials` are those that it has so far.
  StoreObserver(CampaignResources& resources, SweepRecord sweep, std::vector<Trial> trials,
                CampaignObserver& next)
      : resources_(resources), sweep_(std::move(sweep)), trials_(std::move(trials)), next_(next) {}
  void on_start(const SearchProgress& progress) override { next_.on_start(progress); }
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
  void on_device_lost(const std::string& id, const std::string& why) override {
    next_.on_device_lost(id, why);
  }
  // `key`: what was done, which may be less than was asked for.
  void finish(const std::string& report, const SweepKey& key) {
    write([&](Store& store) { store.finish_sweep(sweep_.id, report, key); });
  }

  const std::vector<Trial>& trials() const { return trials_; }

 private:
  void keep(const std::vector<Trial>& trials) {
    trials_.insert(trials_.end(), trials.begin(), trials.end());
    write([&](Store& store) { store.add_trials(sweep_.id, trials); });
  }

  void write(const auto& use) const {
    try {
      resources_.with_store([this](const std::string& why) { next_.on_warning(why); }, use);
    } catch (const MachineError& error) {
      rescue(error.what());
    }
  }

  [[noreturn]] void rescue(const std::string& failure) const {
    const fs::path& database = resources_.options().database;
    // Everybody may write to `scratch`, and whoever can read the database knows the sweep's uuid.
    const std::string name =
        fmt::format("{}.rescue-{:08x}.json", database.filename().string(), std::random_device{}());
    std::string file;
    try {
      file = write_beside(database, resources_.options().scratch, name,
                          export_json({{sweep_, trials_}}))
                 .string();
    } catch (const MachineError& error) {
      throw broken_machine("{}; the sweep could not be written elsewhere either: {}", failure,
                           error.what());
    }
    throw broken_machine(
        "{}; the sweep so far is in {}; bring it back with `tilewright recover {} --db {}`",
        failure, file, shell_word(file), shell_word(database.string()));
  }

  CampaignResources& resources_;
  SweepRecord sweep_;
  std::vector<Trial> trials_;
  CampaignObserver& next_;
};

StoredSweep stored(Fate fate, SweepRecord record, nlohmann::json report, std::vector<Trial> trials,
                   const std::optional<Objective>& objective) {
  std::vector<BestRow> winners = winners_of(record, trials, objective);
  return {fate, std::move(record), std::move(report), std::move(winners), std::move(trials)};
}

// What another sweep may take over.
std::vector<Trial> to_take_over(std::vector<Trial> trials) {
  std::erase_if(trials, [](const Trial& trial) {
    return trial.stage != Stage::screen || may_be_of_machine(trial.outcome);
  });
  return trials;
}

StoredSweep without_record(Fate fate, const PreparedSweep& sweep) {
  StoredSweep result;
  result.fate = fate;
  result.record.key = sweep.key;
  return result;
}

// No configuration is legal, and the device's limits exclude none either.
bool has_nothing_to_record(const PreparedSweep& sweep) {
  const auto is_empty = [](const Space& space) { return space.listed == 0 && !space.is_open; };
  return sweep.legal == 0 && std::ranges::all_of(sweep.spaces, is_empty);
}

}  // namespace

StoredSweep Campaign::run(PreparedSweep& sweep, Beginning beginning) {
  if (has_nothing_to_record(sweep)) return without_record(Fate::nothing_legal, sweep);
  if (auto finished = finished_before(sweep, beginning)) return *std::move(finished);
  observer_.on_claim();
  if (!claim(sweep.device)) return without_record(Fate::not_begun, sweep);
  bool is_told = false;
  do {
    if (claim_.waited || is_told)  // the other process may have run this sweep
      if (auto finished = finished_before(sweep, beginning)) return *std::move(finished);
    if (const auto record = begin(sweep, beginning, is_told)) return measure(sweep, *record);
    is_told = true;
    std::this_thread::sleep_for(kBetweenLooks);
  } while (!stop_);
  return without_record(Fate::not_begun, sweep);
}

std::optional<StoredSweep> Campaign::finished_before(const PreparedSweep& sweep,
                                                     Beginning beginning) const {
  if (start() != Store::Start::resume || beginning == Beginning::moved) return std::nullopt;
  return with_store([&](const Store& store) -> std::optional<StoredSweep> {
    auto record = store.finished_sweep(sweep.key, sweep.environment.power_limit_w);
    if (!record) return std::nullopt;
    nlohmann::json report = parse_sorted(record->report);
    if (!report.is_object()) report = nlohmann::json::object();
    std::vector<Trial> trials = store.trials(record->id);
    return stored(Fate::was_on_record, *std::move(record), std::move(report), std::move(trials),
                  sweep.request.objective);
  });
}

DeviceClaim Campaign::claim_one(const DeviceReport& device, const std::atomic<bool>& stop,
                                const std::function<void(const std::string&)>& on_wait) {
  DeviceClaim claim = claim_device(resources_->options().lock_folder, device, stop, on_wait);
  if (!claim.remark.empty()) observer_.on_warning(claim.remark);
  return claim;
}

bool Campaign::claim(const DeviceReport& device, const std::atomic<bool>& stop) {
  claim_.waited = false;
  if (!claim_.lock)
    claim_ = claim_one(device, stop, [&](const std::string& who) { observer_.on_wait(who); });
  return claim_.lock.has_value();
}

void Campaign::claim_helpers() {
  for (const DeviceReport& helper : helpers_) {
    Place place{helper, {}, nullptr, nullptr};
    std::atomic<bool> gives_up = false;
    place.claim = claim_one(helper, gives_up, [&](const std::string& who) {
      observer_.on_left_out(who);
      gives_up = true;
    });
    if (place.claim.lock) places_.push_back(std::move(place));
  }
}

void Campaign::start_workers(const PreparedSweep& sweep) {
  const DeviceReport& device = sweep.device;
  if (compilers_ && evaluator_ == sweep.request.evaluator) return;
  places_.clear();
  evaluator_ = sweep.request.evaluator;
  CampaignResources::Tools tools = resources_->tools(device.device.kind, evaluator_);
  compilers_.emplace(std::move(tools.compilers));
  places_.push_back({device, {}, nullptr, nullptr});
  claim_helpers();
  const Backend& backend = backend_of(device.device.kind);
  for (Place& place : places_) {
    place.evaluator =
        resources_->options().isolation == Isolation::caller && evaluator_.empty()
            ? until_context_is_lost(backend.make_session_beside_caller(tools.options.toolchain))
            : device_process(tools.options, place.device.device, stop_);
    place.monitor = backend.make_monitor(place.device);
  }
}

std::vector<SweepDevice> Campaign::devices() const {
  std::vector<SweepDevice> all;
  for (const Place& place : places_)
    all.push_back(
        {place.device.id, place.device.index, place.evaluator.get(), place.monitor.get()});
  return all;
}

// Nothing while another process measures the sweep, or if one has just finished it.
std::optional<SweepRecord> Campaign::begin(const PreparedSweep& sweep, Beginning beginning,
                                           bool is_told) {
  start_workers(sweep);
  const bool is_moved = beginning == Beginning::moved;
  try {
    return with_store([&](Store& store) -> std::optional<SweepRecord> {
      if (start() == Store::Start::resume && !is_moved)
        return store.begin_unless_finished(sweep.key, sweep.environment);
      return store.begin_sweep(sweep.key, sweep.environment,
                               is_moved ? Store::Start::resume : start());
    });
  } catch (const SweepInUse& in_use) {
    if (!is_told) observer_.on_wait(in_use.what());
    return std::nullopt;
  }
}

// What this sweep need not measure: its own trials, or if it has none, those of an earlier one of
// the same request, or of a smaller sweep that differs only in how long it searched.
CampaignObserver::Kept Campaign::take_over(PreparedSweep& sweep, const SweepRecord& record) {
  using Kept = CampaignObserver::Kept;
  return with_store([&](Store& store) {
    sweep.request.done = store.trials(record.id);
    if (start() != Store::Start::resume || !sweep.request.done.empty()) return Kept::of_this_sweep;
    std::vector<Trial> most;
    const SweepKey& key = sweep.key;
    for (const SweepRecord& other :
         store.sweeps({key.operation, {}, key.problem, key.device, key.policy})) {
      if (other.imported || other.id == record.id || other.environment != record.environment ||
          !has_same_trials(other.key, sweep.key))
        continue;
      std::vector<Trial> trials = to_take_over(store.trials(other.id));
      const std::size_t tried = tried_of(trials);
      if (may_be_part(other.key, tried, sweep.key) && tried > tried_of(most))
        most = std::move(trials);
    }
    if (most.empty()) return Kept::of_this_sweep;
    store.add_trials(record.id, most);
    sweep.request.done = std::move(most);
    return Kept::of_another_sweep;
  });
}

Priors Campaign::priors_for(const PreparedSweep& sweep) const {
  const SweepRequest& request = sweep.request;
  if (!may_use_priors(request) || sweep.priors != PriorUse::stored) return {};
  const CampaignOptions& options = resources_->options();
  return with_store([&](Store& store) {
    return find_priors(
        store, options.shipped ? options.shipped(request.operation->name) : std::vector<BestRow>{},
        request);
  });
}

SweepSummary Campaign::summary_of(const PreparedSweep& sweep, SweepObserver& keep) {
  try {
    return run_sweep(sweep.request, sweep.spaces, *compilers_, devices(), keep, stop_);
  } catch (...) {
    compilers_->withdraw();  // other campaigns go on using the processes
    throw;
  }
}

StoredSweep Campaign::measure(PreparedSweep& sweep, SweepRecord record) {
  SweepRequest& request = sweep.request;
  list_routines(request, devices().front(), sweep.spaces);
  sweep.legal = legal_of(sweep.spaces);
  with_store([&](Store& store) { store.note_candidates(record.id, sweep.legal); });
  const auto origin = take_over(sweep, record);
  observer_.on_begin(request.done.size(), origin);
  const Priors priors = priors_for(sweep);
  if (!priors.left_out.empty()) observer_.on_warning(priors.left_out);
  give_priors(priors, request);
  StoreObserver keep(*resources_, record, request.done, observer_);
  const SweepSummary summary = summary_of(sweep, keep);
  nlohmann::json report = report_of(summary, sweep, keep.trials());
  if (may_use_priors(request)) report["priors"] = json_of(*request.operation, priors, sweep.priors);
  report[kOwnManifests] = manifests_of(sweep.target);
  const bool is_interrupted = summary.end == SweepEnd::interrupted;
  if (summary.end == SweepEnd::ended_early) {  // it is the sweep with this time limit
    request.time_limit_s = std::ceil(summary.searched_s);
    record.key.strategy = strategy_key(request, sweep.priors);
  }
  if (!is_interrupted) keep.finish(json_text(report), record.key);
  StoredSweep result =
      stored(is_interrupted ? Fate::interrupted : Fate::measured, std::move(record),
             std::move(report), keep.trials(), request.objective);
  result.machine = summary.machine;
  return result;
}

}  // namespace tilewright
