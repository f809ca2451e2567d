/* SPDX-FileCopyrightText: 2026 The tilewright authors
 * SPDX-License-Identifier: MIT */

/* The C interface, used by a program in C, on the host device:
 *   c_test SAMPLES KERNEL_TEMPLATES CACHE */
#include <stdalign.h>

#include "c_samples.h"

static tw_kernel* kernel_of(tw_runtime* runtime, const char* operation, const char* problem) {
  const tw_request request = {
      .size = sizeof request, .operation = operation, .problem = problem, .device = "host"};
  tw_kernel* kernel = NULL;
  CHECK_OK(tw_runtime_kernel(runtime, &request, &kernel));
  if (kernel == NULL) exit(1);
  return kernel;
}

static void options_are_checked(void) {
  tw_options* options = NULL;
  CHECK_OK(tw_options_create(&options));
  CHECK_ERROR(tw_options_set(options, "databse", "x"), TW_INPUT_ERROR,
              "no option 'databse'; give one of database, kernels");
  CHECK_ERROR(tw_options_set(options, "patience_ms", "soon"), TW_INPUT_ERROR, "'soon'");
  CHECK_ERROR(tw_options_set(options, "compiling", "never"), TW_INPUT_ERROR,
              "option compiling 'never': give when_needed or in_background");
  CHECK_OK(tw_options_set(options, "compiling", "in_background"));
  CHECK_ERROR(tw_options_set(options, "cache", NULL), TW_INPUT_ERROR, "value is NULL");
  CHECK_ERROR(tw_options_create(NULL), TW_INPUT_ERROR, "options is NULL");
  CHECK_OK(tw_options_set(options, "kernels", "/nowhere/at/all"));
  tw_runtime* runtime = NULL;
  CHECK_ERROR(tw_runtime_open(options, &runtime), TW_INPUT_ERROR, "/nowhere/at/all");
  CHECK(runtime == NULL);
  tw_options_destroy(options);
  CHECK_OK(tw_runtime_open(NULL, &runtime));
  tw_runtime_close(runtime);
}

static void a_fingerprint_is_of_all_that_decides(void) {
  tw_runtime* runtime = open_runtime();
  char* first = NULL;
  char* again = NULL;
  CHECK_OK(tw_runtime_fingerprint(runtime, &first));
  CHECK_OK(tw_runtime_fingerprint(runtime, &again));
  CHECK(strlen(first) == 32 && strcmp(first, again) == 0);
  CHECK_ERROR(tw_runtime_fingerprint(NULL, &again), TW_INPUT_ERROR, "runtime is NULL");
  tw_runtime_close(runtime);
  CHECK_OK(tw_runtime_open(NULL, &runtime));
  tw_text_free(again);
  CHECK_OK(tw_runtime_fingerprint(runtime, &again));
  CHECK(strcmp(first, again) != 0);
  tw_text_free(first);
  tw_text_free(again);
  tw_runtime_close(runtime);
}

static void what_is_not_found_is_stored(void) {
  tw_runtime* runtime = open_runtime();
  size_t count = 99;
  CHECK_OK(tw_runtime_store_wanted(runtime, NULL, &count));
  CHECK(count == 0);
  CHECK_OK(tw_runtime_store_wanted(runtime, NULL, NULL));
  CHECK_ERROR(tw_runtime_store_wanted(NULL, NULL, &count), TW_INPUT_ERROR, "runtime is NULL");
  tw_runtime_close(runtime);
}

static void trim_unloads_what_nobody_holds(void) {
  tw_runtime* runtime = open_runtime();
  tw_kernel* kernel = kernel_of(runtime, "blend", "count=30");
  size_t count = 7;
  CHECK_OK(tw_runtime_trim(runtime, &count));
  CHECK(count == 0);
  tw_kernel_destroy(kernel);
  CHECK_OK(tw_runtime_trim(runtime, &count));
  CHECK(count == 1);
  CHECK_OK(tw_runtime_trim(runtime, NULL));
  CHECK_ERROR(tw_runtime_trim(NULL, &count), TW_INPUT_ERROR, "runtime is NULL");
  CHECK_ERROR(tw_bundle_trim(NULL, &count), TW_INPUT_ERROR, "bundle is NULL");
  tw_runtime_close(runtime);
}

enum { kM = 5, kN = 7, kK = 3 };

static void gemm_is_right(tw_runtime* runtime) {
  tw_kernel* kernel = kernel_of(runtime, "gemm/naive", "M=5 N=7 K=3");
  alignas(16) float a[kM * kK];
  alignas(16) float b[kK * kN];
  alignas(16) float c[kM * kN];
  const float alpha = 2;
  const float beta = 0;
  for (int i = 0; i < kM * kK; ++i) a[i] = (float)i;
  for (int i = 0; i < kK * kN; ++i) b[i] = (float)(i % 5);
  const tw_operand operands[] = {
      {.form = TW_READ, .type = TW_FLOAT32, .data = a, .count = kM * kK},
      {.form = TW_READ, .type = TW_FLOAT32, .data = b, .count = kK * kN},
      {.form = TW_WRITE, .type = TW_FLOAT32, .data = c, .count = kM * kN},
      {.form = TW_SCALAR_BY_VALUE, .type = TW_FLOAT32, .data = &alpha},
      {.form = TW_SCALAR_BY_VALUE, .type = TW_FLOAT32, .data = &beta},
  };
  CHECK(tw_kernel_workspace_bytes(kernel) == 0);
  CHECK(strcmp(tw_kernel_device_kind(kernel), "host") == 0);
  CHECK(strcmp(tw_kernel_answer(kernel)->implementation, "gemm/naive") == 0);
  CHECK_OK(tw_kernel_prepare(kernel));
  CHECK_OK(tw_kernel_launch(kernel, NULL, operands, 5, NULL));
  for (int row = 0; row < kM; ++row)
    for (int column = 0; column < kN; ++column) {
      float sum = 0;
      for (int k = 0; k < kK; ++k) sum += a[row * kK + k] * b[k * kN + column];
      CHECK(c[row * kN + column] == 2 * sum);
    }
  tw_kernel_destroy(kernel);
}

enum { kCount = 30 };

typedef struct Blend {
  alignas(256) unsigned char workspace[256];
  alignas(16) float x[kCount];
  alignas(16) float y[kCount];
  alignas(16) float weights[3];
  int32_t table[2];
  float factor;
  tw_operand operands[5];
  tw_scratch scratch;
} Blend;

static void fill(Blend* blend) {
  *blend = (Blend){.weights = {0.25F, 0.5F, 0.75F}, .table = {1000, 2000}, .factor = 2};
  for (int i = 0; i < kCount; ++i) blend->x[i] = (float)i;
  const tw_operand operands[] = {
      {.form = TW_READ, .type = TW_FLOAT32, .data = blend->x, .count = kCount},
      {.form = TW_READ, .type = TW_FLOAT32, .data = blend->weights, .count = 3},
      {.form = TW_WRITE, .type = TW_FLOAT32, .data = blend->y, .count = kCount},
      {.form = TW_SCALAR_BY_VALUE, .type = TW_FLOAT32, .data = &blend->factor},
      {.form = TW_ARRAY_BY_VALUE, .type = TW_INT32, .data = blend->table, .count = 2},
  };
  memcpy(blend->operands, operands, sizeof operands);
  blend->scratch = (tw_scratch){.memory = blend->workspace, .bytes = sizeof blend->workspace};
}

static void check_blend(tw_kernel* kernel, Blend* blend, int used, int line) {
  check(tw_kernel_launch(kernel, NULL, blend->operands, 5, &blend->scratch) == TW_OK, line,
        "launch");
  for (int i = 0; i < kCount; ++i) {
    const float expected = 2 * blend->x[i] + blend->weights[i % 3] + (float)blend->table[i % 2] +
                           kCount / 2 + (float)used;
    check(blend->y[i] == expected, line, "another result");
  }
}

static void every_kind_of_argument(tw_runtime* runtime) {
  tw_kernel* kernel = kernel_of(runtime, "blend", "count=30");
  CHECK(tw_kernel_argument_count(kernel) == 5);
  tw_argument argument = {.size = sizeof argument};
  CHECK_OK(tw_kernel_argument(kernel, 1, &argument));
  CHECK(strcmp(argument.name, "weights") == 0 && argument.kind == TW_BUFFER);
  CHECK(argument.count == 3 && argument.by_value == 1 && argument.role == TW_INPUT);
  CHECK_OK(tw_kernel_argument(kernel, 2, &argument));
  CHECK(argument.type == TW_FLOAT32 && argument.role == TW_OUTPUT && argument.by_value == 0);
  CHECK_OK(tw_kernel_argument(kernel, 4, &argument));
  CHECK(argument.kind == TW_ARRAY && argument.type == TW_INT32 && argument.count == 2);
  CHECK_ERROR(tw_kernel_argument(kernel, 5, &argument), TW_INPUT_ERROR, "has 5 arguments");
  CHECK(tw_kernel_workspace_bytes(kernel) == 256);

  Blend blend;
  fill(&blend);
  memset(blend.workspace, 0xFF, sizeof blend.workspace);
  check_blend(kernel, &blend, 0, __LINE__);
  blend.scratch.state = TW_SCRATCH_READY;
  check_blend(kernel, &blend, 1, __LINE__);
  tw_kernel_destroy(kernel);
}

static void a_filter_is_prepared_once(tw_runtime* runtime) {
  alignas(16) const float signal[3] = {1, 2, 4};
  alignas(16) float filter[3] = {1, 0, -1};
  alignas(16) float output[3];
  alignas(256) static char workspace[65536];
  const tw_operand plain = {.form = TW_READ, .type = TW_FLOAT32, .data = filter, .count = 3};
  tw_operand operands[] = {{.form = TW_READ, .type = TW_FLOAT32, .data = signal, .count = 3},
                           plain,
                           {.form = TW_WRITE, .type = TW_FLOAT32, .data = output, .count = 3}};
  const tw_scratch scratch = {.memory = workspace, .bytes = sizeof workspace};
  tw_kernel* each_call = kernel_of(runtime, "conv1d", "length=taps=3");
  tw_kernel* kernel = kernel_of(runtime, "conv1d", "length=taps=3 filter=prepared");
  tw_argument argument = {.size = sizeof argument};
  CHECK_OK(tw_kernel_argument(kernel, 1, &argument));
  CHECK(argument.prepared == 1);
  CHECK_OK(tw_kernel_argument(each_call, 1, &argument));
  CHECK(argument.prepared == 0);
  tw_prepared* prepared = NULL;
  CHECK_ERROR(tw_kernel_prepare_input(each_call, NULL, &plain, &prepared), TW_INPUT_ERROR,
              "none of its arguments is taken prepared");
  CHECK(prepared == NULL);
  CHECK_OK(tw_kernel_prepare_input(kernel, NULL, &plain, &prepared));
  CHECK(tw_prepared_bytes(prepared) >= 0 && tw_prepared_bytes(prepared) < 1 << 20);
  CHECK_ERROR(tw_kernel_launch(kernel, NULL, operands, 3, &scratch), TW_INPUT_ERROR,
              "argument 2 'filter' is taken prepared");
  operands[1] = (tw_operand){.form = TW_PREPARED};
  CHECK_ERROR(tw_kernel_launch(kernel, NULL, operands, 3, &scratch), TW_INPUT_ERROR,
              "operand 2: is prepared, but its data is NULL");
  operands[1].data = prepared;
  CHECK_ERROR(tw_kernel_launch(each_call, NULL, operands, 3, &scratch), TW_INPUT_ERROR,
              "argument 2 'filter' is not taken prepared");
  CHECK_OK(tw_kernel_launch(kernel, NULL, operands, 3, &scratch));
  CHECK(output[0] == -2 && output[1] == -3 && output[2] == 2);
  for (int i = 0; i < 3; ++i) filter[i] *= 2;
  CHECK_OK(tw_prepared_again(prepared, NULL));
  CHECK_OK(tw_kernel_launch(kernel, NULL, operands, 3, &scratch));
  CHECK(output[0] == -4 && output[1] == -6 && output[2] == 4);
  tw_kernel_destroy(kernel); /* what is prepared keeps it */
  tw_prepared_destroy(prepared);
  tw_kernel_destroy(each_call);
}

static tw_status launch_with(tw_kernel* kernel, int place, tw_operand operand) {
  Blend blend;
  fill(&blend);
  blend.operands[place] = operand;
  return tw_kernel_launch(kernel, NULL, blend.operands, 5, &blend.scratch);
}

static void wrong_operands_are_refused(tw_runtime* runtime) {
  tw_kernel* kernel = kernel_of(runtime, "blend", "count=30");
  Blend blend;
  fill(&blend);
  tw_operand operand = blend.operands[0];
  operand.type = TW_FLOAT64;
  CHECK_ERROR(launch_with(kernel, 0, operand), TW_INPUT_ERROR,
              "blend/plain count=30: argument 1 'x' has elements of float32; float64 was given");
  operand.type = (tw_type)(TW_COMPLEX64 + 1);
  CHECK_ERROR(launch_with(kernel, 0, operand), TW_INPUT_ERROR, "blend/plain: operand 1: type 15");
  operand = blend.operands[0];
  operand.form = (tw_form)5;
  CHECK_ERROR(launch_with(kernel, 0, operand), TW_INPUT_ERROR, "operand 1: form 5");
  operand = blend.operands[0];
  operand.count = 0; /* forgotten */
  CHECK_ERROR(launch_with(kernel, 0, operand), TW_INPUT_ERROR, "has 30 elements; 0 were given");
  operand.count = TW_ENOUGH;
  CHECK_OK(launch_with(kernel, 0, operand));
  operand.data = NULL;
  CHECK_ERROR(launch_with(kernel, 0, operand), TW_INPUT_ERROR, "'x' is null");
  operand = blend.operands[2];
  operand.form = TW_READ;
  CHECK_ERROR(launch_with(kernel, 2, operand), TW_INPUT_ERROR, "'y' is written");
  operand = blend.operands[3];
  operand.data = NULL;
  CHECK_ERROR(launch_with(kernel, 3, operand), TW_INPUT_ERROR, "operand 4: is a scalar");
  CHECK_ERROR(tw_kernel_launch(kernel, NULL, blend.operands, 4, &blend.scratch), TW_INPUT_ERROR,
              "4 arguments were given; a launch takes 5: x, weights, y, factor, table");
  CHECK_ERROR(tw_kernel_launch(kernel, NULL, NULL, 5, NULL), TW_INPUT_ERROR, "operands is NULL");
  CHECK_ERROR(tw_kernel_launch(kernel, NULL, blend.operands, 5, NULL), TW_INPUT_ERROR,
              "256 bytes of workspace; none was given");
  blend.scratch.bytes = 255;
  CHECK_ERROR(tw_kernel_launch(kernel, NULL, blend.operands, 5, &blend.scratch), TW_INPUT_ERROR,
              "blend/plain: a launch needs 256 bytes of workspace; 255 were given");
  blend.scratch.bytes = 256;
  blend.scratch.state = 2;
  CHECK_ERROR(tw_kernel_launch(kernel, NULL, blend.operands, 5, &blend.scratch), TW_INPUT_ERROR,
              "state 2 is none of tw_scratch_state");
  tw_kernel_destroy(kernel);
}

static void other_errors(tw_runtime* runtime) {
  tw_kernel* kernel = NULL;
  tw_request request = {.size = sizeof request, .operation = "blend", .device = "cuda:99"};
  CHECK_ERROR(tw_runtime_kernel(runtime, &request, &kernel), TW_MACHINE_ERROR, "cuda:99");
  tw_answer* answer = NULL;
  request.device = "";
  CHECK_ERROR(tw_best(runtime, &request, &answer), TW_INPUT_ERROR, "device ''");
  CHECK(answer == NULL);
  request = (tw_request){
      .size = sizeof(tw_request), .operation = "blend", .device = "host", .require = "device"};
  CHECK_ERROR(tw_runtime_kernel(runtime, &request, &kernel), TW_NOTHING,
              "there is only an answer of rung 'default'");
  request = (tw_request){
      .size = sizeof(tw_request), .operation = "blend", .device = "host", .inputs = "none"};
  CHECK_ERROR(tw_runtime_kernel(runtime, &request, &kernel), TW_INPUT_ERROR,
              "inputs 'none': give any or memory");
  CHECK(kernel == NULL);
  request.inputs = "memory";
  CHECK_ERROR(tw_best(runtime, &request, &answer), TW_INPUT_ERROR, "tw_best takes no inputs");
  CHECK_OK(tw_runtime_kernel(runtime, &request, &kernel)); /* the host device reads memory */
  tw_kernel_destroy(kernel);

  kernel = kernel_of(runtime, "diverge", NULL);
  alignas(16) int32_t x[64];
  const tw_operand operand = {.form = TW_WRITE, .type = TW_INT32, .data = x, .count = 64};
  CHECK_ERROR(tw_kernel_launch(kernel, NULL, &operand, 1, NULL), TW_LAUNCH_ERROR,
              "diverge/plain count=64: ");
  tw_kernel_destroy(kernel);
}

static void bundles(void) {
  tw_bundle* bundle = NULL;
  CHECK_ERROR(tw_bundle_open(path_of("missing.bundle"), &bundle), TW_INPUT_ERROR, "missing");
  CHECK_ERROR(tw_bundle_open(path_of("results.db"), &bundle), TW_INPUT_ERROR, "is not a bundle");
  CHECK_OK(tw_bundle_open(path_of("blend.bundle"), &bundle));
  if (bundle == NULL) return;
  tw_request request = {
      .size = sizeof request, .operation = "blend", .problem = "sign=minus", .device = "host"};
  tw_kernel* kernel = NULL;
  CHECK_ERROR(tw_bundle_kernel(bundle, &request, &kernel), TW_INPUT_ERROR, "blend sign=minus");
  request.problem = "count=31";
  request.require = "device";
  CHECK_ERROR(tw_bundle_kernel(bundle, &request, &kernel), TW_NOTHING, "rung 'default'");
  request.require = NULL;
  CHECK_OK(tw_bundle_kernel(bundle, &request, &kernel));
  tw_kernel_destroy(kernel);
  kernel = NULL;
  request.problem = "count=30";
  request.cache = "warm";
  CHECK_ERROR(tw_bundle_kernel(bundle, &request, &kernel), TW_INPUT_ERROR, "takes no cache");
  request.cache = NULL;
  CHECK_OK(tw_bundle_kernel(bundle, &request, &kernel));
  tw_bundle_close(bundle); /* its kernel lives on */
  if (kernel == NULL) return;
  Blend blend;
  fill(&blend);
  check_blend(kernel, &blend, 0, __LINE__);
  tw_kernel_destroy(kernel);
}

static void null_is_nothing_to_destroy(void) {
  tw_options_destroy(NULL);
  tw_runtime_close(NULL);
  tw_answer_destroy(NULL);
  tw_kernel_destroy(NULL);
  tw_bundle_close(NULL);
  tw_text_free(NULL);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  use_samples(argv);
  CHECK(strcmp(tw_error_text(), "") == 0);
  CHECK(strcmp(tw_version(), TILEWRIGHT_VERSION) == 0);
  null_is_nothing_to_destroy();
  options_are_checked();
  bundles();
  tw_runtime* runtime = open_runtime();
  a_fingerprint_is_of_all_that_decides();
  what_is_not_found_is_stored();
  trim_unloads_what_nobody_holds();
  gemm_is_right(runtime);
  every_kind_of_argument(runtime);
  a_filter_is_prepared_once(runtime);
  wrong_operands_are_refused(runtime);
  other_errors(runtime);
  tw_runtime_close(runtime);
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
