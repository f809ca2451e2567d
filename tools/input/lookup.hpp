#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "campaign/target.hpp"
#include "db/catalog/stored_rows.hpp"
#include "db/ladder/present.hpp"
#include "tools/input/paths.hpp"
#include "tuner/backend/device_report.hpp"

namespace tilewright::tools {

// Prints the sentence on standard error as a warning, unless it was printed before.
void warn(const std::string& sentence);

// Throws InputError if a file that --shipped names cannot be read. Of the results that came with
// tilewright, those that can be read answer.
void check_shipped(const Places& places, ShippedResults& shipped);

// " --db FILE --kernels FOLDER" as they were given, for a command that should look there too.
std::string places_text(const Places& places);

// Warns if the database is on a network file system, because several machines may want to share it.
void warn_of_network(const std::filesystem::path& database);

// Opens a database for reading, and warns of its rows that cannot be used. Throws MachineError if
// the file cannot be used.
std::unique_ptr<Store> store_for_reading(const std::filesystem::path& file);

// Opens the database for reading. Null if there is no file yet. Throws MachineError if the file
// cannot be used.
std::unique_ptr<Store> open_for_reading(const Places& places);

// Opens the database to add to it, and warns of its rows that cannot be used.
Store store_for_writing(const Places& places);

// Whether a file is where the database belongs.
bool has_database(const Places& places);

// The names of the operations that have sweeps. `store` may be null.
std::set<std::string> stored_operations(const Store* store);

// The message for a null from open_for_reading(): "there is no database FILE".
std::string no_database_text(const Places& places);

// The device that --device names. Throws as tilewright::find_device() does.
DeviceReport find_device(const std::string& name);

// The device that --device names, else the first GPU, else the host. Throws InputError if it names
// several.
DeviceReport device_to_measure_on(const std::string& device);
// All devices that --device names (tilewright::find_devices()), else as above.
std::vector<DeviceReport> devices_to_measure_on(const std::string& device);

// The device whose results are wanted. --device names it by id ("cuda:0", "host") or by a part of
// the name of a device with stored results of the operation, else with `shipped` ones, else with
// shipped ones of other operations. Without the option it is the GPU present, else the host if it
// has results of the operation, else the only device that has results, else the host. With --frozen
// no device that is present counts. `store` and `shipped` may be null. Throws InputError if none or
// several match.
struct DeviceWish {
  std::string name;        // --device; empty: not given
  bool is_frozen = false;  // --frozen
};
Device wanted_device(const DeviceWish& wish, const std::string& operation, const Store* store,
                     ShippedResults* shipped);

// The stored answers of an operation (Store::best()), then the shipped ones. `store` may be null.
// Throws InputError if shipped results cannot be read.
std::vector<BestRow> all_rows(const std::string& operation, const Store* store,
                              ShippedResults& shipped, const IsPresent& is_present = {});

// Stored and shipped results with a target's definitions, which must outlive it. Where every
// command's look-up enters the ladder.
class TargetAnswers {
 public:
  // Opens the results. Throws as open_for_reading() and check_shipped() do.
  TargetAnswers(const Target& target, const Places& places);

  const Store* store() const { return store_.get(); }  // null: there is none
  // As wanted_device() chooses it. If it is in this machine and the wish is not frozen, only
  // libraries that are here answer from now on.
  Device device(const DeviceWish& wish);
  // All that all_rows() has, then those of sweeps that are not finished.
  std::vector<BestRow> rows();
  // The target's problem on the device. It must not outlive this.
  LadderQuestion question(const std::optional<Device>& device) const;
  LadderResult climb(const LadderQuestion& question) { return tilewright::climb(question, rows_); }
  // The best by a metric of the manifest, among the trials of one finished sweep of exactly this
  // problem: of one under the device's power limit before others, then of one that searched for
  // this metric, then of the newest. Nothing if there is none.
  std::optional<LadderAnswer> best_by_metric(const std::string& name,
                                             const LadderQuestion& question) const;

 private:
  const Target& target_;
  const std::unique_ptr<Store> store_;
  StoredRows rows_;
  PresentDefinitions present_;
};

// Throws NothingFound that says why the look-up has no answer.
[[noreturn]] void refuse_none(const LadderResult& result);

// The one of `sweeps`, which are those of the store that match and whose ids begin with `prefix`,
// the value of --`option`. Throws InputError if there is none, or more than one.
const SweepRecord& find_sweep(const Store& store, const std::vector<SweepRecord>& sweeps,
                              const std::string& option, const std::string& prefix);

// The device of this machine with this id, else the first that is equal. Nothing if none is.
std::optional<DeviceReport> present_report(const Device& device, const std::string& id = {});
// The software of this machine that results of the device depend on, and the device's power limit.
// Empty if they are not known, for example because the device is not in this machine. Of several
// such devices the one with the id counts, else the first.
Environment present_environment(const Device& device, const std::string& id = {});
// The power limit alone, for which no compiler is asked.
std::optional<int> present_power_limit(const Device& device, const std::string& id = {});

}  // namespace tilewright::tools
