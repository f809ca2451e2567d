// A libcublasLt.so.13 that multiplies matrices of float32 in host memory, whatever the algorithm.
// Its heuristic lists six: one that it says cannot run, one that its check refuses, and one with
// 3 MiB of workspace if it may have that. It has no products of other types.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

constexpr int kInvalid = 7;
constexpr int kNotSupported = 15;
constexpr int kFloat = 0;     // CUDA_R_32F
constexpr int kRefused = 99;  // the number of an algorithm
constexpr std::size_t kThreeMebibytes = std::size_t{3} << 20;

struct Operation {
  int compute = 0;
  int transposes[2] = {0, 0};  // of its A and B
  int epilogue = 1;            // the sum of 2 for ReLU, 4 for a bias and 32 for GELU; or 1
  const float* bias = nullptr;
  int bias_type = -1;
};

struct Layout {
  int type = 0;
  std::int64_t rows = 0, columns = 0, leading = 0, batch = 1, stride = 0;
};

struct Preference {
  std::size_t workspace = 0;
};

struct Algorithm {
  std::int32_t attributes[16] = {};  // by cublasLtMatmulAlgoConfigAttributes_t
};

struct Result {
  Algorithm algorithm;
  std::size_t workspace = 0;
  int state = 0;
  float waves = 0;
  int reserved[4] = {};
};

Algorithm with(int number, int tile, int split) {
  Algorithm algorithm;
  algorithm.attributes[0] = number;
  algorithm.attributes[1] = tile;
  algorithm.attributes[2] = split;
  algorithm.attributes[8] = number + 1;
  return algorithm;
}

std::size_t workspace_of(const Algorithm& algorithm) {
  return algorithm.attributes[2] > 1 ? kThreeMebibytes : 0;
}

float at(const float* matrix, const Layout& layout, bool is_transposed, std::int64_t row,
         std::int64_t column) {
  return is_transposed ? matrix[column + row * layout.leading]
                       : matrix[row + column * layout.leading];
}

// A row of D is a column of the problem's C.
float after(float value, const Operation& operation, std::int64_t row) {
  if ((operation.epilogue & 4) != 0) value += operation.bias[row];
  if ((operation.epilogue & 2) != 0) value = value > 0 ? value : 0;
  if ((operation.epilogue & 32) != 0)
    value *= (1 + std::tanh(0.7978845608F * (value + 0.044715F * value * value * value))) / 2;
  return value;
}

}  // namespace

extern "C" {

std::size_t cublasLtGetVersion() {
  return 130902;
}
const char* cublasLtGetStatusString(int status) {
  return status == kNotSupported ? "CUBLAS_STATUS_NOT_SUPPORTED" : "CUBLAS_STATUS_INVALID_VALUE";
}
int cublasLtCreate(void** handle) {
  *handle = new int(0);
  return 0;
}
int cublasLtMatmulDescCreate(Operation** operation, int compute, int) {
  *operation = new Operation{compute};
  return 0;
}
int cublasLtMatmulDescDestroy(Operation* operation) {
  delete operation;
  return 0;
}
int cublasLtMatmulDescSetAttribute(Operation* operation, int attribute, const void* value,
                                   std::size_t bytes) {
  const auto set = [&](void* member, std::size_t size) {
    if (bytes != size) return kInvalid;
    std::memcpy(member, value, bytes);
    return 0;
  };
  if (attribute == 7) return set(&operation->epilogue, sizeof operation->epilogue);
  if (attribute == 8) return set(&operation->bias, sizeof operation->bias);
  if (attribute == 26) return set(&operation->bias_type, sizeof operation->bias_type);
  if (attribute != 3 && attribute != 4) return kInvalid;
  return set(&operation->transposes[attribute - 3], sizeof(int));
}
int cublasLtMatrixLayoutCreate(Layout** layout, int type, std::uint64_t rows, std::uint64_t columns,
                               std::int64_t leading) {
  *layout = new Layout{type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns),
                       leading};
  return 0;
}
int cublasLtMatrixLayoutDestroy(Layout* layout) {
  delete layout;
  return 0;
}
int cublasLtMatrixLayoutSetAttribute(Layout* layout, int attribute, const void* value,
                                     std::size_t) {
  if (attribute == 5) layout->batch = *static_cast<const std::int32_t*>(value);
  if (attribute == 6) layout->stride = *static_cast<const std::int64_t*>(value);
  return attribute == 5 || attribute == 6 ? 0 : kInvalid;
}
int cublasLtMatmulPreferenceCreate(Preference** preference) {
  *preference = new Preference;
  return 0;
}
int cublasLtMatmulPreferenceDestroy(Preference* preference) {
  delete preference;
  return 0;
}
int cublasLtMatmulPreferenceSetAttribute(Preference* preference, int attribute, const void* value,
                                         std::size_t bytes) {
  if (attribute != 1 || bytes != sizeof preference->workspace) return kInvalid;
  std::memcpy(&preference->workspace, value, bytes);
  return 0;
}
int cublasLtMatmulAlgoGetHeuristic(void*, const Operation*, const Layout* a, const Layout*,
                                   const Layout*, const Layout*, const Preference* preference,
                                   int most, Result* results, int* count) {
  *count = 0;
  if (a->type != kFloat) return kNotSupported;
  const auto add = [&](const Algorithm& algorithm, int state) {
    if (*count < most && workspace_of(algorithm) <= preference->workspace)
      results[(*count)++] = {algorithm, workspace_of(algorithm), state};
  };
  add(with(21, 18, 1), 0);
  add(with(21, 20, 1), 0);
  add(with(66, 400, 1), 0);
  add(with(67, 401, 1), kNotSupported);
  add(with(kRefused, 1, 1), 0);
  add(with(21, 18, 4), 0);
  return 0;
}
int cublasLtMatmulAlgoInit(void*, int, int, int, int, int, int, int number, Algorithm* algorithm) {
  *algorithm = {};
  algorithm->attributes[0] = number;
  return number == 21 || number == 66 || number == kRefused ? 0 : kInvalid;
}
int cublasLtMatmulAlgoConfigSetAttribute(Algorithm* algorithm, int attribute, const void* value,
                                         std::size_t bytes) {
  if (attribute < 1 || attribute > 8 || bytes != (attribute < 7 ? 4 : 2)) return kInvalid;
  std::memcpy(&algorithm->attributes[attribute], value, bytes);
  return 0;
}
int cublasLtMatmulAlgoConfigGetAttribute(const Algorithm* algorithm, int attribute, void* value,
                                         std::size_t bytes, std::size_t* written) {
  if (attribute < 0 || attribute > 8 || bytes != (attribute < 7 ? 4 : 2)) return kInvalid;
  std::memcpy(value, &algorithm->attributes[attribute], bytes);
  *written = bytes;
  return 0;
}
int cublasLtMatmulAlgoCheck(void*, const Operation*, const Layout*, const Layout*, const Layout*,
                            const Layout*, const Algorithm* algorithm, Result* result) {
  if (algorithm->attributes[0] == kRefused) return kNotSupported;
  result->workspace = workspace_of(*algorithm);
  return 0;
}
int cublasLtMatmul(void*, const Operation* operation, const float* alpha, const float* a,
                   const Layout* layout_a, const float* b, const Layout* layout_b,
                   const float* beta, const float* c, const Layout* layout_c, float* d,
                   const Layout*, const Algorithm* algorithm, void*, std::size_t workspace, void*) {
  if (workspace < workspace_of(*algorithm)) return kInvalid;
  if ((operation->epilogue & 4) != 0 && operation->bias_type != kFloat) return kInvalid;
  const bool transposes_a = operation->transposes[0] != 0;
  const bool transposes_b = operation->transposes[1] != 0;
  const std::int64_t depth = transposes_a ? layout_a->rows : layout_a->columns;
  for (std::int64_t one = 0; one < layout_c->batch; ++one)
    for (std::int64_t column = 0; column < layout_c->columns; ++column)
      for (std::int64_t row = 0; row < layout_c->rows; ++row) {
        float sum = 0;
        for (std::int64_t k = 0; k < depth; ++k)
          sum += at(a + one * layout_a->stride, *layout_a, transposes_a, row, k) *
                 at(b + one * layout_b->stride, *layout_b, transposes_b, k, column);
        const std::int64_t place = one * layout_c->stride + row + column * layout_c->leading;
        d[place] = after(*alpha * sum + (*beta == 0 ? 0 : *beta * c[place]), *operation, row);
      }
  return 0;
}

}  // extern "C"
