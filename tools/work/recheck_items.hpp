#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/store/store.hpp"
#include "definition/library/library.hpp"
#include "tools/input/options.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tilewright::tools {

// The stored answers that a command line asks for, and the definitions known for them.
struct RecheckWish {
  std::vector<std::shared_ptr<const Family>> families;
  std::vector<Snippet> snippets;
  std::string operation;                     // empty: all
  std::vector<std::string> implementations;  // full names; empty: all
  Settings problem;                          // values that must be equal
  std::optional<Device> device;
  std::string device_name;  // if `device` is unset: a part of its name; empty: any
};

// Throws InputError for an unknown operation, implementation, dimension or value. `device` is the
// one to measure on; without it, --device may also name a device that is not in this machine.
RecheckWish read_wish(const Arguments& arguments, const std::optional<Device>& device);

// One stored answer to be rechecked.
struct RecheckItem {
  BestRow row;
  Environment environment;  // the software that it is rechecked with
  bool was_stale = false;
  std::shared_ptr<const Family> family;  // with the problem's snippets
  SweepRequest request;       // of its one implementation; empty if there is no definition
  std::string no_definition;  // why; empty: there is one
};

// The stored answers that match, stale ones first. `wish` must outlive them.
std::vector<RecheckItem> items_to_recheck(const RecheckWish& wish, const Store& store);

}  // namespace tilewright::tools
