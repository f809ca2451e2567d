#include <algorithm>

#include "tuner/verify/reference_builtins.hpp"

namespace tilewright {
namespace {

class SumReference : public HostReference {
 public:
  explicit SumReference(const ReferenceInputs& inputs)
      : count_(inputs.count(0)), numbers_(inputs.input(0, count_)) {}

  // Adds up sums of short pieces, because then the error does not grow with the count.
  double at(int /*argument*/, std::int64_t /*index*/) const override {
    double total = 0;
    for (std::int64_t first = 0; first < count_; first += kPiece) {
      double sum = 0;
      for (std::int64_t i = first; i < std::min(count_, first + kPiece); ++i) sum += numbers_[i];
      total += sum;
    }
    return total;
  }
  std::int64_t multiply_adds() const override { return count_; }

 private:
  static constexpr std::int64_t kPiece = 4096;
  std::int64_t count_;
  InputValues numbers_;
};

}  // namespace

// The sum of all elements of the input.
std::unique_ptr<HostReference> make_sum_reference(const ReferenceInputs& inputs) {
  return std::make_unique<SumReference>(inputs);
}

}  // namespace tilewright
