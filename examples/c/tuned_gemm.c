/* SPDX-FileCopyrightText: 2026 The tilewright authors
 * SPDX-License-Identifier: MIT */

/* Launches a tuned product, C = A · B, from C. It runs on the host device, or on a GPU if it is
 * compiled with -DWITH_CUDA and linked with the CUDA runtime. cc tuned_gemm.c $(pkg-config --cflags
 * --libs tilewright-c) -o tuned_gemm tuned_gemm KERNEL_TEMPLATES [DATABASE [SIZE]] KERNEL_TEMPLATES
 * is $(pkg-config --variable=kernel_templates tilewright-c). */
#include <tilewright/tilewright.h>

#include <stdio.h>
#include <stdlib.h>

#include "device_memory.h"

static tw_status open_runtime(const char* kernels, const char* database, tw_runtime** runtime) {
  tw_options* options = NULL;
  tw_status status = tw_options_create(&options);
  if (status == TW_OK) status = tw_options_set(options, "kernels", kernels);
  if (status == TW_OK && database != NULL) status = tw_options_set(options, "database", database);
  if (status == TW_OK) status = tw_runtime_open(options, runtime);
  tw_options_destroy(options);
  return status;
}

/* C = A · B, where all of A is 0.5 and all of B is 0.25; one element of C into `seen`. */
static tw_status multiply(const tw_kernel* kernel, int64_t size, float* seen) {
  const int64_t count = size * size;
  const size_t bytes = (size_t)count * sizeof(float);
  const float alpha = 1, beta = 0;
  float* values = malloc(bytes);
  float *a = allocate(bytes), *b = allocate(bytes), *c = allocate(bytes);
  for (int64_t i = 0; i < count; ++i) values[i] = 0.5F;
  copy(a, values, bytes);
  for (int64_t i = 0; i < count; ++i) values[i] = 0.25F;
  copy(b, values, bytes);

  const tw_operand operands[] = {
      {.form = TW_READ, .type = TW_FLOAT32, .data = a, .count = count},
      {.form = TW_READ, .type = TW_FLOAT32, .data = b, .count = count},
      {.form = TW_WRITE, .type = TW_FLOAT32, .data = c, .count = count},
      {.form = TW_SCALAR_BY_VALUE, .type = TW_FLOAT32, .data = &alpha},
      {.form = TW_SCALAR_BY_VALUE, .type = TW_FLOAT32, .data = &beta},
  };
  tw_scratch scratch = {.bytes = tw_kernel_workspace_bytes(kernel)};
  scratch.memory = allocate((size_t)scratch.bytes + 1);
  const tw_status status = tw_kernel_launch(kernel, NULL, operands, 5, &scratch);
  copy(values, c, bytes);
  *seen = values[count - 1];
  release(scratch.memory);
  release(a);
  release(b);
  release(c);
  free(values);
  return status;
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: tuned_gemm KERNEL_TEMPLATES [DATABASE [SIZE]]\n");
    return 2;
  }
  const int64_t size = argc > 3 ? atoll(argv[3]) : 64;
  char problem[64];
  snprintf(problem, sizeof problem, "M=N=K=%lld", (long long)size);
  const tw_request request = {
      .size = sizeof request, .operation = "gemm", .problem = problem, .device = device};

  float seen = 0;
  tw_runtime* runtime = NULL;
  tw_kernel* kernel = NULL;
  tw_status status = open_runtime(argv[1], argc > 2 ? argv[2] : NULL, &runtime);
  if (status == TW_OK) status = tw_runtime_kernel(runtime, &request, &kernel);
  if (status == TW_OK) status = tw_kernel_prepare(kernel); /* compiles */
  if (status == TW_OK) status = multiply(kernel, size, &seen);
  if (status == TW_OK) {
    const tw_answer* answer = tw_kernel_answer(kernel);
    printf("%s %s\n  rung %s on %s\n", answer->implementation, answer->configuration,
           answer->rung_name, tw_kernel_device_name(kernel));
    printf("C = %g, expected %g\n", (double)seen, 0.125 * (double)size);
  } else {
    fprintf(stderr, "tuned_gemm: %s\n", tw_error_text());
  }
  tw_kernel_destroy(kernel);
  tw_runtime_close(runtime);
  return (int)status;
}
