/* SPDX-FileCopyrightText: 2026 The tilewright authors
 * SPDX-License-Identifier: MIT */

/* What C has of overrides and of the state of answers:
 *   c_override_test SAMPLES KERNEL_TEMPLATES CACHE */
#include <stdlib.h>

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

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  samples = argv[1];
  kernel_templates = argv[2];
  cache = argv[3];
  overrides_answer_where_they_fit();
  a_kernel_steps_down();
  tw_runtime* runtime = opened(options_of());
  answers_of_other_software_are_stale(runtime);
  tw_runtime_close(runtime);
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
