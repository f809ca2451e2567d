#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/launch/recipe.hpp"
#include "tilewright/runtime.hpp"
#include "tuner/backend/device_report.hpp"
#include "tuner/backend/executable.hpp"

namespace tilewright {

enum class CodeFrom { catalog, bundle };

// A recipe and where its code comes from.
struct KernelAttempt {
  Recipe recipe;
  std::function<RecipeCode(const Recipe&)> find_code;
  CodeFrom from = CodeFrom::catalog;
  std::function<bool(const Recipe&)> is_compiled = {};  // empty: it is
};

// An attempt whose code did not compile or load.
struct FailedAttempt {
  Answer answer;
  CodeFrom from = CodeFrom::catalog;
  std::string label;
  std::string why;
};

// Where kernels come from: either results, with a cache and a compiler, or a bundle. Safe to use
// from many threads.
class Kernel::Source {
 public:
  virtual ~Source() = default;

  // The best attempt that the request accepts, except those that failed. Nothing if no other is
  // left. Throws InputError or NothingFound if none has failed and nothing answers.
  virtual std::optional<KernelAttempt> next(const KernelRequest& request,
                                            const DeviceReport& device,
                                            std::span<const FailedAttempt> failed) = 0;

  // What serves until the code of `best` is compiled, by work that is given to later(). Nothing:
  // the caller waits for that code.
  virtual std::optional<KernelAttempt> meanwhile([[maybe_unused]] const KernelRequest& request,
                                                 [[maybe_unused]] const DeviceReport& device,
                                                 [[maybe_unused]] const KernelAttempt& best) {
    return std::nullopt;
  }
  virtual void later([[maybe_unused]] const std::function<void()>& work) {}
};

// Whether this configuration has failed, whatever its code came from.
bool is_among(std::span<const FailedAttempt> failed, const Answer& answer);

// Adds to the answer which attempts failed before it.
void say_what_failed(std::span<const FailedAttempt> failed, Answer& answer);

// Whether the request accepts only configurations that read every buffer in the device's memory.
bool needs_memory_inputs(const KernelRequest& request, const Device& device);

// What the copies of a Kernel share: a recipe, and its code once that is loaded. If loading fails,
// the source's next best recipe is used instead, provided that its launches need no more than the
// first recipe announced to the caller. While the first recipe's code is compiled in the
// background, another one may serve.
class Kernel::State : public std::enable_shared_from_this<Kernel::State> {
 public:
  // Asks the source at once. prepare() asks it again if code does not load, and again after it
  // threw.
  State(std::shared_ptr<Source> source, KernelRequest request, DeviceReport device);

  const Recipe& first_recipe() const { return first_.recipe; }
  // The one in use; before prepare() the first.
  const Recipe& recipe() const { return *in_use_.load(std::memory_order_acquire); }
  std::int64_t workspace_bytes() const;
  const Device& device() const { return device_.device; }
  const std::vector<KernelArgument>& arguments() const { return arguments_; }

  struct Ready {
    const Recipe* recipe = nullptr;
    std::unique_ptr<Executable> executable = nullptr;
    // Another kernel uses the same workspace, so a caller does not know whether it is ready.
    bool shares_workspace = false;
  };

  void prepare() { static_cast<void>(prepared(nullptr)); }
  std::shared_ptr<const PreparedState> prepare_input(void* stream, const Operand& input);
  void launch(void* stream, std::span<const Operand> operands, const Scratch& scratch);

 private:
  const Ready& prepared(void* stream);
  const PreparedState* prepared_of(std::span<const Operand> operands) const;
  // All of these under `preparing_`.
  void load_best();
  void load_meanwhile();
  void load_compiled();
  const Ready& serve(const Ready& ready);

  void compile();  // on another thread
  std::unique_ptr<Executable> load(const KernelAttempt& attempt) const;
  void require_no_more_than_announced(const Recipe& recipe) const;

  const DeviceReport device_;
  const KernelRequest request_;
  std::shared_ptr<Source> source_;  // kept until the code is loaded
  KernelAttempt first_;
  std::optional<KernelAttempt> meanwhile_;
  const std::vector<KernelArgument> arguments_;
  std::mutex preparing_;
  std::optional<RecipeCode> compiled_;  // of the first recipe, not loaded yet
  std::optional<Recipe> stepped_down_to_;
  Ready best_, other_;
  std::atomic<const Ready*> serving_ = nullptr;  // nothing: there is something to load
  std::atomic<const Recipe*> in_use_;
};

// What a PreparedInput holds: the input as it was given and, if the configuration prepares it, the
// memory that it fills.
struct PreparedState {
  std::shared_ptr<Kernel::State> kernel;
  const Kernel::State::Ready* ready;  // of `kernel`; launches with this use it
  Operand input;
  std::shared_ptr<std::uint8_t> memory = nullptr;

  // Fills the memory, if there is any. Throws LaunchError.
  void fill(void* stream) const;
};

// The kernels of a source, by request. Kernels may outlive this object. Safe to use from many
// threads.
class Kernels {
 public:
  explicit Kernels(std::shared_ptr<Kernel::Source> source) : source_(std::move(source)) {}

  // Equal requests share a kernel, so the first answer stays. Throws as Source::next does, and
  // MachineError for a device that does not exist.
  Kernel kernel(KernelRequest request);

  // Forgets the kernels that have no copy elsewhere. Returns how many they were.
  std::size_t trim();

 private:
  const std::shared_ptr<Kernel::Source> source_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Kernel::State>> kernels_;
};

}  // namespace tilewright
