#include "bench/study/study_sequential.hpp"

namespace tilewright::bench {

void multiply(const float* a, const float* b, float* c, std::int64_t width) {
  for (std::int64_t row = 0; row < width; ++row)
    for (std::int64_t column = 0; column < width; ++column) {
      float sum = 0;
      for (std::int64_t k = 0; k < width; ++k) sum += a[row * width + k] * b[k * width + column];
      c[row * width + column] = sum;
    }
}

std::string sequential_flags() {
  return TILEWRIGHT_STUDY_FLAGS;
}

}  // namespace tilewright::bench
