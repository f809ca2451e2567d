// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/machine/own_context.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "tilewright/error.hpp"
#include "tuner/host/session/session.hpp"
#ifdef TILEWRIGHT_HAS_CUDA
#include "tuner/cuda/device/caller_memory.hpp"
#include "tuner/cuda/session/session.hpp"
#endif

namespace tilewright {
namespace {

class UntilLost : public Evaluator {
 public:
  explicit UntilLost(std::unique_ptr<Evaluator> session) : session_(std::move(session)) {}

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

  std::unique_ptr<Evaluator> session_;
  std::string fault_;
};

#ifdef TILEWRIGHT_HAS_CUDA

// A base before the session, so that the device is current again after that is gone.
class InCallersContext : cuda::KeepCurrentDevice, public UntilLost {
 public:
  InCallersContext() : UntilLost(cuda::make_session()) {}
};

std::unique_ptr<Evaluator> cuda_context() {
  return std::make_unique<InCallersContext>();
}

#else

std::unique_ptr<Evaluator> cuda_context() {
  throw MachineError("this build has no CUDA backend");
}

#endif

}  // namespace

std::unique_ptr<Evaluator> make_own_context(const Device& device) {
  if (device.kind == DeviceKind::host) return until_context_is_lost(host::make_session());
  return cuda_context();
}

std::unique_ptr<Evaluator> until_context_is_lost(std::unique_ptr<Evaluator> session) {
  return std::make_unique<UntilLost>(std::move(session));
}

}  // namespace tilewright
