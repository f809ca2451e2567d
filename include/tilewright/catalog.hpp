// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/device.hpp"
#include "tilewright/policy.hpp"
#include "tilewright/settings.hpp"

namespace tilewright {

// Which step of a look-up answered; a lower number is nearer to what was asked. Numbers and names
// keep their meaning; others between them come with later versions.
enum class Rung : int {
  exact = 2,             // measured: this problem, device and policy
  other_policy = 3,      // measured: the same problem and device under the other policy
  manifest_default = 7,  // not measured: the default in the implementation's manifest
};
std::string to_text(Rung rung);  // "exact", "other policy", "default"

// What to look up.
struct Question {
  std::string operation = {};         // "gemm", or "gemm/tiled" for that implementation alone
  Settings problem = {};              // dimensions, choices, snippets by name; else defaults
  std::optional<Device> device = {};  // one of devices(); none: only a default can answer
  std::optional<CachePolicy> cache = {};  // none: the usual one for operands of that size
};

// The best configuration on record.
struct Answer {
  std::string implementation;  // "gemm/tiled"
  Configuration configuration;
  Problem problem;  // the one asked, completed
  Rung rung = Rung::manifest_default;
  double distance = 0;           // from the problem asked to the one measured; 0 on these rungs
  double median_us = 0;          // one call, microseconds; 0: not measured
  Policy policy;                 // of the measurement
  std::int64_t measured_at = 0;  // seconds since 1970, UTC; 0: not measured
  std::chrono::seconds age{0};   // since then
  std::string reason;            // for a default: why nothing measured answers, one sentence part
};

struct CatalogOptions {
  std::filesystem::path database = {};                // empty: none, defaults only
  std::vector<std::filesystem::path> kernels = {};    // folders of definitions
  std::vector<std::filesystem::path> manifests = {};  // single files: operations, snippets
  std::chrono::milliseconds patience{1'000};          // for another process's lock
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

  // The fastest measured configuration, else the first default, that satisfies its
  // implementation's constraints for this problem and device. Throws InputError, with one sentence
  // that names the thing, only for the question itself: an unknown operation, implementation,
  // dimension, choice or value, and a problem that no default fits.
  Answer look_up(const Question& question) const;

  // Devices that have an answer for some problem of the operation; none if the database cannot be
  // read. Throws InputError for an unknown operation.
  std::vector<Device> devices(const std::string& operation) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewright
