#include <fmt/format.h>

#include <string>
#include <utility>

#include "tilewright/error.hpp"
#include "tuner/machine/machine.hpp"

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
          "a kernel destroyed the context of this process: {}; the sweep so far is stored, and the "
          "same request with Isolation::process resumes it",
          fault_));
  }

  std::unique_ptr<Evaluator> session_;
  std::string fault_;
};

}  // namespace

std::unique_ptr<Evaluator> until_context_is_lost(std::unique_ptr<Evaluator> session) {
  return std::make_unique<UntilLost>(std::move(session));
}

}  // namespace tilewright
