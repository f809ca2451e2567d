#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tilewright/device.hpp"
#include "tilewright/settings.hpp"
#include "tilewright/trial.hpp"

namespace tilewright {

// What sweeps of one problem on one device found to be wrong, if no newer sweep found it right.
struct KnownWrong {
  std::string implementation;  // "gemm/tiled"
  std::int64_t epoch = 1;
  std::string source_hash;                     // as the newest such sweep saw it
  std::optional<Configuration> configuration;  // none: all that were tried, and none was right
  Outcome outcome = Outcome::wrong_answer;     // or wrote_out_of_bounds, faulted
  Problem problem;
  DeviceKind kind = DeviceKind::cuda;
  std::string device;     // its name
  std::size_t wrong = 0;  // without a configuration: so many were wrong
  std::size_t tried = 0;  // of so many

  bool operator==(const KnownWrong&) const = default;
};

}  // namespace tilewright
