/* SPDX-FileCopyrightText: 2026 The tilewright authors
 * SPDX-License-Identifier: MIT */

/* Tuning from C, on the host device:
 *   c_tune_test SAMPLES CACHE WORKER */
#include "c_check.h"

typedef struct Tuning {
  float mistake; /* of the reference: 1 is right */
  int reference_returns;
  int told;
} Tuning;

static int scale(void* context, const char* problem, const tw_reference_argument* arguments,
                 size_t count) {
  const Tuning* tuning = context;
  CHECK(count == 3 && strstr(problem, "\"n\":1000") != NULL);
  const float* x = NULL;
  const float* factor = NULL;
  float* y = NULL;
  for (size_t i = 0; i < count; ++i) {
    CHECK(arguments[i].type == TW_FLOAT32);
    if (strcmp(arguments[i].name, "x") == 0) x = arguments[i].before;
    if (strcmp(arguments[i].name, "factor") == 0) factor = arguments[i].before;
    if (strcmp(arguments[i].name, "y") == 0) y = arguments[i].after;
    CHECK((arguments[i].before == NULL) != (arguments[i].after == NULL));
  }
  CHECK(x != NULL && factor != NULL && y != NULL);
  for (int i = 0; i < 1000; ++i) y[i] = *factor * x[i] * tuning->mistake;
  return tuning->reference_returns;
}

static int tell(void* context, const tw_tune_progress* progress) {
  Tuning* tuning = context;
  ++tuning->told;
  CHECK(progress->planned == 2 && progress->done >= 1);
  CHECK(strcmp(progress->implementation, "scale/plain") == 0);
  return 0;
}

/* None of them may stand for another: a wrong isolation would run kernels in this process. */
static void wrong_numbers_are_refused(const tw_runtime* runtime, const tw_tune_request* right) {
  char* json = NULL;
  tw_tune_request request = *right;
  request.isolation = 2;
  CHECK_ERROR(tw_tune(runtime, &request, &json), TW_INPUT_ERROR, "isolation 2 is none of");
  request = *right;
  request.recorded = -1;
  CHECK_ERROR(tw_tune(runtime, &request, &json), TW_INPUT_ERROR, "recorded -1 is none of");
  request = *right;
  request.budget = -2;
  CHECK_ERROR(tw_tune(runtime, &request, &json), TW_INPUT_ERROR, "budget -2");
  request = *right;
  tw_tune_array array = right->arrays[0];
  array.memory = 2;
  request.arrays = &array;
  request.array_count = 1;
  CHECK_ERROR(tw_tune(runtime, &request, &json), TW_INPUT_ERROR, "memory 2 is none of");
  CHECK(json == NULL);
}

static void tuning(const char* samples, const char* cache, const char* worker) {
  tw_options* options = NULL;
  tw_runtime* runtime = NULL;
  CHECK_OK(tw_options_create(&options));
  char manifest[4096];
  char database[4096];
  snprintf(manifest, sizeof manifest, "%s/scale.toml", samples);
  snprintf(database, sizeof database, "%s/tuned_in_c.db", samples);
  remove(database);
  CHECK_OK(tw_options_set(options, "database", database));
  CHECK_OK(tw_options_set(options, "cache", cache));
  CHECK_OK(tw_options_set(options, "manifest", manifest));
  CHECK_OK(tw_options_set(options, "scratch", samples)); /* others on the device lock elsewhere */
  CHECK_OK(tw_runtime_open(options, &runtime));
  tw_options_destroy(options);
  float x[1000];
  for (int i = 0; i < 1000; ++i) x[i] = (float)i;
  const float factor = 2.5F;
  const tw_tune_array arrays[] = {{"x", x, sizeof x, TW_HOST_MEMORY},
                                  {"factor", &factor, sizeof factor, TW_HOST_MEMORY}};
  Tuning told = {.mistake = 1};
  tw_tune_request request = {
      .size = sizeof request, .operation = manifest, .device = "host", .arrays = arrays};
  request.array_count = 2;
  request.reference = scale;
  request.progress = tell;
  request.context = &told;
  request.worker = worker;
  request.compile_processes = 1;
  char* json = NULL;
  CHECK_OK(tw_tune(runtime, &request, &json));
  CHECK(told.told == 2);
  CHECK(json != NULL && strstr(json, "\"implementation\":\"scale/plain\"") != NULL);
  CHECK(json != NULL && strstr(json, "\"outcomes\":{\"measured\":2}") != NULL);
  tw_text_free(json);
  json = NULL;
  request.operation = "scale"; /* of the runtime's manifest */
  CHECK_OK(tw_tune(runtime, &request, &json));
  CHECK(json != NULL && strstr(json, "\"was_on_record\":true") != NULL);
  tw_text_free(json);
  json = NULL;
  told.mistake = 1.5F;
  CHECK_ERROR(tw_tune(runtime, &request, &json), TW_NOTHING, "wrong");
  CHECK(json != NULL && strstr(json, "\"wrong_answer\":2") != NULL);
  tw_text_free(json);
  json = NULL;
  told.reference_returns = 7;
  CHECK_ERROR(tw_tune(runtime, &request, &json), TW_INPUT_ERROR, "the reference returned 7");
  wrong_numbers_are_refused(runtime, &request);
  request.operation = NULL;
  CHECK_ERROR(tw_tune(runtime, &request, &json), TW_INPUT_ERROR, "operation is NULL");
  CHECK(json == NULL);
  tw_runtime_close(runtime);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  tuning(argv[1], argv[2], argv[3]);
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
