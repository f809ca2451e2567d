// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tilewright/catalog.hpp"
#include "tilewright/device.hpp"
#include "tilewright/device_selector.hpp"
#include "tilewright/error.hpp"
#include "tilewright/kernel.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/settings.hpp"

// Launching tuned kernels; docs/runtime.md shows examples. tilewright/error.hpp has the exceptions.
namespace tilewright {

// When code is compiled that is neither in a bundle nor in the cache.
enum class Compiling {
  when_needed,  // by prepare() or the first launch, which wait for it
  // By a thread of the runtime, if a bundle has another kernel that the request accepts. That one
  // serves first. After the compile the next launch on a stream that is not being captured, or the
  // next prepare(), loads the better one, which takes a moment; from then on that one serves. Both
  // take any Scratch as `unknown`, because they share it. If the better one does not compile or
  // load, the other goes on.
  in_background,
};

struct RuntimeOptions {
  CatalogOptions catalog = {};                      // results and definitions
  std::vector<std::filesystem::path> bundles = {};  // files of `tilewright bundle`
  std::filesystem::path cache = {};  // folder of compiled code, shared by processes; empty: none
  Compiling compiling = Compiling::when_needed;
  std::vector<std::filesystem::path> toolkits = {};  // searched first for NVRTC and for headers
  std::filesystem::path host_compiler = {};          // empty: c++, g++ or clang++ in /usr/bin
  std::filesystem::path scratch = "/tmp";            // for the host compiler's temporary files
};

// What to launch.
struct KernelRequest {
  std::string operation = {};  // "gemm", or "gemm/blocked" for that implementation alone
  Settings problem = {};       // dimensions, choices, snippets by name; others: defaults
  DeviceSelector device = {};
  std::optional<CachePolicy> cache = {};  // as Question::cache
  Require require = Require::any;         // kernel() throws NothingFound for a weaker answer
  // in_memory: if the best configuration takes an input by value, the same one answers with that
  // input read from device memory. Its rung is `portable` at best, because nobody has measured it.
  Inputs inputs = Inputs::any;
};

// The kernels of one request for many sizes. Each size has its own best configuration, which is
// looked up once and remembered as long as this lives. Safe to use from many threads; a remembered
// kernel is found without a lock.
class KernelsBySize {
 public:
  KernelsBySize(KernelsBySize&&) noexcept;
  KernelsBySize& operator=(KernelsBySize&&) noexcept;
  ~KernelsBySize();

  // As a value: the operation's default.
  static constexpr std::int64_t kDefault = std::numeric_limits<std::int64_t>::min();

  // The kernel for these values of the dimensions, in the order in which they were named, and then
  // of the number of further settings if those were left open too. It lives
  // as long as this. Throws as Runtime::kernel does, and std::invalid_argument if the number of
  // values is wrong.
  const Kernel& at(std::span<const std::int64_t> sizes) const;
  const Kernel& at(std::initializer_list<std::int64_t> sizes) const {
    return at(std::span(sizes.begin(), sizes.size()));
  }

 private:
  friend class Runtime;
  class State;
  explicit KernelsBySize(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Looks kernels up and makes them ready to launch; measures nothing. Safe to use from many threads.
// Kernels may outlive it. Must not be used after fork(); a child makes a runtime of its own.
class Runtime {
 public:
  // Reads definitions and bundles. Opens no database, device or compiler yet. Throws InputError if
  // a definition or a bundle cannot be used.
  explicit Runtime(const RuntimeOptions& options);
  Runtime(Runtime&&) noexcept;
  Runtime& operator=(Runtime&&) noexcept;
  // Waits for a compile in the background and begins no other. Kernels keep what serves.
  ~Runtime();

  // The best kernel for the request: that of an override or an exact result, else of a bundle that
  // holds this problem for this device, else of a weaker rung. Nothing is compiled or loaded yet.
  // Until trim(), equal requests share this kernel, even if better results are stored later. Throws
  // InputError for a request that Catalog::look_up refuses, NothingFound if no answer is as strong
  // as required, and MachineError if there is no such device.
  Kernel kernel(const KernelRequest& request) const;

  // The kernels of the request with `dimensions` left open. They may outlive the runtime. Throws
  // InputError for an unknown dimension or operation, and MachineError as kernel().
  KernelsBySize resolve(KernelRequest request, std::vector<std::string> dimensions) const;

  // The same with further settings left open. KernelsBySize::at takes a number after the sizes, and
  // `settings` says what the number stands for. It is called when a kernel is looked up,
  // perhaps by several threads at once, and gives the same settings for a number each time.
  KernelsBySize resolve(KernelRequest request, std::vector<std::string> dimensions,
                        std::function<Settings(std::int64_t)> settings) const;

  // What a call of the operation gives, as JSON: {"name", "about", "dimensions": [{"name",
  // "default", "role"}, …], "choices": [{"name", "labels", "default"}, …], "arguments": [{"name",
  // "kind", "role", "count"}, …]}, in the manifest's order and with its words (docs/manifest.md).
  // A default is a number, a label or the text of an expression; a count is such a text. Throws
  // InputError for an unknown operation.
  std::string describe(const std::string& operation) const;

  // Forgets every kernel that only the runtime holds, unloads its code, and returns how many there
  // were. A Kernel, or a KernelsBySize, Gemm or Convolution that has given it, keeps a kernel.
  // Without this call a runtime keeps every kernel that was asked for. All launches of forgotten
  // kernels must be done, and no CUDA graph may launch them again. A later request is looked up
  // again.
  std::size_t trim() const;

  // As Catalog::store_wanted(), for the requests of kernels; an empty `file` is the runtime's own
  // database. A request counts when its kernel is looked up, not when it is launched.
  std::size_t store_wanted(const std::filesystem::path& file, std::string& why) const;

  // As Catalog::fingerprint(), and it also stands for the bundles and for the versions of foreign
  // libraries, which it loads.
  // Runtimes with the same fingerprint choose the same kernel for the same request on devices of
  // one kind, unless code does not compile or load there, or is being compiled in the background.
  std::string fingerprint() const;

  // The device that the selector means on this machine. Throws MachineError.
  Device device(DeviceSelector selector) const;

  // The software for that device, for Question::environment; `compiler` is empty if there is none.
  // The first call searches for it, or the first kernel() that finds results or may compile in the
  // background. Throws MachineError.
  Environment environment(DeviceSelector selector) const;

  class State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace tilewright
