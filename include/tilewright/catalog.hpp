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

// Which step of a look-up answered; a lower number is nearer to what was asked. Numbers and names
// keep their meaning.
enum class Rung : int {
  override_given = 0,    // CatalogOptions::overrides says so
  exact = 2,             // measured: this problem, device and policy
  other_policy = 3,      // measured: the same problem and device under the other policy
  near_problem = 4,      // measured: the nearest problem of the same class on this device
  near_device = 5,       // measured: on another device of the same compute capability
  portable = 6,          // not measured for this: what does well over all tuned problems
  manifest_default = 7,  // not measured: the default in the implementation's manifest
  none = 8,              // nothing that the question accepts
};
std::string to_text(Rung rung);  // "exact", "other policy", "near problem", …

// The weakest answer that is of use.
enum class Require {
  any,
  device,  // measured on this device, or given: up to near_problem
  exact,   // exact, or given
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
  std::string operation = {};             // "gemm", or "gemm/tiled" for that implementation alone
  Settings problem = {};                  // dimensions, choices, snippets by name; else defaults
  std::optional<Device> device = {};      // one of devices(); none: only a default can answer
  std::optional<CachePolicy> cache = {};  // none: the usual one for operands of that size
  Require require = Require::any;
  std::optional<Environment> environment = {};  // the software now; none: nothing is stale
};

// The best configuration on record.
struct Answer {
  std::string implementation;  // "gemm/tiled"
  Configuration configuration;
  Problem problem;  // the one asked, completed
  Rung rung = Rung::manifest_default;
  // From what was asked to what was measured: the sum of |ln(a / b)| over the dimensions that
  // count, and over SMs, L2 and shared memory of two devices. 0 where they are the same.
  double distance = 0;
  Problem measured_problem;      // without values: not measured
  std::string measured_device;   // its name; for `portable` that of the device it does well on
  double median_us = 0;          // one call there, microseconds; 0: not measured
  Policy policy;                 // of the measurement
  Origin origin = Origin::own;   // of the measurement
  std::int64_t measured_at = 0;  // seconds since 1970, UTC; 0: not measured
  std::chrono::seconds age{0};   // since then
  bool stale =
      false;  // measured under other software than Question::environment, not confirmed since
  std::string reason;  // for rungs after exact: why nothing nearer answers, one sentence part
  // What would have answered and cannot run here, and why: an override that does not fit; of a
  // Kernel, what did not compile or load. Empty: nothing.
  std::string passed_over;
};

// A configuration to be served whatever was measured, where it fits.
struct Override {
  std::string implementation;  // "gemm/tiled"
  Settings problem = {};       // what a question's problem must have; the rest may be anything
  Configuration configuration;
};

struct CatalogOptions {
  std::filesystem::path database = {};                // empty: none, defaults only
  std::vector<std::filesystem::path> kernels = {};    // folders of definitions
  std::vector<std::filesystem::path> manifests = {};  // single files: operations, snippets
  // Files that `tilewright export --format winners` wrote, and folders of such files. They answer
  // where the database does not; one that cannot be read is a reason in the answer.
  std::vector<std::filesystem::path> shipped = {};
  std::vector<Override> overrides = {};       // the first that fits answers
  std::chrono::milliseconds patience{1'000};  // for another process's lock
};

// A question resolved once, to be asked again and again about problems of other sizes. Each size
// is looked up once and remembered for as long as the handle lives, so that answers do not follow
// the database until forget() is called. Safe to use from many threads at once; answering what is
// remembered takes no lock.
class Handle {
 public:
  Handle(Handle&&) noexcept;
  Handle& operator=(Handle&&) noexcept;
  ~Handle();

  // The answer for these values of the handle's dimensions, in the order in which they were named.
  // Throws as Catalog::look_up does, std::invalid_argument for another number of values. The
  // answer lives as long as the handle.
  const Answer& best(std::span<const std::int64_t> sizes) const;
  const Answer& best(std::initializer_list<std::int64_t> sizes) const {
    return best(std::span(sizes.begin(), sizes.size()));
  }

  // Looks everything up anew when it is next asked. Answers given stay valid.
  void forget();

 private:
  friend class Catalog;
  class State;
  explicit Handle(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Looks up; never measures, never writes a result. Definitions are read once, by the constructor;
// the database at each look-up, so that an answer includes what others have stored meanwhile. A
// database that is missing, locked, damaged or newer is a reason in the answer, and is tried again
// by the next look-up. Safe to use from many threads at once; not to be carried across fork().
class Catalog {
 public:
  // Throws InputError for a folder or a manifest that cannot be used. The database is not opened.
  explicit Catalog(CatalogOptions options);
  Catalog(Catalog&&) noexcept;
  Catalog& operator=(Catalog&&) noexcept;
  ~Catalog();

  // The answer of the first rung that has one whose configuration satisfies its implementation's
  // constraints for this problem and device; the fastest, where there are several. Rung::none if
  // that is weaker than the question requires. Throws InputError, with one sentence that names the
  // thing, only for the question itself: an unknown operation, implementation, dimension, choice
  // or value, and a problem that no default fits.
  Answer look_up(const Question& question) const;

  // The question with `dimensions` left open. The handle shares what it needs with the catalog and
  // may outlive it. Throws InputError for an unknown dimension.
  Handle resolve(Question question, std::vector<std::string> dimensions) const;

  // Stores which questions have been answered by less than an exact measurement since the last
  // call, for `tilewright sweep --wanted`. Returns how many; 0 with `why` set where the database
  // cannot be written, and they are kept for the next call.
  std::size_t store_wanted(std::string& why) const;

  // Devices that have an answer for some problem of the operation, of the database and after them
  // of what is shipped; none of what cannot be read. Throws InputError for an unknown operation.
  std::vector<Device> devices(const std::string& operation) const;

  // The one of these that `name` names, in upper or lower case: whose whole name it is (with its
  // partition: "NVIDIA H200 1g.18gb"), else whose name has it as a part. What is shipped counts
  // only where none of the database has such a name. Throws InputError that lists the names where
  // there is none, or several.
  Device device(const std::string& operation, const std::string& name) const;

  class State;

 private:
  friend class Handle;
  std::shared_ptr<State> state_;
};

}  // namespace tilewright
