/* SPDX-FileCopyrightText: 2026 The tilewright authors
 * SPDX-License-Identifier: MIT */

/* Looking up and listing results, by a program in C:
 *   c_look_up_test SAMPLES KERNEL_TEMPLATES CACHE */
#include "c_samples.h"

static void best_finds_what_is_stored(tw_runtime* runtime) {
  tw_request request = {
      .size = sizeof request, .operation = "gemm", .problem = "M=N=K=512", .device = "test 9000"};
  request.require = "exact";
  tw_answer* answer = NULL;
  CHECK_OK(tw_best(runtime, &request, &answer));
  if (answer == NULL) return;
  CHECK(strcmp(answer->implementation, "gemm/naive") == 0);
  CHECK(strcmp(answer->configuration, "{\"BLOCK_X\":128,\"BLOCK_Y\":4}") == 0);
  CHECK(answer->rung == 2 && strcmp(answer->rung_name, "exact") == 0);
  CHECK(answer->median_us == 100 && answer->distance == 0 && answer->measured_at > 0);
  CHECK(strcmp(answer->measured_device, "NVIDIA Test 9000") == 0);
  CHECK(strcmp(answer->policy, "robust/graph") == 0);
  CHECK(strcmp(answer->reason, "") == 0);
  CHECK(answer->stale == 0 && strcmp(answer->origin, "own") == 0);
  CHECK(strcmp(answer->passed_over, "") == 0);
  int64_t value = 0;
  CHECK_OK(tw_answer_value(answer, "BLOCK_Y", &value));
  CHECK(value == 4);
  CHECK_ERROR(tw_answer_value(answer, "TILE", &value), TW_INPUT_ERROR, "no parameter 'TILE'");
  tw_answer_destroy(answer);

  request.problem = "M=N=K=516";
  answer = NULL;
  CHECK_ERROR(tw_best(runtime, &request, &answer), TW_NOTHING, "require=exact");
  CHECK(answer == NULL);
  request.require = NULL;
  CHECK_OK(tw_best(runtime, &request, &answer));
  CHECK(answer != NULL && answer->rung == 7); /* expected to be faster than its neighbour */
  tw_answer_destroy(answer);
  answer = NULL;
  request.operation = "gemm/naive";
  CHECK_OK(tw_best(runtime, &request, &answer));
  CHECK(answer != NULL && answer->reason[0] != '\0');
  CHECK(answer != NULL && answer->rung == 4 && answer->distance > 0);
  tw_answer_destroy(answer);
}

static void best_takes_one_device_or_none(void) {
  tw_options* options = NULL;
  tw_runtime* runtime = NULL;
  CHECK_OK(tw_options_create(&options));
  CHECK_OK(tw_options_set(options, "kernels", kernel_templates));
  CHECK_OK(tw_options_set(options, "database", path_of("several.db")));
  CHECK_OK(tw_runtime_open(options, &runtime));
  tw_options_destroy(options);
  tw_request request = {
      .size = sizeof request, .operation = "gemm", .problem = "M=N=K=512", .device = "test 9000"};
  tw_answer* answer = NULL;
  CHECK_ERROR(tw_best(runtime, &request, &answer), TW_INPUT_ERROR,
              "any of 'NVIDIA Test 9000', 'NVIDIA Test 9000 X'");
  CHECK(answer == NULL);
  const char* const names[] = {"nvidia test 9000", "9000 x"};
  const char* const meant[] = {"NVIDIA Test 9000", "NVIDIA Test 9000 X"};
  for (int i = 0; i < 2; ++i) {
    request.device = names[i];
    CHECK_OK(tw_best(runtime, &request, &answer));
    CHECK(answer != NULL && strcmp(answer->measured_device, meant[i]) == 0);
    tw_answer_destroy(answer);
    answer = NULL;
  }
  tw_runtime_close(runtime);
}

static void best_refuses_what_has_no_meaning(tw_runtime* runtime) {
  tw_answer* answer = NULL;
  tw_request request = {.size = sizeof request, .operation = "gem"};
  CHECK_ERROR(tw_best(runtime, &request, &answer), TW_INPUT_ERROR, "did you mean 'gemm'");
  request.operation = NULL;
  CHECK_ERROR(tw_best(runtime, &request, &answer), TW_INPUT_ERROR, "operation is NULL");
  request.operation = "gemm";
  request.problem = "M";
  CHECK_ERROR(tw_best(runtime, &request, &answer), TW_INPUT_ERROR, "'M' is not NAME=VALUE");
  request.problem = "M=4 M=5";
  CHECK_ERROR(tw_best(runtime, &request, &answer), TW_INPUT_ERROR, "a second time");
  request.problem = NULL;
  request.device = "abacus";
  CHECK_ERROR(tw_best(runtime, &request, &answer), TW_INPUT_ERROR, "NVIDIA Test 9000");
  request.device = "cuda:x";
  CHECK_ERROR(tw_best(runtime, &request, &answer), TW_INPUT_ERROR, "'cuda:x'");
  request.device = "host";
  request.cache = "tepid";
  CHECK_ERROR(tw_best(runtime, &request, &answer), TW_INPUT_ERROR, "give warm, cold or robust");
  request.cache = NULL;
  request.require = "luck";
  CHECK_ERROR(tw_best(runtime, &request, &answer), TW_INPUT_ERROR, "give any, device or exact");
  CHECK_ERROR(tw_best(NULL, &request, &answer), TW_INPUT_ERROR, "runtime is NULL");
  CHECK_ERROR(tw_best(runtime, NULL, &answer), TW_INPUT_ERROR, "request is NULL");
  CHECK(answer == NULL);
}

static void operations_are_json(tw_runtime* runtime) {
  char* json = NULL;
  CHECK_OK(tw_runtime_operation(runtime, "conv2d", &json));
  const char* const filter =
      "{\"name\":\"filter\",\"kind\":\"buffer\",\"role\":\"input\",\"count\":\"filter_width * "
      "filter_height * (filters == 'per_channel' ? channels : 1)\"}";
  CHECK(json != NULL && strncmp(json, "{\"name\":\"conv2d\"", 16) == 0);
  CHECK(json != NULL && strstr(json, filter) != NULL);
  tw_text_free(json);
  json = NULL;
  CHECK_ERROR(tw_runtime_operation(runtime, "gem", &json), TW_INPUT_ERROR, "did you mean 'gemm'");
  CHECK_ERROR(tw_runtime_operation(NULL, "gemm", &json), TW_INPUT_ERROR, "runtime is NULL");
  CHECK_ERROR(tw_bundle_operation(NULL, "gemm", &json), TW_INPUT_ERROR, "bundle is NULL");
  CHECK(json == NULL);
  tw_bundle* bundle = NULL;
  CHECK_OK(tw_bundle_open(path_of("blend.bundle"), &bundle));
  CHECK_OK(tw_bundle_operation(bundle, "blend", &json));
  CHECK(json != NULL && strstr(json, "\"name\":\"weights\"") != NULL);
  tw_text_free(json);
  tw_bundle_close(bundle);
}

static void results_are_json(tw_runtime* runtime) {
  tw_request request = {.size = sizeof request, .operation = "gemm", .problem = "M=512"};
  char* json = NULL;
  CHECK_OK(tw_results(runtime, &request, NULL, &json));
  CHECK(json != NULL && strncmp(json, "[{\"operation\":\"gemm\"", 20) == 0);
  CHECK(json != NULL && strstr(json, "\"configuration\":{\"BLOCK_X\":128,\"BLOCK_Y\":4}") != NULL);
  tw_text_free(json);
  json = NULL;
  CHECK_OK(tw_results(runtime, &request, "best", &json));
  CHECK(json != NULL && strstr(json, "\"default_us\":200.0") != NULL);
  tw_text_free(json);
  json = NULL;
  request.problem = "M=4";
  CHECK_OK(tw_results(runtime, &request, "best", &json));
  CHECK(json != NULL && strcmp(json, "[]") == 0);
  tw_text_free(json);
  json = NULL;
  CHECK_ERROR(tw_results(runtime, &request, "worst", &json), TW_INPUT_ERROR, "'worst'");
  request.cache = "warm";
  CHECK_ERROR(tw_results(runtime, &request, NULL, &json), TW_INPUT_ERROR, "takes no cache");
  request = (tw_request){.size = sizeof(tw_request), .operation = "gemm", .inputs = "memory"};
  CHECK_ERROR(tw_results(runtime, &request, NULL, &json), TW_INPUT_ERROR, "takes no inputs");
  CHECK(json == NULL);
}

static void results_of_a_database_that_is_none(void) {
  tw_options* options = NULL;
  tw_runtime* runtime = NULL;
  char* json = NULL;
  const tw_request all = {.size = sizeof all};
  CHECK_OK(tw_options_create(&options));
  CHECK_OK(tw_options_set(options, "database", path_of("missing.db")));
  CHECK_OK(tw_runtime_open(options, &runtime));
  CHECK_ERROR(tw_results(runtime, &all, NULL, &json), TW_NOTHING, "missing.db");
  tw_runtime_close(runtime);
  CHECK_OK(tw_options_set(options, "database", path_of("kernels/blend/blend.cu")));
  CHECK_OK(tw_runtime_open(options, &runtime));
  CHECK_ERROR(tw_results(runtime, &all, NULL, &json), TW_MACHINE_ERROR, "blend.cu");
  tw_runtime_close(runtime);
  tw_options_destroy(options);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  use_samples(argv);
  results_of_a_database_that_is_none();
  tw_runtime* runtime = open_runtime();
  best_finds_what_is_stored(runtime);
  best_refuses_what_has_no_meaning(runtime);
  best_takes_one_device_or_none();
  operations_are_json(runtime);
  results_are_json(runtime);
  tw_runtime_close(runtime);
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
