// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tilewright/device.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/settings.hpp"

namespace tilewright {

// Which step of a look-up answered. A lower number is nearer to the question. Numbers and names
// never change their meaning.
enum class Rung : int {
  override_given = 0,    // from CatalogOptions::overrides
  exact = 2,             // measured for this problem and device, under the policy asked for if any
  other_policy = 3,      // measured for this problem and device, but under another policy, or by a
                         // sweep that is not finished (then Answer::reason says so)
  near_problem = 4,      // measured for the nearest problem of the same class on this device
  near_device = 5,       // measured on another device of the same compute capability
  portable = 6,          // not measured for this problem: good over all tuned problems
  manifest_default = 7,  // not measured: a default, or a general configuration in its place
  none = 8,              // there is no answer that the question accepts
};
std::string to_text(Rung rung);  // "exact", "other policy", "near problem", …

// The weakest answer that the question accepts.
enum class Require {
  any,
  device,  // override to near_problem: measured on this device, or given by an override
  exact,   // override or exact, and measured with the present source
};
bool accepts(Require require, Rung rung);

// Who measured an answer.
enum class Origin {
  own,       // a sweep of this database
  imported,  // a sweep that was imported into it
  shipped,   // a file of CatalogOptions::shipped
};
std::string to_text(Origin origin);  // "own", "imported", "shipped"

// What to look up.
struct Question {
  std::string operation = {};         // "gemm", or "gemm/tiled" for that implementation alone
  Settings problem = {};              // dimensions, choices, snippets; others: defaults
  std::optional<Device> device = {};  // one of devices(); none: only a default can answer
  // None: any policy answers, default_cache_policy() first.
  std::optional<CachePolicy> cache = {};
  Require require = Require::any;
  // The present software, and the device's power limit. None: only a source makes stale.
  std::optional<Environment> environment = {};
};

struct Answer {
  std::string implementation;  // "gemm/tiled"
  Configuration configuration;
  Problem problem;  // the one asked for, completed
  Rung rung = Rung::manifest_default;
  // From the question to the measurement: the sum of |ln(a / b)| over the dimensions with the role
  // `distance` and over the devices' SMs, L2 and shared memory. 0: the same.
  double distance = 0;
  Problem measured_problem;      // without values: not measured
  std::string measured_device;   // its name; for `portable` the device it does well on
  double median_us = 0;          // of one call there, microseconds; 0: not measured; if the policy
                                 // is robust, with cold operands
  double warm_median_us = 0;     // with warm ones; 0: the policy is not robust
  Policy policy;                 // of the measurement
  Origin origin = Origin::own;   // of the measurement
  std::int64_t measured_at = 0;  // seconds since 1970, UTC; 0: not measured
  std::chrono::seconds age{0};   // since measured_at
  bool stale = false;     // measured with another environment or source, and not confirmed since
  std::string why_stale;  // "measured at 400 W; this GPU is limited to 700 W"; empty: it is not
  std::optional<int> power_limit_w;  // of the measurement; none: not known, or not measured
  // For rungs after exact: why no nearer rung answered; part of a sentence. Of an unfinished sweep:
  // "the sweep is not finished, 61 of 512 tried".
  std::string reason;
  // What would have answered but cannot run here, and why: an override that does not fit, or for a
  // Kernel, what did not compile or load. Empty: nothing.
  std::string passed_over;
};

// A configuration that answers wherever it fits, whatever was measured.
struct Override {
  std::string implementation;  // "gemm/tiled"
  Settings problem = {};       // values that the question's problem must have; others: any
  Configuration configuration;
};

struct CatalogOptions {
  std::filesystem::path database = {};                // empty: none, defaults only
  std::vector<std::filesystem::path> kernels = {};    // folders of definitions
  std::vector<std::filesystem::path> manifests = {};  // single files: operations, snippets
  // Files that `tilewright export --format winners` wrote, and folders of them. They answer where
  // the database does not. If one cannot be read, the answer's reason says so.
  std::vector<std::filesystem::path> shipped = {};
  std::vector<Override> overrides = {};  // the first that fits answers
  // on: routines of foreign libraries answer, too. A Runtime leaves out what is not here. A program
  // that compiles kernels itself sets it to off.
  Libraries libraries = Libraries::on;
  std::chrono::milliseconds patience{1'000};  // how long to wait for another process's lock
};

// A question that was resolved once and is asked for many sizes. The handle looks each size up once
// and remembers the answer, so later changes of the database show only after forget(). Safe to use
// from many threads; a remembered answer takes no lock.
class Handle {
 public:
  Handle(Handle&&) noexcept;
  Handle& operator=(Handle&&) noexcept;
  ~Handle();

  // The answer for these values of the handle's dimensions, in the order in which they were named.
  // It lives as long as the handle. Throws as Catalog::look_up does, and std::invalid_argument if
  // the number of values is wrong.
  const Answer& best(std::span<const std::int64_t> sizes) const;
  const Answer& best(std::initializer_list<std::int64_t> sizes) const {
    return best(std::span(sizes.begin(), sizes.size()));
  }

  // Every size is looked up again when it is next asked for. Earlier answers stay valid.
  void forget();

 private:
  friend class Catalog;
  class State;
  explicit Handle(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Looks answers up; never measures and never writes a result. The constructor reads the
// definitions. Each look-up reads the database, so it sees what others have stored meanwhile. If
// the database is missing, locked, damaged or newer, the answer's reason says so, and the next
// look-up tries again. Safe to use from many threads. Must not be used after fork().
class Catalog {
 public:
  // Throws InputError if a folder or a manifest cannot be used. Does not open the database.
  explicit Catalog(CatalogOptions options);
  Catalog(Catalog&&) noexcept;
  Catalog& operator=(Catalog&&) noexcept;
  ~Catalog();

  // The answer of the first rung that has one that is legal for this problem and device; the
  // fastest, if there are several. Rung::none if it is weaker than the question requires, or if
  // sweeps found all that fit to be wrong: wrong answers, writes out of bounds, faults. Throws
  // InputError only for the question itself: an unknown operation, implementation, dimension,
  // choice or value, or a problem that no default fits.
  Answer look_up(const Question& question) const;

  // A handle for the question with `dimensions` left open. It may outlive the catalog. Throws
  // InputError for an unknown dimension.
  Handle resolve(Question question, std::vector<std::string> dimensions) const;

  // Stores the questions since the last call that had no exact answer, for `tilewright sweep
  // --wanted`. Returns their number. If the database cannot be written, returns 0, sets `why`, and
  // keeps the questions for the next call.
  std::size_t store_wanted(std::string& why) const;
  // The same, in another database, which is created if it does not exist: for a database that is
  // only read. `tilewright wanted FILE… --into DATABASE` gathers such files.
  std::size_t store_wanted(const std::filesystem::path& file, std::string& why) const;

  // 32 hexadecimal digits that stand for everything that decides look-ups: the version of
  // tilewright, the manifests and sources, overrides, shipped results and answers of the database,
  // whatever file holds them. Catalogs with the same fingerprint give the same answer to the same
  // question, which names its device. Takes as long as reading all answers. Throws MachineError if
  // the database cannot be used, InputError if another file cannot be read.
  std::string fingerprint() const;

  // Devices that have an answer for any problem of the operation: first those of the database, then
  // those of the shipped results. Skips what cannot be read. Throws InputError for an unknown
  // operation.
  std::vector<Device> devices(const std::string& operation) const;

  // The one of these that `name` names: the device with this full name (with its partition: "NVIDIA
  // H200 1g.18gb"), else the one whose name contains it. Upper and lower case are equal. "host" is
  // the CPU. Shipped results count only if no device of the database has such a name, and those of
  // other operations only if none of this operation has. Throws InputError that lists the names if
  // there is none, or more than one.
  Device device(const std::string& operation, const std::string& name) const;

  class State;

 private:
  friend class Handle;
  std::shared_ptr<State> state_;
};

}  // namespace tilewright
