// A libcublas.so.13 that multiplies matrices of float32 in host memory, if it has a stream and 32
// MiB of workspace. It has no products of other types.
#include <cstddef>
#include <cstdint>

namespace {

constexpr int kInvalid = 7;
constexpr int kNotSupported = 15;
constexpr int kFloat = 0;  // CUDA_R_32F
constexpr std::size_t kLeastWorkspace = std::size_t{32} << 20;

struct Handle {
  bool has_stream = false;
  std::size_t workspace = 0;
};

}  // namespace

extern "C" {

int cublasGetProperty(int part, int* value) {
  constexpr int kVersion[] = {13, 8, 1};
  *value = kVersion[part];
  return 0;
}
const char* cublasGetStatusString(int status) {
  return status == kNotSupported ? "CUBLAS_STATUS_NOT_SUPPORTED" : "CUBLAS_STATUS_INVALID_VALUE";
}
int cublasCreate_v2(Handle** handle) {
  *handle = new Handle;
  return 0;
}
// A new stream brings its own workspace.
int cublasSetStream_v2(Handle* handle, void*) {
  *handle = {true, 0};
  return 0;
}
int cublasSetWorkspace_v2(Handle* handle, void*, std::size_t bytes) {
  handle->workspace = bytes;
  return 0;
}
int cublasGemmStridedBatchedEx(Handle* handle, int transpose_a, int transpose_b, int m, int n,
                               int k, const float* alpha, const float* a, int type, int lda,
                               long long stride_a, const float* b, int, int ldb, long long stride_b,
                               const float* beta, float* c, int, int ldc, long long stride_c,
                               int batch, int, int) {
  if (type != kFloat) return kNotSupported;
  if (!handle->has_stream || handle->workspace < kLeastWorkspace) return kInvalid;
  for (int one = 0; one < batch; ++one)
    for (int column = 0; column < n; ++column)
      for (int row = 0; row < m; ++row) {
        float sum = 0;
        for (int i = 0; i < k; ++i)
          sum += a[one * stride_a + (transpose_a != 0 ? i + row * lda : row + i * lda)] *
                 b[one * stride_b + (transpose_b != 0 ? column + i * ldb : i + column * ldb)];
        float& result = c[one * stride_c + row + column * ldc];
        result = *alpha * sum + (*beta == 0 ? 0 : *beta * result);
      }
  return 0;
}
int cublasGemmEx(Handle* handle, int transpose_a, int transpose_b, int m, int n, int k,
                 const float* alpha, const float* a, int type, int lda, const float* b, int type_b,
                 int ldb, const float* beta, float* c, int type_c, int ldc, int compute,
                 int algorithm) {
  return cublasGemmStridedBatchedEx(handle, transpose_a, transpose_b, m, n, k, alpha, a, type, lda,
                                    0, b, type_b, ldb, 0, beta, c, type_c, ldc, 0, 1, compute,
                                    algorithm);
}

}  // extern "C"
