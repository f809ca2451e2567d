/* SPDX-FileCopyrightText: 2026 The tilewright authors
 * SPDX-License-Identifier: MIT */

/* A layer of a network, C = relu(A · B + bias), with matrices of bfloat16, and a filter over an
 * image. Both find their kernels by the sizes, types and choices of a problem. It
 * runs on the host device, or on a GPU if it is compiled with -DWITH_CUDA and linked with the CUDA
 * runtime.
 *   cc layer_and_filter.c $(pkg-config --cflags --libs tilewright-c) -o layer_and_filter
 *   layer_and_filter $(pkg-config --variable=kernel_templates tilewright-c) */
#include <stdint.h>
#include <stdio.h>
#include <tilewright/tilewright.h>

#include "device_memory.h"

/* Device memory with a copy of these bytes. */
static void* on_device(const void* values, size_t bytes) {
  void* memory = allocate(bytes);
  if (memory != NULL) copy(memory, values, bytes);
  return memory;
}

/* The best kernel for the problem, compiled and loaded. After this a launch may be captured in a
 * CUDA graph. */
static tw_status prepared(const tw_runtime* runtime, const char* operation, const char* problem,
                          tw_kernel** kernel) {
  const tw_request request = {
      .size = sizeof request, .operation = operation, .problem = problem, .device = device};
  tw_status status = tw_runtime_kernel(runtime, &request, kernel);
  if (status == TW_OK) status = tw_kernel_prepare(*kernel);
  return status;
}

/* With a workspace of the size that the kernel needs, which may be 0. */
static tw_status launched(const tw_kernel* kernel, const tw_operand* operands, size_t count) {
  tw_scratch scratch = {.bytes = tw_kernel_workspace_bytes(kernel)};
  scratch.memory = allocate((size_t)scratch.bytes + 1);
  const tw_status status = tw_kernel_launch(kernel, NULL, operands, count, &scratch);
  release(scratch.memory); /* cudaFree waits for the launch */
  return status;
}

/* 2 × 4096 times 4096 × 2. type_a is that of B, too; C and the bias are float32. */
static tw_status layer(const tw_runtime* runtime) {
  enum { kRows = 2, kColumns = 2, kInner = 4096 };
  static uint16_t ones[kRows * kInner];
  for (int i = 0; i < kRows * kInner; ++i) ones[i] = 0x3F80; /* 1 as a bfloat16 */
  const float bias[kColumns] = {4, -5000}, alpha = 1, beta = 0;
  float c[kRows * kColumns] = {0};
  void* a_there = on_device(ones, sizeof ones);
  void* b_there = on_device(ones, sizeof ones);
  void* bias_there = on_device(bias, sizeof bias);
  void* c_there = on_device(c, sizeof c);
  const tw_operand operands[] = {
      {.form = TW_READ, .type = TW_BFLOAT16, .data = a_there, .count = kRows * kInner},
      {.form = TW_READ, .type = TW_BFLOAT16, .data = b_there, .count = kInner * kColumns},
      {.form = TW_WRITE, .type = TW_FLOAT32, .data = c_there, .count = kRows * kColumns},
      {.form = TW_SCALAR_BY_VALUE, .type = TW_FLOAT32, .data = &alpha},
      {.form = TW_SCALAR_BY_VALUE, .type = TW_FLOAT32, .data = &beta},
      {.form = TW_READ, .type = TW_FLOAT32, .data = bias_there, .count = kColumns},
  };
  tw_kernel* kernel = NULL;
  tw_status status = prepared(
      runtime, "gemm", "M=2 N=2 K=4096 type_a=bfloat16 type_c=float32 epilogue=bias_relu", &kernel);
  if (status == TW_OK) status = launched(kernel, operands, 6);
  copy(c, c_there, sizeof c);
  if (status == TW_OK) printf("layer: %g %g, expected 4100 0\n", (double)c[0], (double)c[1]);
  tw_kernel_destroy(kernel);
  release(c_there);
  release(bias_there);
  release(b_there);
  release(a_there);
  return status;
}

/* One filter along rows and one along columns, in two launches with a workspace between them.
 * `values` are the filters in host memory. The fastest configurations on a GPU pass them by value.
 */
static tw_status filter(const tw_runtime* runtime) {
  const float image[6] = {1, 2, 3, 4, 5, 6}, rows[3] = {1, 10, 100}, columns[1] = {2};
  float filtered[6] = {0};
  void* image_there = on_device(image, sizeof image);
  void* rows_there = on_device(rows, sizeof rows);
  void* columns_there = on_device(columns, sizeof columns);
  void* filtered_there = on_device(filtered, sizeof filtered);
  const tw_operand operands[] = {
      {.form = TW_READ, .type = TW_FLOAT32, .data = image_there, .count = 6},
      {.form = TW_READ, .type = TW_FLOAT32, .data = rows_there, .count = 3, .values = rows},
      {.form = TW_READ, .type = TW_FLOAT32, .data = columns_there, .count = 1, .values = columns},
      {.form = TW_WRITE, .type = TW_FLOAT32, .data = filtered_there, .count = 6},
  };
  tw_kernel* kernel = NULL;
  tw_status status =
      prepared(runtime, "conv2d_separable/two_pass",
               "width=3 height=2 filter_width=3 filter_height=1 boundary=mirror", &kernel);
  if (status == TW_OK) status = launched(kernel, operands, 4);
  copy(filtered, filtered_there, sizeof filtered);
  if (status == TW_OK)
    printf("filter: %g %g, expected 424 642 (%lld bytes of workspace)\n", (double)filtered[0],
           (double)filtered[1], (long long)tw_kernel_workspace_bytes(kernel));
  tw_kernel_destroy(kernel);
  release(filtered_there);
  release(columns_there);
  release(rows_there);
  release(image_there);
  return status;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: layer_and_filter KERNEL_TEMPLATES\n");
    return TW_INPUT_ERROR;
  }
  tw_options* options = NULL;
  tw_runtime* runtime = NULL;
  tw_status status = tw_options_create(&options);
  if (status == TW_OK) status = tw_options_set(options, "kernels", argv[1]);
  if (status == TW_OK) status = tw_runtime_open(options, &runtime);
  tw_options_destroy(options);
  if (status == TW_OK) status = layer(runtime);
  if (status == TW_OK) status = filter(runtime);
  if (status != TW_OK) fprintf(stderr, "layer_and_filter: %s\n", tw_error_text());
  tw_runtime_close(runtime);
  return (int)status;
}
