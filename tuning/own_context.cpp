// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuning/own_context.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "tilewright/error.hpp"
#include "tuner/backend/host/session.hpp"
#ifdef TILEWRIGHT_HAS_CUDA
#include "tuner/backend/cuda/caller_memory.hpp"
#include "tuner/backend/cuda/session.hpp"
#endif

namespace tilewright {
namespace {

std::unique_ptr<Evaluator> make_session(const Device& device) {
  if (device.kind == "host") return host::make_session();
#ifdef TILEWRIGHT_HAS_CUDA
  return cuda::make_session();
#else
  throw MachineError("this build has no CUDA backend");
#endif
}

class OwnContext final : public Evaluator {
 public:
  explicit OwnContext(const Device& device) {
#ifdef TILEWRIGHT_HAS_CUDA
    if (device.kind == "cuda") keep_.emplace();
#endif
    session_ = make_session(device);
  }

  void open(const SessionPlan& plan) override {
    refuse_if_lost();
    session_->open(plan);
  }
  Attempt<Resources> load(const KernelPlan& kernel) override {
    refuse_if_lost();
    return watched(session_->load(kernel));
  }
  Attempt<Verification> verify() override { return watched(session_->verify()); }
  Attempt<Timing> sample(const SampleRequest& request) override {
    return watched(session_->sample(request));
  }
  void unload() override { session_->unload(); }

 private:
  template <class T>
  Attempt<T> watched(Attempt<T> attempt) {
    if (!attempt.ok() && attempt.failure().outcome == Outcome::faulted)
      fault_ = attempt.failure().message;
    return attempt;
  }

  void refuse_if_lost() const {
    if (!fault_.empty())
      throw MachineError(fmt::format(
          "a kernel took the context of this process along: {}; the sweep so far is on record, and "
          "the same request with Isolation::process goes on from there",
          fault_));
  }

#ifdef TILEWRIGHT_HAS_CUDA
  std::optional<cuda::KeepCurrentDevice> keep_;
#endif
  std::unique_ptr<Evaluator> session_;
  std::string fault_;
};

}  // namespace

std::unique_ptr<Evaluator> make_own_context(const Device& device) {
  return std::make_unique<OwnContext>(device);
}

}  // namespace tilewright
