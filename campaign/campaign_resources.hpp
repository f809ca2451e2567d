#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "campaign/workers.hpp"
#include "db/store/store.hpp"
#include "tilewright/tune.hpp"

namespace tilewright {

struct CampaignOptions {
  std::filesystem::path database;
  std::filesystem::path scratch;      // for results if the database fails
  std::filesystem::path lock_folder;  // empty: kLockFolder
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
  // For one of the campaigns. Throws as CompileProcesses does.
  Tools tools(DeviceKind kind) {
    const std::lock_guard lock(tools_mutex_);
    if (!workers_) workers_ = options_.workers();
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

}  // namespace tilewright
