#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "campaign/device_lock.hpp"
#include "campaign/prepared_sweep.hpp"
#include "campaign/workers.hpp"
#include "db/store/store.hpp"
#include "tilewright/tune.hpp"

namespace tilewright {

// What became of a sweep, and its record.
struct StoredSweep {
  enum class Fate {
    nothing_legal,  // the space is empty
    not_begun,      // stopped while waiting for another process to release the device
    was_on_record,
    interrupted,  // the same sweep can be resumed
    measured,
  };
  Fate fate = Fate::nothing_legal;
  SweepRecord record;  // no uuid: nothing is stored
  nlohmann::json report = nlohmann::json::object();
  std::vector<BestRow> winners;  // one for each implementation, the fastest first
  std::vector<Trial> trials;
  MachineSummary machine = {};  // of this run
};

// Is told what a campaign does, on the campaign's thread, and of a screening's trial after it is
// stored.
class CampaignObserver : public SweepObserver {
 public:
  virtual void on_claim() {}                   // from here on the campaign can be stopped
  virtual void on_wait(const std::string&) {}  // who measures there; an exception ends the wait
  virtual void on_bad_row(const std::string& /*why*/) {}  // a stored row that is left out
  // Trials of this sweep that are already there.
  enum class Kept { of_this_sweep, of_another_budget };
  virtual void on_begin(std::size_t /*kept*/, Kept /*origin*/) {}
  void on_pruned(const std::vector<Trial>&) override {}
  void on_finals(const std::vector<Trial>&) override {}
};

struct CampaignOptions {
  std::filesystem::path database;
  std::filesystem::path scratch;      // for results if the database fails
  std::filesystem::path lock_folder;  // empty: kLockFolder
  Store::Start start = Store::Start::resume;
  Isolation isolation = Isolation::process;
  std::function<WorkerOptions()> workers;  // called before something is measured
  // The winners of an operation that came with the program, where a search may start. Empty: none.
  std::function<std::vector<BestRow>(const std::string& operation)> shipped = {};
};

// Sweeps one problem after another on one device, and stores the results. It opens the store,
// claims the device and starts processes when they are first needed, and keeps them. If another
// process measures the same sweep on another device, it waits for its answer.
class Campaign {
 public:
  // `observer` and `stop` must outlive it.
  Campaign(CampaignOptions options, CampaignObserver& observer, const std::atomic<bool>& stop)
      : options_(std::move(options)), observer_(observer), stop_(stop) {}

  // Returns a finished sweep from the store and resumes an interrupted one, unless options.start
  // says otherwise. Commits each trial when it ends. Throws as run_sweep() and StoreObserver do.
  StoredSweep run(PreparedSweep& sweep);

  // Waits until nobody else measures on the device; run() does it by itself. False: `stop` was set
  // first.
  bool claim(const DeviceReport& device);

 private:
  void open_store();
  std::optional<StoredSweep> finished_before(const PreparedSweep& sweep) const;
  std::optional<SweepRecord> begin(const PreparedSweep& sweep, bool is_told);
  void start_workers(const Device& device);
  CampaignObserver::Kept take_over(PreparedSweep& sweep, const SweepRecord& record);
  StoredSweep measure(PreparedSweep& sweep, const SweepRecord& record);

  CampaignOptions options_;
  CampaignObserver& observer_;
  const std::atomic<bool>& stop_;
  std::optional<Store> store_;
  DeviceClaim claim_;
  std::optional<CompileProcesses> compilers_;
  std::unique_ptr<Evaluator> evaluator_;
};

}  // namespace tilewright
