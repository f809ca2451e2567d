#pragma once

#include <string>
#include <vector>

#include "definition/definition.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tilewright::tools {

// A configuration of an implementation for a problem on a device.
struct Tile {
  const Operation* operation = nullptr;
  const Implementation* implementation = nullptr;
  Problem problem;
  Configuration configuration;
  Device device;
};

// Its launches in numbers. Throws InputError as plan_launches() does.
LaunchPlan launches_of(const Tile& tile);

// A line for each launch: "gemm_blocked grid 16x32, block 256, shared 24576 B dynamic".
std::vector<std::string> launch_texts(const LaunchPlan& plan);

// A C++17 header without macros: the parameters and launches as constants in a namespace. `about`
// becomes a comment.
std::string tile_header(const Tile& tile, const std::string& about);

}  // namespace tilewright::tools
