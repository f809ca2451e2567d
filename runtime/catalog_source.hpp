#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "db/catalog/state.hpp"
#include "runtime/bundle/bundle_source.hpp"
#include "runtime/code_source.hpp"
#include "tuner/backend/of_process.hpp"

namespace tilewright {

// One thread that does work in the order in which it was given. It starts with the first piece.
// Safe to use from many threads.
class Background {
 public:
  // `work` must not throw. After stop() it is dropped. Throws std::system_error if there is no
  // thread; then it is dropped, too.
  void add(std::function<void()> work);

  // Drops what has not begun and waits for what has. The destructor does the same. Neither may be
  // called by the work itself.
  void stop();

 private:
  void serve(const std::stop_token& stopped);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> waiting_;
  bool is_stopped_ = false;
  std::jthread thread_;  // the last member: its destructor stops it and waits
};

// The kernels of a runtime: answers of its catalog and of its bundles, with code from a bundle, the
// cache or a compiler.
class CatalogSource final : public Kernel::Source,
                            public std::enable_shared_from_this<CatalogSource> {
 public:
  // Throws as Runtime does.
  explicit CatalogSource(const RuntimeOptions& options);

  const Catalog::State& catalog() const { return catalog_; }
  Environment environment(const DeviceReport& device);
  std::size_t store_wanted(const std::filesystem::path& file, std::string& why) {
    return catalog_.store_wanted(file, why);
  }
  // Of everything that decides which kernel a request gets. Throws as Runtime::fingerprint().
  Fingerprint fingerprint();

  std::optional<KernelAttempt> next(const KernelRequest& request, const DeviceReport& device,
                                    std::span<const FailedAttempt> failed) override;
  std::optional<KernelAttempt> meanwhile(const KernelRequest& request, const DeviceReport& device,
                                         const KernelAttempt& best) override;
  void later(const std::function<void()>& work) override {
    if (!is_stopped_) background_.get().add(work);
  }

  // Waits for the work that has begun, and drops all other. The work may hold the last reference to
  // this object if this is not called before.
  void stop_compiling() {
    is_stopped_ = true;
    background_.get().stop();
  }

 private:
  // An answer of the catalog with its implementation.
  struct Found {
    Answer answer;
    ChosenKernel chosen;
  };
  using Serving =
      std::function<std::optional<Configuration>(const Implementation&, const Configuration&)>;
  // The configuration with which an answer serves the request; an empty function: with its own.
  Serving serving(const KernelRequest& request, const Device& device) const;
  std::optional<Found> look_up(const KernelRequest& request, const DeviceReport& device,
                               std::span<const FailedAttempt> failed);
  // A bundle's kernel for this very problem, if it is no weaker than the answer. Else a stronger
  // answer from a bundle. Else the same answer with a bundle's code.
  std::optional<KernelAttempt> bundled(const KernelRequest& request, const Answer* answer,
                                       const DeviceReport& device,
                                       std::span<const FailedAttempt> failed);
  // Whether the catalog's results say so of a bundle's answer.
  bool is_known_wrong(const Answer& answer, const Device& device);
  RecipeCode code_for(const ChosenKernel& chosen, const Recipe& recipe);
  bool is_compiled(const ChosenKernel& chosen, const Recipe& recipe);

  Catalog::State catalog_;
  const bool has_results_;  // that may be stale
  std::vector<std::shared_ptr<const BundleSource>> bundles_;
  CodeSource codes_;
  const Compiling compiling_;
  std::atomic<bool> is_stopped_ = false;  // in children, too
  OfProcess<Background> background_;
};

}  // namespace tilewright
