#include "tuner/verify/references/filter.hpp"

namespace tilewright {
namespace {

class Conv1dReference : public HostReference {
 public:
  explicit Conv1dReference(const ReferenceInputs& inputs)
      : axis_{inputs.dimension("length"), inputs.dimension("taps"), inputs.dimension("taps") / 2},
        signal_(inputs.input(0, axis_.length * inputs.dimension_or("batch", 1))),
        filter_(inputs.input(1, axis_.taps)),
        boundary_(boundary_named(inputs.choice_or("boundary", "zero"))),
        flips_(inputs.choice_or("flip", "no") == "yes") {}

  double at(int /*argument*/, std::int64_t index) const override {
    const std::int64_t start = index / axis_.length * axis_.length;
    return axis_.sum(index - start, boundary_, [&](std::int64_t tap, std::int64_t source) {
      return filter_[flips_ ? axis_.taps - 1 - tap : tap] * signal_[start + source];
    });
  }
  std::int64_t multiply_adds() const override { return axis_.taps; }
  std::int64_t row() const override { return axis_.length; }

 private:
  Axis axis_;
  InputValues signal_, filter_;
  Boundary boundary_;
  bool flips_;
};

}  // namespace

// Inputs are signal and filter; dimensions are length, taps, batch (1); choices are boundary
// ("zero") and flip ("no").
std::unique_ptr<HostReference> make_conv1d_reference(const ReferenceInputs& inputs) {
  return std::make_unique<Conv1dReference>(inputs);
}

}  // namespace tilewright
