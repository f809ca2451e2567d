#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/peers/cases/cases.hpp"
#include "bench/peers/cases/entrant.hpp"
#include "bench/peers/rivals/arena.hpp"

namespace tilewright::bench {

// What a rival needs in order to be made.
struct RivalTask {
  Arena& arena;
  const SweepRequest& request;  // of the problem that both sides compute
  std::shared_ptr<const Field> field;
  std::vector<std::filesystem::path> libraries;  // folders to look in first
};

// A rival that is measured against the stored winner.
struct Rival {
  const char* name;
  Settings changes;  // changes to the case's problem, for both sides
  const char* note;  // what differs from the case; may be empty
  // Throws CannotCompete.
  Corner (*make)(const RivalTask&);
};

// Throws CannotCompete "CALL: status N" unless the status is 0, which means success in all of these
// libraries.
inline void require_success(int status, const char* call) {
  if (status != 0) throw CannotCompete(std::string(call) + ": status " + std::to_string(status));
}

// How long each of a rival's algorithms is measured to find the fastest.
inline SampleRequest trying() {
  SampleRequest request;
  request.minimum_samples = 3;
  request.maximum_samples = 7;
  request.budget_us = request.long_us = 3000;
  return request;
}

// The index of the fastest of a rival's algorithms. One that throws CannotCompete is skipped; if
// all do, this function throws it.
std::size_t fastest_of(std::size_t count, const std::function<double(std::size_t)>& time_us);

// The rivals in the order of the table. Empty for an operation that no other library computes.
std::vector<Rival> rivals_of(const Case& item);

Corner make_npp(const RivalTask& task);
Corner make_npp_separable(const RivalTask& task);
Corner make_cudnn(const RivalTask& task);
Corner make_cudnn_separable(const RivalTask& task);
Corner make_fourier(const RivalTask& task);
Corner make_cublas(const RivalTask& task);
Corner make_cublas_lt(const RivalTask& task);
Corner make_cublas_lt_fast(const RivalTask& task);  // of float8

}  // namespace tilewright::bench
