#include "tuner/verify/reference_builtins.hpp"

namespace tilewright {
namespace {

class Conv1dReference : public HostReference {
 public:
  explicit Conv1dReference(const ReferenceInputs& inputs)
      : length_(inputs.dimension("length")),
        taps_(inputs.dimension("taps")),
        signal_(inputs.input(0, length_ * inputs.dimension_or("batch", 1))),
        filter_(inputs.input(1, taps_)),
        boundary_(boundary_named(inputs.choice_or("boundary", "zero"))),
        flips_(inputs.choice_or("flip", "no") == "yes") {}

  double at(int /*argument*/, std::int64_t index) const override {
    const std::int64_t start = index / length_ * length_;
    double sum = 0;
    for (std::int64_t tap = 0; tap < taps_; ++tap) {
      const auto source = source_of(index - start + tap - taps_ / 2, length_, boundary_);
      if (source) sum += filter_[flips_ ? taps_ - 1 - tap : tap] * signal_[start + *source];
    }
    return sum;
  }
  std::int64_t multiply_adds() const override { return taps_; }
  std::int64_t row() const override { return length_; }

 private:
  std::int64_t length_;
  std::int64_t taps_;
  InputValues signal_;
  InputValues filter_;
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
