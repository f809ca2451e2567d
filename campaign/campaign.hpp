#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "campaign/device_lock.hpp"
#include "campaign/prepared_sweep.hpp"
#include "campaign/workers.hpp"
#include "db/store/store.hpp"
#include "tilewright/tune.hpp"

namespace tilewright {

struct CampaignOptions {
  std::filesystem::path database;
  std::filesystem::path scratch;      // for results if the database fails
  std::filesystem::path lock_folder;  // as claim_device() takes it
  Store::Start start = Store::Start::resume;
  Isolation isolation = Isolation::process;
  std::function<WorkerOptions()> workers;  // called before something is measured
  // The winners of an operation that came with the program, where a search may start. Empty: none.
  std::function<std::vector<BestRow>(const std::string& operation)> shipped = {};
  int campaigns = 1;  // that run at the same time
};

// What the campaigns of one process share: one store, the only one that writes, and one set of
// compile processes. It opens and starts them when they are first needed. Thread-safe.
class CampaignResources {
 public:
  explicit CampaignResources(CampaignOptions options) : options_(std::move(options)) {}

  const CampaignOptions& options() const { return options_; }

  // Calls `use` with the store while no other campaign has it. `listener` is told of bad rows.
  template <class Use>
  auto with_store(const std::function<void(const std::string&)>& listener, const Use& use) {
    const std::lock_guard lock(store_mutex_);
    if (!store_) store_.emplace(options_.database);
    store_->tell_of_bad_rows(listener);
    return use(*store_);
  }

  struct Tools {
    WorkerOptions options;
    CompileProcesses compilers;
  };
  // For one of the campaigns, and its evaluator if it has one (WorkerOptions). Throws as
  // CompileProcesses does.
  Tools tools(DeviceKind kind, const EvaluatorCommand& evaluator) {
    const std::lock_guard lock(tools_mutex_);
    if (!workers_) workers_ = options_.workers();
    if (workers_->evaluator != evaluator) compilers_.reset();
    workers_->evaluator = evaluator;
    if (!compilers_ || kind_ != kind) compilers_.emplace(*workers_, kind);
    kind_ = kind;
    return {*workers_, compilers_->shared_by(options_.campaigns, lines_++)};
  }

 private:
  const CampaignOptions options_;
  std::mutex store_mutex_;
  std::optional<Store> store_;
  std::mutex tools_mutex_;
  std::optional<WorkerOptions> workers_;
  std::optional<CompileProcesses> compilers_;
  DeviceKind kind_ = DeviceKind::cuda;  // that compilers_ is for
  int lines_ = 0;                       // given to campaigns
};

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
  virtual void on_claim() {}                       // from here on the campaign can be stopped
  virtual void on_wait(const std::string&) {}      // who measures there; an exception ends the wait
  virtual void on_left_out(const std::string&) {}  // who measures on a helper
  virtual void on_warning(const std::string& /*why*/) {}  // such as a stored row that is left out
  // Trials of this sweep that are already there.
  enum class Kept { of_this_sweep, of_another_sweep };
  virtual void on_begin(std::size_t /*kept*/, Kept /*origin*/) {}
  void on_pruned(const std::vector<Trial>&) override {}
  void on_finals(const std::vector<Trial>&) override {}
};

// How a campaign begins a sweep.
enum class Beginning {
  as_asked,  // as CampaignOptions::start says
  moved,     // it goes on where another campaign with the same resources has lost its device
};

// Sweeps one problem after another on one device, and stores the results. It opens the store,
// claims the device and starts processes when they are first needed, and keeps them. If another
// process measures the same sweep on another device, it waits for its answer.
class Campaign {
 public:
  // `observer` and `stop` must outlive it.
  Campaign(CampaignOptions options, CampaignObserver& observer, const std::atomic<bool>& stop)
      : Campaign(std::make_shared<CampaignResources>(std::move(options)), {}, observer, stop) {}
  // Shares the resources with others. Each sweep is measured on its own device and on `helpers` of
  // the same kind. A helper that another process measures on is left out.
  Campaign(std::shared_ptr<CampaignResources> resources, std::vector<DeviceReport> helpers,
           CampaignObserver& observer, const std::atomic<bool>& stop)
      : resources_(std::move(resources)),
        helpers_(std::move(helpers)),
        observer_(observer),
        stop_(stop) {}

  // Returns a finished sweep from the store and resumes an interrupted one, unless options.start
  // says otherwise. Commits each trial when it ends. Throws as run_sweep() and StoreObserver do.
  StoredSweep run(PreparedSweep& sweep, Beginning beginning = Beginning::as_asked);

  // Waits until nobody else measures on the device, or `stop` is set; run() does it by itself.
  // False: `stop` was set first.
  bool claim(const DeviceReport& device, const std::atomic<bool>& stop);
  bool claim(const DeviceReport& device) { return claim(device, stop_); }

 private:
  struct Place {
    DeviceReport device;
    DeviceClaim claim;
    std::unique_ptr<Evaluator> evaluator;
    std::unique_ptr<MachineMonitor> monitor;
  };

  template <class Use>
  auto with_store(const Use& use) const {
    return resources_->with_store([this](const std::string& why) { observer_.on_warning(why); },
                                  use);
  }
  Store::Start start() const { return resources_->options().start; }
  std::optional<StoredSweep> finished_before(const PreparedSweep& sweep, Beginning beginning) const;
  std::optional<SweepRecord> begin(const PreparedSweep& sweep, Beginning beginning, bool is_told);
  DeviceClaim claim_one(const DeviceReport& device, const std::atomic<bool>& stop,
                        const std::function<void(const std::string&)>& on_wait);
  void claim_helpers();
  void start_workers(const PreparedSweep& sweep);
  std::vector<SweepDevice> devices() const;
  CampaignObserver::Kept take_over(PreparedSweep& sweep, const SweepRecord& record);
  Priors priors_for(const PreparedSweep& sweep) const;
  SweepSummary summary_of(const PreparedSweep& sweep, SweepObserver& keep);
  StoredSweep measure(PreparedSweep& sweep, SweepRecord record);

  std::shared_ptr<CampaignResources> resources_;
  std::vector<DeviceReport> helpers_;
  CampaignObserver& observer_;
  const std::atomic<bool>& stop_;
  DeviceClaim claim_;
  EvaluatorCommand evaluator_;  // whose processes these are
  std::optional<CompileProcesses> compilers_;
  std::vector<Place> places_;  // the device, then the helpers
};

}  // namespace tilewright
