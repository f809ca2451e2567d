/* SPDX-FileCopyrightText: 2026 The tilewright authors
 * SPDX-License-Identifier: MIT */

/* What every function does with a struct whose size is wrong, smaller or larger than its own:
 *   c_size_test SAMPLES KERNEL_TEMPLATES CACHE */
#include "c_samples.h"

static void requests(tw_runtime* runtime) {
  tw_request request = {.operation = "gemm", .device = "host"}; /* its size is forgotten */
  const char* const refusal = "the size of tw_request is 0; give .size = sizeof(tw_request)";
  tw_answer* answer = NULL;
  tw_kernel* kernel = NULL;
  tw_bundle* bundle = NULL;
  char* json = NULL;
  CHECK_ERROR(tw_best(runtime, &request, &answer), TW_INPUT_ERROR, refusal);
  CHECK_ERROR(tw_runtime_kernel(runtime, &request, &kernel), TW_INPUT_ERROR, refusal);
  CHECK_ERROR(tw_results(runtime, &request, NULL, &json), TW_INPUT_ERROR, refusal);
  CHECK_OK(tw_bundle_open(path_of("blend.bundle"), &bundle));
  CHECK_ERROR(tw_bundle_kernel(bundle, &request, &kernel), TW_INPUT_ERROR, refusal);
  tw_bundle_close(bundle);
  request.size = sizeof(tw_request*);
  CHECK_ERROR(tw_best(runtime, &request, &answer), TW_INPUT_ERROR, "tw_best: the size of");
  request.size = (size_t)&request; /* as of a caller of 0.1, whose first field is a text */
  CHECK_ERROR(tw_best(runtime, &request, &answer), TW_INPUT_ERROR, "give .size = sizeof");
  CHECK(answer == NULL && kernel == NULL && json == NULL);

  tw_tune_request tuning = {.operation = "gemm"};
  CHECK_ERROR(tw_tune(runtime, &tuning, &json), TW_INPUT_ERROR, "size of tw_tune_request is 0");
}

/* A struct of a later version, whose new field this library does not know. */
static void later_versions(tw_runtime* runtime) {
  struct {
    tw_request request;
    int64_t more;
  } later = {.request = {.size = sizeof later, .operation = "gemm", .device = "host"}};
  tw_answer* answer = NULL;
  CHECK_OK(tw_best(runtime, &later.request, &answer));
  CHECK(answer != NULL && strncmp(answer->implementation, "gemm/", 5) == 0);
  tw_answer_destroy(answer);
  answer = NULL;
  later.more = 1;
  CHECK_ERROR(tw_best(runtime, &later.request, &answer), TW_INPUT_ERROR,
              "a field beyond the 56 that this library knows is set");
  CHECK(answer == NULL);
}

static void arguments(tw_runtime* runtime) {
  const tw_request request = {.size = sizeof request, .operation = "blend", .device = "host"};
  tw_kernel* kernel = NULL;
  CHECK_OK(tw_runtime_kernel(runtime, &request, &kernel));
  tw_argument argument = {.count = 77};
  CHECK_ERROR(tw_kernel_argument(kernel, 0, &argument), TW_INPUT_ERROR, "size of tw_argument is 0");
  CHECK(argument.count == 77);
  struct {
    tw_argument argument;
    int64_t more;
  } later = {.argument = {.size = sizeof later}, .more = 5};
  CHECK_OK(tw_kernel_argument(kernel, 0, &later.argument));
  CHECK(strcmp(later.argument.name, "x") == 0 && later.argument.size == sizeof later);
  CHECK(later.more == 5);
  tw_kernel_destroy(kernel);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  use_samples(argv);
  tw_runtime* runtime = open_runtime();
  requests(runtime);
  later_versions(runtime);
  arguments(runtime);
  tw_runtime_close(runtime);
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
