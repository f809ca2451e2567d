#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/store/store.hpp"
#include "definition/library/library.hpp"
#include "tools/input/worker_options.hpp"
#include "tuner/backend/compiler.hpp"
#include "tuner/sweep/run/sweep.hpp"

namespace tilewright::tools {

// The stored answers that a command line asks for, and the definitions known for them.
struct RecheckWish {
  std::map<std::string, std::shared_ptr<const Family>> families;  // by operation
  std::vector<Snippet> snippets;
  std::string operation;                     // empty: all
  std::vector<std::string> implementations;  // full names; empty: all
  Settings problem;                          // values that must be equal
  std::optional<Device> device;
  std::string device_id;    // which of several such devices, as --device names it; or empty
  std::string device_name;  // if `device` is unset: a part of its name; empty: any
};

// Throws InputError for an unknown operation, implementation, dimension or value. `device` is the
// one to measure on; without it, --device may also name a device that is not in this machine.
RecheckWish read_wish(const std::vector<std::string>& words, const Measuring& measuring,
                      const std::optional<Device>& device);

// One stored answer to be rechecked.
struct RecheckItem {
  BestRow row;
  Store::Rivals rivals;
  Environment environment;  // the software that it is rechecked with
  std::string source_hash;  // of the source that it is rechecked with; empty: not known
  bool was_stale = false;
  std::shared_ptr<const Family> family;  // with the problem's snippets
  SweepRequest request;       // of its one implementation; empty if there is no definition
  std::string no_definition;  // why; empty: there is one
};

// The stored answers that match, stale ones first. Of those under several power limits the one that
// a look-up on the device would take. `wish` must outlive them.
std::vector<RecheckItem> items_to_recheck(const RecheckWish& wish, const Store& store);

// The winners of a file that match and were measured with another source. `trial_id` of each row is
// its place in `rows`, from 0. `wish` must outlive them.
std::vector<RecheckItem> items_to_stamp(const RecheckWish& wish, const std::vector<BestRow>& rows);

// A winner and its rivals as they were measured in one final, or now.
struct Contenders {
  Trial winner;
  Store::Rivals rivals = {};
};

// A finding of which no more is known.
Confirmation found(Verdict verdict, const std::string& message);

// The verdict and a message, which is empty if the winner holds and there is nothing to note. The
// verdict is `holds` if the winner's answers are right, its time is the stored one
// (docs/database.md, "Rechecks"), and no rival is significantly faster.
Confirmation judge(const Contenders& stored, const Contenders& now);

// The verdict from the winner's compiled code alone.
Confirmation judge_code(const BestRow& row, const CompileResult& code);

struct Rechecked {
  RecheckItem item;
  Confirmation confirmation;
  Contenders now;  // without times if it was only compiled
};

// Called with each item when it is done, on the caller's thread.
using OnRechecked = std::function<void(Rechecked)>;

// Measures winner, runner-up and default of each item in interleaved rounds. An item that can no
// longer be measured gets a verdict. Throws MachineError if nothing can be measured here. Ends when
// `stop` is set; then the running item gets no verdict.
void measure_items(std::vector<RecheckItem> items, CompileQueue& compilers, Evaluator& evaluator,
                   const std::atomic<bool>& stop, const OnRechecked& done);

// Compiles each item's winner and compares its code, in the order in which the compilers finish.
void compile_items(std::vector<RecheckItem> items, CompileQueue& compilers,
                   const std::atomic<bool>& stop, const OnRechecked& done);

}  // namespace tilewright::tools
