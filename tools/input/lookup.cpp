#include "tools/input/lookup.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <tuple>

#include "campaign/prepared_sweep.hpp"
#include "campaign/sweep_report.hpp"
#include "db/records/device_name.hpp"
#include "db/records/staleness.hpp"
#include "db/store/store.hpp"
#include "definition/metric.hpp"
#include "definition/problem.hpp"
#include "definition/text/escape.hpp"
#include "tools/input/worker_options.hpp"
#include "tools/print/names.hpp"
#include "tuner/machine/machine.hpp"

namespace tilewright::tools {
namespace {

// The devices of these rows that `name` matches; an empty name matches all.
std::vector<Device> devices_of(const std::vector<BestRow>& rows, const std::string& name) {
  std::vector<Device> devices;
  for (const BestRow& row : rows) add_device(devices, row.device);
  return named_devices(devices, name);
}

std::vector<BestRow> stored_rows(const Store* store, const std::string& operation,
                                 const IsPresent& is_present = {}) {
  return store == nullptr ? std::vector<BestRow>{} : store->best(query_for(operation), is_present);
}

// Those of its sweeps that are not finished.
std::vector<BestRow> unfinished_rows(const std::string& operation, const Store* store) {
  return store == nullptr ? std::vector<BestRow>{} : store->unfinished({.operation = operation});
}

// Why --device names nothing.
std::string unknown_device(const std::string& name, const std::string& operation,
                           const Store* store, ShippedResults* shipped) {
  std::vector<BestRow> rows = stored_rows(store, operation);
  if (shipped != nullptr) std::ranges::move(shipped->rows_of(operation), std::back_inserter(rows));
  if (rows.empty())
    return fmt::format("--device '{}': there are no results of {}; give cuda:N or host", name,
                       operation);
  return fmt::format(
      "--device '{}': no device with results of {} has this in its name; give cuda:N, host or one "
      "of: {}",
      name, operation, names_of(devices_of(rows, "")));
}

bool minimised(const SweepRecord& record, const LadderQuestion& wanted, const std::string& name) {
  const auto objective = objective_of(record, *wanted.operation);
  return objective && objective->metric().name == name;
}

// Whether any implementation that may answer had another source.
bool has_other_source(const SweepRecord& record, const LadderQuestion& wanted) {
  return std::ranges::any_of(record.key.implementations, [&](const ImplementationKey& key) {
    return wanted.present != nullptr && wanted.present->has_other_source(key.name, key.source_hash);
  });
}

// The newest finished sweep of exactly this problem: with the present sources if there is such a
// one, then under the device's power limit, and among these one that minimised the objective. Null
// if there is none.
const SweepRecord* sweep_for(const LadderQuestion& wanted, const std::vector<SweepRecord>& sweeps,
                             const std::string& objective) {
  const auto standing = [&](const SweepRecord& record) {
    return std::tuple(has_other_source(record, wanted),
                      limit_distance(record.environment.power_limit_w, wanted.power_limit_w),
                      !minimised(record, wanted, objective));
  };
  const SweepRecord* found = nullptr;
  for (const SweepRecord& record : sweeps) {  // the oldest first
    const SweepKey& key = record.key;
    if (record.finished == 0 || key.problem != wanted.problem || key.device != wanted.device ||
        (wanted.cache && key.policy.cache != *wanted.cache))
      continue;
    if (found == nullptr || standing(record) <= standing(*found)) found = &record;
  }
  return found;
}

}  // namespace

bool has_database(const Places& places) {
  std::error_code error;
  const auto status = std::filesystem::status(database_file(places), error);
  return status.type() != std::filesystem::file_type::not_found;
}

void warn(const std::string& sentence) {
  static std::set<std::string> known;
  if (known.insert(sentence).second) std::cerr << "tilewright: warning: " << sentence << '\n';
}

void check_shipped(const Places& places, ShippedResults& shipped) {
  if (!places.shipped.empty()) shipped.require_readable();
}

std::string places_text(const Places& places) {
  std::string text;
  if (!places.database.empty()) text += " --db " + shell_word(places.database);
  for (const std::string& folder : places.kernels) text += " --kernels " + shell_word(folder);
  return text;
}

void warn_of_network(const std::filesystem::path& database) {
  if (const std::string_view kind = network_file_system(database); !kind.empty())
    warn(
        fmt::format("database '{}' is on {}, where only one machine at a time may use it; "
                    "docs/fleet.md shows how several tune together",
                    database.string(), kind));
}

std::unique_ptr<Store> store_for_reading(const std::filesystem::path& file) {
  auto store = std::make_unique<Store>(file, Store::Mode::read_only);
  store->tell_of_bad_rows(warn);
  return store;
}

std::unique_ptr<Store> open_for_reading(const Places& places) {
  if (!has_database(places)) return nullptr;
  return store_for_reading(database_file(places));
}

Store store_for_writing(const Places& places) {
  Store store(database_file(places));
  store.tell_of_bad_rows(warn);
  return store;
}

std::set<std::string> stored_operations(const Store* store) {
  return store == nullptr ? std::set<std::string>{} : store->operations();
}

std::string no_database_text(const Places& places) {
  return "there is no database " + database_file(places).string();
}

DeviceReport find_device(const std::string& name) {
  return with_dashes([&] { return tilewright::find_device(name); });
}

DeviceReport device_to_measure_on(const std::string& device) {
  std::vector<DeviceReport> devices = devices_to_measure_on(device);
  if (devices.size() > 1)
    throw bad_input("--device '{}': name one device here; start one process for each", device);
  return std::move(devices.front());
}

std::vector<DeviceReport> devices_to_measure_on(const std::string& device) {
  if (!device.empty()) return with_dashes([&] { return find_devices(device); });
  DeviceReport local = local_device({});
  if (runs_on_cpu(local.device.kind) && host_compiler().empty())
    throw broken_machine(
        "there is no GPU to measure on: {}; and no C++ compiler to measure on this machine's CPU: "
        "install g++ or clang++ and have it on PATH",
        gpus_present().why);
  return {local};
}

Device wanted_device(const DeviceWish& wish, const std::string& operation, const Store* store,
                     ShippedResults* shipped) {
  const std::string& name = wish.name;
  const bool is_given = !name.empty();
  if (is_given && is_device_id(name)) return find_device(name).device;
  const bool is_open = !is_given && !wish.is_frozen;
  const Device present = is_open ? local_device({}).device : Device{};
  if (is_open && (!runs_on_cpu(present.kind) || store == nullptr)) return present;
  std::vector<Device> devices = devices_of(stored_rows(store, operation), name);
  if (is_given && devices.empty()) devices = devices_of(unfinished_rows(operation, store), name);
  if (is_given && devices.empty() && shipped != nullptr) {
    devices = devices_of(shipped->rows_of(operation), name);
    if (devices.empty()) devices = named_devices(shipped->devices(), name);
  }
  if (std::ranges::find(devices, present) != devices.end()) return present;
  if (devices.size() == 1) return devices.front();
  if (devices.empty()) {
    if (is_given) throw InputError(unknown_device(name, operation, store, shipped));
    if (wish.is_frozen)
      throw bad_input("--frozen: the database has no results of {}; name a device with --device",
                      operation);
    return present;
  }
  throw bad_input(
      "results of several devices are stored ({}); choose one with --device, by its name or by a "
      "part that is in no other name",
      names_of(devices));
}

std::vector<BestRow> all_rows(const std::string& operation, const Store* store,
                              ShippedResults& shipped, const IsPresent& is_present) {
  shipped.require_readable();
  std::vector<BestRow> rows = stored_rows(store, operation, is_present);
  for (BestRow& row : shipped.rows_of(operation)) rows.push_back(std::move(row));
  return rows;
}

TargetAnswers::TargetAnswers(const Target& target, const Places& places)
    : target_(target),
      store_(open_for_reading(places)),
      rows_(store_.get(), store_ ? "" : no_database_text(places), shipped_places(places)),
      present_(*target.family) {
  check_shipped(places, rows_.shipped_results());
}

Device TargetAnswers::device(const DeviceWish& wish) {
  Device device = wanted_device(wish, target_.operation().name, store(), &rows_.shipped_results());
  if (!wish.is_frozen && present_report(device)) present_.know_libraries(library_here);
  return device;
}

std::vector<BestRow> TargetAnswers::rows() {
  const std::string& operation = target_.operation().name;
  std::vector<BestRow> rows = all_rows(operation, store(), rows_.shipped_results());
  std::ranges::move(unfinished_rows(operation, store()), std::back_inserter(rows));
  return rows;
}

LadderQuestion TargetAnswers::question(const std::optional<Device>& device) const {
  const Operation& operation = target_.operation();
  LadderQuestion question{&operation,
                          target_.implementations,
                          make_problem(operation, target_.assignments, device.value_or(Device{})),
                          device,
                          {}};
  question.present = &present_;
  return question;
}

std::optional<LadderAnswer> TargetAnswers::best_by_metric(const std::string& name,
                                                          const LadderQuestion& wanted) const {
  if (!store_) return std::nullopt;
  const std::vector<SweepRecord> sweeps = store_->sweeps(query_for(wanted.operation->name));
  const SweepRecord* const record = sweep_for(wanted, sweeps, name);
  if (record == nullptr) return std::nullopt;
  const Objective objective(metric_named(*wanted.operation, name), *wanted.operation,
                            wanted.problem, record->key.device);
  std::vector<Trial> trials = store_->trials(record->id);
  const bool is_for_it = minimised(*record, wanted, name);
  if (!is_for_it)  // its final was among the fastest, so the screening decides
    std::erase_if(trials, [](const Trial& trial) {
      return trial.stage == Stage::final && trial.outcome == Outcome::measured;
    });
  for (const BestRow& row : winners_of(*record, trials, objective)) {
    const Implementation* const known =
        find_implementation(wanted.implementations, row.implementation);
    if (known == nullptr) continue;
    LadderAnswer answer{Rung::exact, known, row.configuration, row};
    answer.has_other_source = wanted.present != nullptr && wanted.present->has_other_source(row);
    if (answer.has_other_source && wanted.require == Require::exact) {
      answer.rung = Rung::none;
      answer.reason = "the stored result was " + other_source_text(*answer.implementation, row);
      return answer;
    }
    if (!is_for_it) answer.reason = "the search of this sweep was for something else";
    return answer;
  }
  return std::nullopt;
}

const SweepRecord& find_sweep(const Store& store, const std::vector<SweepRecord>& sweeps,
                              const std::string& option, const std::string& prefix) {
  if (sweeps.size() > 1)
    throw bad_input("--{} '{}' is not enough: {} and {} both begin with it", option, prefix,
                    sweeps[0].uuid, sweeps[1].uuid);
  if (!sweeps.empty()) return sweeps.front();
  for (const SweepRecord& record : store.sweeps({.uuid = prefix}))
    throw bad_input("--{} '{}': {} is of {}, and not of what is asked for", option, prefix,
                    record.uuid.substr(0, 8), record.key.operation);
  throw bad_input("--{} '{}': no stored sweep begins with it; `tilewright results` lists them",
                  option, prefix);
}

void refuse_none(const LadderResult& result) {
  throw NothingFound(
      result.known_wrong.empty()
          ? "no implementation's default fits this problem; `tilewright plan` says why"
          : "nothing that fits this problem is known to be right: " + result.known_wrong);
}

std::optional<DeviceReport> present_report(const Device& device, const std::string& id) {
  std::vector<DeviceReport> present = devices_present();
  std::erase_if(present, [&](const DeviceReport& report) { return report.device != device; });
  if (present.empty()) return std::nullopt;
  const auto named = std::ranges::find(present, id, &DeviceReport::id);
  return std::move(named == present.end() ? present.front() : *named);
}

Environment present_environment(const Device& device, const std::string& id) {
  const auto report = present_report(device, id);
  if (!report) return {};
  try {
    return environment_of(*report, toolchain());
  } catch (const MachineError&) {
    return report->environment;  // no compiler: nothing to compare with
  }
}

std::optional<int> present_power_limit(const Device& device, const std::string& id) {
  const auto report = present_report(device, id);
  return report ? report->environment.power_limit_w : std::nullopt;
}

}  // namespace tilewright::tools
