#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bench/peers/cases/entrant.hpp"
#include "bench/peers/cases/field.hpp"
#include "bench/peers/cases/pairs.hpp"
#include "db/store/store.hpp"
#include "definition/library/library.hpp"
#include "tools/input/options.hpp"
#include "tools/input/worker_options.hpp"
#include "tuner/cuda/session/service_kernels.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/run/sweep.hpp"

namespace tilewright::bench {

// The number of pairs of samples in one comparison.
inline constexpr int kPairs = 15;

// Which variants of an entrant are measured beside each other, and how.
struct Heat {
  std::vector<std::size_t> variants;
  CachePolicy cache = CachePolicy::warm;  // warm: every call uses the field's first operand set
  int rounds = 1;
  SampleRequest request;
  double heating_s = 0;  // how long they run in turn before the rounds
  double lead_in_s = 0;  // how long each runs alone before each of its samples
};

// The options of an arena.
struct ArenaGiven {
  tools::Measuring measuring;
  CachePolicy cache = CachePolicy::cold;
  double heating_s = 0;  // before each comparison
  double lead_in_s = 0;  // before each sample of a comparison
  std::string definition = TILEWRIGHT_PEERS_MANIFEST;
  std::uint64_t seed = 1;

  void declare(tools::Options& all);
};

// What all comparisons share: the GPU, compilers, definitions, stored results and one stream.
class Arena {
 public:
  // Throws InputError, and MachineError if there is no GPU, compiler or database.
  explicit Arena(const ArenaGiven& given);

  const Device& device() const { return report_.device; }
  const Environment& environment() const { return environment_; }
  const DeviceReport& report() const { return report_; }
  cudaStream_t stream() const { return stream_.get(); }
  CachePolicy cache() const { return given_.cache; }
  double heating_s() const { return given_.heating_s; }  // before each comparison
  double lead_in_s() const { return given_.lead_in_s; }  // before each sample of a comparison
  const Store& store() const { return *store_; }

  // A request for a problem of that operation with all its implementations; it builds no space. A
  // manifest that the options name is preferred to the built-in ones. Hooks are given by the names
  // of snippets.
  SweepRequest request_for(const std::string& operation, const Settings& problem);

  CompileResult compile(CompileRequest request);
  // Compiles a kernel of this program. Throws MachineError if it does not compile.
  CompileResult compile_own(std::string_view source, std::vector<std::string> entries);

  std::shared_ptr<const Field> make_field(const SweepRequest& request);
  FieldOptions field_options() const;

  // Measures by the protocol of docs/measurement.md. Throws what the entrants throw.
  Timing time(const Field& field, Entrant& entrant, const SampleRequest& request) const;
  PairedTimings compare(const Corner& first, const Corner& second) const;

  // The heat's variants by ranked_in_rounds(), fastest first. Those that cannot run are left out;
  // if none can, this function throws CannotCompete. Throws TrialError for a fault of the device.
  std::vector<std::size_t> rank(const Field& field, VariedEntrant& entrant, const Heat& heat) const;

 private:
  const Family& family(const std::string& operation) const;
  const Family& family_for(const std::string& operation, Settings& problem);

  ArenaGiven given_;
  DeviceReport report_;
  Environment environment_;
  Library library_;
  std::map<std::string, Family> own_;
  std::map<std::string, Family> hooked_;  // those with snippets, by operation and problem
  std::unique_ptr<Store> store_;
  CompileProcesses pool_;
  CompileAhead compilers_;
  std::size_t ticket_ = 0;
  cuda::Stream stream_;
  std::optional<cuda::ServiceKernels> probe_;
};

}  // namespace tilewright::bench
