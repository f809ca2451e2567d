/* SPDX-FileCopyrightText: 2026 The tilewright authors
 * SPDX-License-Identifier: MIT */

/* What C has of overrides, of answers' state, and the products and convolutions of typed.h:
 *   c_typed_test SAMPLES KERNEL_TEMPLATES CACHE */
#include <stdalign.h>
#include <stdlib.h>
#include <tilewright/typed.h>

#include "c_check.h"

static const char* samples;
static const char* kernel_templates;
static const char* cache;

static tw_options* options_of(void) {
  static char path[4096];
  tw_options* options = NULL;
  CHECK_OK(tw_options_create(&options));
  CHECK_OK(tw_options_set(options, "kernels", kernel_templates));
  snprintf(path, sizeof path, "%s/kernels", samples);
  CHECK_OK(tw_options_set(options, "kernels", path));
  CHECK_OK(tw_options_set(options, "cache", cache));
  snprintf(path, sizeof path, "%s/stale.db", samples);
  CHECK_OK(tw_options_set(options, "database", path));
  return options;
}

static tw_runtime* opened(tw_options* options) {
  tw_runtime* runtime = NULL;
  CHECK_OK(tw_runtime_open(options, &runtime));
  tw_options_destroy(options);
  if (runtime == NULL) exit(1);
  return runtime;
}

static void answers_of_other_software_are_stale(tw_runtime* runtime) {
  tw_request request = {
      .size = sizeof request, .operation = "diverge", .problem = "count=77", .device = "host"};
  tw_answer* answer = NULL;
  CHECK_OK(tw_best(runtime, &request, &answer));
  if (answer == NULL) return;
  CHECK(answer->rung == 2 && answer->stale == 1 && strcmp(answer->origin, "own") == 0);
  CHECK(strstr(answer->why_stale, "the software is now") == answer->why_stale);
  CHECK(answer->power_limit_w == 0);
  tw_answer_destroy(answer);
  tw_kernel* kernel = NULL;
  CHECK_OK(tw_runtime_kernel(runtime, &request, &kernel));
  CHECK(kernel != NULL && tw_kernel_answer(kernel)->stale == 1);
  tw_kernel_destroy(kernel);
}

static void overrides_answer_where_they_fit(void) {
  tw_options* options = options_of();
  CHECK_OK(tw_options_override(options, "gemm/naive", "M=8", "BLOCK_X=7 BLOCK_Y=8"));
  CHECK_OK(tw_options_override(options, "gemm/naive", "M=8", "BLOCK_X=32 BLOCK_Y=8"));
  CHECK_ERROR(tw_options_override(options, "gemm/naive", "M", "BLOCK_X=32"), TW_INPUT_ERROR,
              "'M' is not NAME=VALUE");
  CHECK_ERROR(tw_options_override(options, "gemm/naive", NULL, NULL), TW_INPUT_ERROR,
              "configuration is NULL");
  tw_runtime* runtime = opened(options);
  tw_request request = {
      .size = sizeof request, .operation = "gemm", .problem = "M=N=K=8", .device = "host"};
  tw_answer* answer = NULL;
  CHECK_OK(tw_best(runtime, &request, &answer));
  if (answer != NULL) {
    CHECK(answer->rung == 0 && strcmp(answer->rung_name, "override") == 0);
    CHECK(strcmp(answer->configuration, "{\"BLOCK_X\":32,\"BLOCK_Y\":8}") == 0);
    CHECK(strstr(answer->passed_over, "override: that of gemm/naive does not fit") != NULL);
    CHECK(strcmp(answer->origin, "") == 0);
  }
  tw_answer_destroy(answer);
  answer = NULL;
  request.problem = "M=9";
  CHECK_OK(tw_best(runtime, &request, &answer));
  CHECK(answer != NULL && answer->rung != 0);
  tw_answer_destroy(answer);
  tw_runtime_close(runtime);
}

static void a_kernel_steps_down(void) {
  tw_options* options = options_of();
  CHECK_OK(tw_options_override(options, "wide/plain", NULL, "BLOCK=64"));
  tw_runtime* runtime = opened(options);
  const tw_request request = {.size = sizeof request, .operation = "wide", .device = "host"};
  tw_kernel* kernel = NULL;
  CHECK_OK(tw_runtime_kernel(runtime, &request, &kernel));
  if (kernel == NULL) return;
  const tw_answer* first = tw_kernel_answer(kernel);
  CHECK(first->rung == 0);
  CHECK_OK(tw_kernel_prepare(kernel));
  const tw_answer* now = tw_kernel_answer(kernel);
  CHECK(now->rung == 7 && now == tw_kernel_answer(kernel));
  CHECK(strstr(now->passed_over, "wide/plain of rung 'override': the code does not") != NULL);
  CHECK(first->rung == 0); /* lives on */
  tw_kernel_destroy(kernel);
  tw_runtime_close(runtime);
}

enum { kM = 3, kN = 4, kK = 5, kLda = 4, kBatch = 2 };

/* A stored k × m with a gap, shared by a batch of two; B, C and a bias packed. */
static void gemm_takes_what_blas_takes(tw_runtime* runtime) {
  const tw_gemm_options options = {
      .size = sizeof options, .device = "host", .implementation = "naive", .epilogue = "bias_relu"};
  tw_gemm* gemm = NULL;
  CHECK_OK(tw_gemm_open(runtime, &options, &gemm));
  if (gemm == NULL) return;
  alignas(16) float a[kK * kLda];
  alignas(16) float b[kBatch * kK * kN];
  alignas(16) float c[kBatch * kM * kN];
  alignas(16) float bias[kN] = {1, -2, 3, -4};
  for (int i = 0; i < kK * kLda; ++i) a[i] = (float)(i % 5 - 2);
  for (int i = 0; i < kBatch * kK * kN; ++i) b[i] = (float)(i % 7 - 3);
  for (int i = 0; i < kBatch * kM * kN; ++i) c[i] = (float)i;
  const int64_t strides[] = {0, kK * kN, kM * kN};
  const tw_operand epilogue = {.form = TW_READ, .type = TW_FLOAT32, .data = bias, .count = kN};
  tw_gemm_call call = {.size = sizeof call,
                       .transpose_a = 1,
                       .m = kM,
                       .n = kN,
                       .k = kK,
                       .alpha = 2,
                       .a = a,
                       .lda = kLda};
  call.b = b;
  call.beta = 3;
  call.c = c;
  call.batch = kBatch;
  call.strides = strides;
  call.epilogue = &epilogue;
  call.epilogue_count = 1;
  CHECK_OK(tw_gemm_launch(gemm, NULL, &call, NULL));
  for (int i = 0; i < kBatch * kM * kN; ++i) {
    const int column = i % kN;
    const int row = i / kN % kM;
    float value = 3 * (float)i + bias[column];
    for (int k = 0; k < kK; ++k)
      value += 2 * a[k * kLda + row] * b[i / (kM * kN) * kK * kN + k * kN + column];
    CHECK(c[i] == (value > 0 ? value : 0));
  }
  tw_kernel* kernel = NULL;
  CHECK_OK(tw_gemm_kernel(gemm, &call, &kernel));
  CHECK(kernel != NULL && strcmp(tw_kernel_answer(kernel)->implementation, "gemm/naive") == 0);
  tw_kernel_destroy(kernel);
  call.transpose_a = 2;
  CHECK_ERROR(tw_gemm_launch(gemm, NULL, &call, NULL), TW_INPUT_ERROR,
              "transpose_a: give 0 or 1; 2 was given");
  call.transpose_a = 1;
  call.epilogue = NULL;
  CHECK_ERROR(tw_gemm_launch(gemm, NULL, &call, NULL), TW_INPUT_ERROR, "epilogue is NULL");
  call.epilogue_count = 0;
  CHECK_ERROR(tw_gemm_launch(gemm, NULL, &call, NULL), TW_INPUT_ERROR, "5 arguments were given");
  CHECK_ERROR(tw_gemm_launch(gemm, NULL, NULL, NULL), TW_INPUT_ERROR, "call is NULL");
  tw_gemm_close(gemm);
}

static void gemm_takes_columns(tw_runtime* runtime) {
  const tw_gemm_options options = {
      .size = sizeof options, .device = "host", .implementation = "naive", .column_major = 1};
  tw_gemm* gemm = NULL;
  CHECK_OK(tw_gemm_open(runtime, &options, &gemm));
  if (gemm == NULL) return;
  alignas(16) const float a[2] = {1, 2}; /* 2 × 1 */
  alignas(16) const float b[2] = {3, 5}; /* 1 × 2 */
  alignas(16) float c[4];
  const tw_gemm_call call = {
      .size = sizeof call, .m = 2, .n = 2, .k = 1, .alpha = 1, .a = a, .b = b, .c = c};
  CHECK_OK(tw_gemm_launch(gemm, NULL, &call, NULL));
  CHECK(c[0] == 3 && c[1] == 6 && c[2] == 5 && c[3] == 10);
  tw_gemm_close(gemm);

  tw_gemm_options refused = {.size = sizeof refused, .device = "host", .require = "exact"};
  CHECK_OK(tw_gemm_open(runtime, &refused, &gemm));
  CHECK_ERROR(tw_gemm_launch(gemm, NULL, &call, NULL), TW_NOTHING, "only an answer of rung");
  tw_gemm_close(gemm);
  refused = (tw_gemm_options){
      .size = sizeof(tw_gemm_options), .column_major = 1, .epilogue = "bias_relu"};
  CHECK_ERROR(tw_gemm_open(runtime, &refused, &gemm), TW_INPUT_ERROR,
              "cannot be used with column_major");
  CHECK_ERROR(tw_gemm_open(NULL, NULL, &gemm), TW_INPUT_ERROR, "tw_gemm_open: runtime is NULL");
}

static void convolutions(tw_runtime* runtime) {
  const tw_convolution_options options = {
      .size = sizeof options, .device = "host", .boundary = "replicate", .flip = 1};
  tw_conv1d* line = NULL;
  CHECK_OK(tw_conv1d_open(runtime, &options, &line));
  if (line == NULL) return;
  alignas(16) const float signal[3] = {1, 2, 4};
  alignas(16) const float filter[3] = {1, 0, -1};
  alignas(16) float output[3];
  const tw_conv1d_call call = {.size = sizeof call,
                               .length = 3,
                               .taps = 3,
                               .signal = signal,
                               .filter = filter,
                               .output = output};
  CHECK_OK(tw_conv1d_launch(line, NULL, &call, NULL));
  CHECK(output[0] == 1 && output[1] == 3 && output[2] == 2);
  tw_kernel* kernel = NULL;
  CHECK_OK(tw_conv1d_kernel(line, &call, &kernel));
  tw_kernel_destroy(kernel);
  tw_conv1d_close(line);

  /* The filter's first column over the output's own. */
  tw_conv2d* plane = NULL;
  CHECK_OK(tw_conv2d_open(runtime, NULL, &plane));
  tw_conv2d_close(plane);
  const tw_convolution_options on_host = {.size = sizeof on_host, .device = "host"};
  CHECK_OK(tw_conv2d_open(runtime, &on_host, &plane));
  if (plane == NULL) return;
  alignas(16) const float image[6] = {1, 2, 3, 4, 5, 6};
  alignas(16) const float pair[2] = {1, 10};
  alignas(16) float filtered[6];
  const int64_t anchor[2] = {0, 0};
  tw_conv2d_call call2 = {
      .size = sizeof call2, .width = 3, .height = 2, .filter_width = 2, .filter_height = 1};
  call2.anchor = anchor;
  call2.image = image;
  call2.filter = pair;
  call2.output = filtered;
  CHECK_OK(tw_conv2d_launch(plane, NULL, &call2, NULL));
  const float expected[6] = {21, 32, 3, 54, 65, 6};
  CHECK(memcmp(filtered, expected, sizeof expected) == 0);
  CHECK_OK(tw_conv2d_kernel(plane, &call2, &kernel));
  tw_kernel_destroy(kernel);
  tw_conv2d_close(plane);

  const tw_convolution_options wrong = {.size = sizeof wrong, .boundary = "nearest"};
  CHECK_ERROR(tw_conv2d_open(runtime, &wrong, &plane), TW_INPUT_ERROR,
              "boundary 'nearest': give zero, replicate, reflect, mirror or wrap");
  const tw_convolution_options planes = {.size = sizeof planes, .filters_per_channel = 1};
  CHECK_ERROR(tw_conv1d_open(runtime, &planes, &line), TW_INPUT_ERROR,
              "a filter per channel is not supported");
}

/* 1, 10 along rows and 2, -1 along columns, their first taps over the output's own place. */
static void separable_convolutions(tw_runtime* runtime) {
  const tw_convolution_options on_host = {.size = sizeof on_host, .device = "host"};
  tw_conv2d_separable* plane = NULL;
  CHECK_OK(tw_conv2d_separable_open(runtime, &on_host, &plane));
  if (plane == NULL) return;
  alignas(16) const float image[6] = {1, 2, 3, 4, 5, 6};
  alignas(16) const float rows[2] = {1, 10};
  alignas(16) const float columns[2] = {2, -1};
  alignas(16) float filtered[6];
  const int64_t anchor[2] = {0, 0};
  tw_conv2d_separable_call call = {
      .size = sizeof call, .width = 3, .height = 2, .filter_width = 2, .filter_height = 2};
  call.anchor = anchor;
  call.image = image;
  call.row_filter = rows;
  call.column_filter = columns;
  call.output = filtered;
  CHECK_OK(tw_conv2d_separable_launch(plane, NULL, &call, NULL));
  const float expected[6] = {2 * 21 - 54, 2 * 32 - 65, 2 * 3 - 6, 2 * 54, 2 * 65, 2 * 6};
  CHECK(memcmp(filtered, expected, sizeof expected) == 0);
  tw_kernel* kernel = NULL;
  CHECK_OK(tw_conv2d_separable_kernel(plane, &call, &kernel));
  tw_kernel_destroy(kernel);
  call.row_filter_values = rows;
  CHECK_ERROR(tw_conv2d_separable_launch(plane, NULL, &call, NULL), TW_INPUT_ERROR, "or neither");
  tw_conv2d_separable_close(plane);
}

/* 1, 2, 3 and 4 as bits. */
static const uint16_t halves[4] = {0x3C00, 0x4000, 0x4200, 0x4400};
static const uint16_t bfloats[4] = {0x3F80, 0x4000, 0x4040, 0x4080};

/* (1 2; 3 4) · (1 2; 3 4) = (7 10; 15 22), of each type and of three types at once. */
static void gemm_takes_each_type(tw_runtime* runtime) {
  const tw_gemm_options options = {
      .size = sizeof options, .device = "host", .implementation = "naive"};
  tw_gemm* gemm = NULL;
  CHECK_OK(tw_gemm_open(runtime, &options, &gemm));
  if (gemm == NULL) return;
  alignas(16) double doubles[4] = {1, 2, 3, 4};
  alignas(16) uint16_t half[4];
  alignas(16) uint16_t bfloat[4];
  memcpy(half, halves, sizeof half);
  memcpy(bfloat, bfloats, sizeof bfloat);
  alignas(16) double sums[4];
  alignas(16) uint16_t bits[4];
  tw_gemm_call call = {.size = sizeof call, .m = 2, .n = 2, .k = 2, .alpha = 1};
  call.type_a = call.type_b = call.type_c = TW_FLOAT64;
  call.a = call.b = doubles;
  call.c = sums;
  CHECK_OK(tw_gemm_launch(gemm, NULL, &call, NULL));
  CHECK(sums[0] == 7 && sums[1] == 10 && sums[2] == 15 && sums[3] == 22);
  call.type_a = call.type_b = call.type_c = TW_FLOAT16;
  call.a = call.b = half;
  call.c = bits;
  CHECK_OK(tw_gemm_launch(gemm, NULL, &call, NULL));
  CHECK(bits[0] == 0x4700 && bits[1] == 0x4900 && bits[2] == 0x4B80 && bits[3] == 0x4D80);
  call.type_a = call.type_b = call.type_c = TW_BFLOAT16;
  call.a = call.b = bfloat;
  CHECK_OK(tw_gemm_launch(gemm, NULL, &call, NULL));
  CHECK(bits[0] == 0x40E0 && bits[1] == 0x4120 && bits[2] == 0x4170 && bits[3] == 0x41B0);
  call.type_b = TW_FLOAT16;
  call.type_c = TW_FLOAT64;
  call.precision = TW_PRECISION_FLOAT64;
  call.b = half;
  call.c = sums;
  call.alpha = 0.5;
  CHECK_OK(tw_gemm_launch(gemm, NULL, &call, NULL));
  CHECK(sums[0] == 3.5 && sums[1] == 5 && sums[2] == 7.5 && sums[3] == 11);
  tw_kernel* kernel = NULL;
  CHECK_OK(tw_gemm_kernel(gemm, &call, &kernel));
  CHECK(kernel != NULL &&
        strstr(tw_kernel_answer(kernel)->problem, "\"type_b\":\"float16\"") != NULL);
  tw_kernel_destroy(kernel);
  call.precision = 6;
  CHECK_ERROR(tw_gemm_launch(gemm, NULL, &call, NULL), TW_INPUT_ERROR,
              "precision 6 is none of tw_precision");
  call.precision = TW_PRECISION_USUAL;
  call.type_a = TW_INT16;
  CHECK_ERROR(tw_gemm_launch(gemm, NULL, &call, NULL), TW_INPUT_ERROR,
              "gemm: type_a=int16 is none of float32, float64, float16, bfloat16");
  alignas(16) const int8_t integers[4] = {1, 2, 3, -128};
  alignas(16) int32_t exact[4];
  call.type_a = call.type_b = TW_INT8;
  call.type_c = TW_INT32;
  call.a = call.b = integers;
  call.c = exact;
  CHECK_ERROR(tw_gemm_launch(gemm, NULL, &call, NULL), TW_INPUT_ERROR,
              "gemm: alpha is 0.5; where C is int32, it is a whole number of int32");
  call.alpha = 2;
  CHECK_OK(tw_gemm_launch(gemm, NULL, &call, NULL));
  CHECK(exact[0] == 14 && exact[1] == -508 && exact[2] == -762 && exact[3] == 32780);
  call.precision = TW_PRECISION_TF32;
  CHECK_ERROR(tw_gemm_launch(gemm, NULL, &call, NULL), TW_INPUT_ERROR,
              "precision tf32 is for type_a and type_b float32");
  call.precision = TW_PRECISION_USUAL;
  call.type_a = TW_COMPLEX64 + 1;
  CHECK_ERROR(tw_gemm_launch(gemm, NULL, &call, NULL), TW_INPUT_ERROR,
              "type_a 15 is none of tw_type");
  tw_gemm_close(gemm);
}

static void convolutions_take_each_type(tw_runtime* runtime) {
  const tw_convolution_options options = {.size = sizeof options, .device = "host"};
  tw_conv1d* line = NULL;
  tw_conv2d* plane = NULL;
  CHECK_OK(tw_conv1d_open(runtime, &options, &line));
  CHECK_OK(tw_conv2d_open(runtime, &options, &plane));
  if (line == NULL || plane == NULL) return;
  alignas(16) uint16_t values[4];
  alignas(16) uint16_t one[1] = {0};
  alignas(16) uint16_t output[4] = {0};
  tw_conv1d_call call = {
      .size = sizeof call, .length = 4, .taps = 1, .signal = values, .filter = one};
  tw_conv2d_call call2 = {.size = sizeof call2, .width = 2, .height = 2, .filter_width = 1};
  call2.filter_height = 1;
  call2.image = values;
  call2.filter = one;
  call.output = call2.output = output;
  const int32_t types[2] = {TW_FLOAT16, TW_BFLOAT16};
  for (int i = 0; i < 2; ++i) {
    memcpy(values, i == 0 ? halves : bfloats, sizeof values);
    one[0] = values[0];
    call.type = call2.type = types[i];
    CHECK_OK(tw_conv1d_launch(line, NULL, &call, NULL));
    CHECK(memcmp(output, values, sizeof output) == 0);
    memset(output, 0, sizeof output);
    CHECK_OK(tw_conv2d_launch(plane, NULL, &call2, NULL));
    CHECK(memcmp(output, values, sizeof output) == 0);
    memset(output, 0, sizeof output);
  }
  call.type = -1;
  CHECK_ERROR(tw_conv1d_launch(line, NULL, &call, NULL), TW_INPUT_ERROR, "type -1 is none of");
  tw_conv1d_close(line);
  tw_conv2d_close(plane);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  samples = argv[1];
  kernel_templates = argv[2];
  cache = argv[3];
  tw_gemm_close(NULL);
  tw_conv1d_close(NULL);
  tw_conv2d_separable_close(NULL);
  tw_conv2d_close(NULL);
  overrides_answer_where_they_fit();
  a_kernel_steps_down();
  tw_runtime* runtime = opened(options_of());
  answers_of_other_software_are_stale(runtime);
  gemm_takes_what_blas_takes(runtime);
  gemm_takes_columns(runtime);
  gemm_takes_each_type(runtime);
  convolutions(runtime);
  separable_convolutions(runtime);
  convolutions_take_each_type(runtime);
  tw_runtime_close(runtime);
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
