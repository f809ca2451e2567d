/* What the fragments of the pages use and do not show, on the host device. */
#include <stdio.h>
#include <stdlib.h>
#include <tilewright/tilewright.h>

int main(void) {
  const char* const kernel_templates = "kernel_templates";
  const int64_t m = 64, n = 64, k = 64, lda = 64, ldb = 64, ldc = 64;
  float* const a = aligned_alloc(256, 64 * 64 * sizeof(float));
  float* const b = aligned_alloc(256, 64 * 64 * sizeof(float));
  float* const c = aligned_alloc(256, 64 * 64 * sizeof(float));
  void* const stream = NULL;
  for (int i = 0; i < 64 * 64; ++i) a[i] = b[i] = 1;
  c[0] = 64;
  EXAMPLE
  (void)m, (void)n, (void)k, (void)lda, (void)ldb, (void)ldc, (void)stream;
  if (tw_error_text()[0] != 0) return puts(tw_error_text()), 1;
  return c[0] == 64 ? 0 : 2;
}
