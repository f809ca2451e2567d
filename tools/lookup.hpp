// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "db/store.hpp"
#include "tools/target.hpp"

namespace tilewright::tools {

// Which step of the look-up answered; the numbers are those of the whole ladder.
enum class Rung : int {
  exact = 2,         // this problem, device and policy
  other_policy = 3,  // the same, measured under another policy
  fallback = 7,      // the manifest's default configuration
};
std::string to_text(Rung rung);  // "exact", "other policy", "default"

// What to look up.
struct Wanted {
  Target target;
  Problem problem;
  std::optional<Device> device;       // none: no device is known, only the default can answer
  std::optional<CachePolicy> policy;  // none: the operation's usual one, then the other
};

// The best configuration that is known.
struct Answer {
  Rung rung = Rung::fallback;
  const Implementation* implementation = nullptr;
  Configuration configuration;
  std::optional<BestRow> row;  // none for the default
  std::string note;            // why a better rung did not answer; empty: nothing to say
};

// Whether the configuration has exactly the implementation's parameters and satisfies its
// constraints for this problem and device.
bool fits(const Implementation& implementation, const Configuration& configuration,
          const Problem& problem, const Device& device);

// The fastest stored answer among the chosen implementations, else the default of the first one
// whose default fits, else nothing. `store` may be null.
std::optional<Answer> look_up(const Wanted& wanted, const Store* store);

// The device that --device names, by id ("cuda:0", "host") or by a part of a stored device's
// name; without the option the GPU present, else the host if it has results of the operation,
// else the only device that has, else the host. Nothing where none is known.
// Throws InputError when several match.
std::optional<Device> wanted_device(const Arguments& arguments, const std::string& operation,
                                    const Store* store);

}  // namespace tilewright::tools
