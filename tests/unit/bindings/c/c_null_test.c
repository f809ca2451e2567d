/* SPDX-FileCopyrightText: 2026 The tilewright authors
 * SPDX-License-Identifier: MIT */

/* What every function does with NULL:
 *   c_null_test SAMPLES KERNEL_TEMPLATES CACHE HEADER…
 * The functions of the headers are all in the lists below. */
#include "c_samples.h"
#include "tilewright/evaluator.h"

static tw_runtime* runtime;
static tw_options* options;
static tw_bundle* bundle;
static tw_kernel* kernel;
static tw_answer* answer;
static tw_request request = {.size = sizeof request, .operation = "blend", .device = "host"};
static tw_tune_request tuning = {.size = sizeof tuning, .operation = "blend"};
static tw_argument argument = {.size = sizeof argument};

/* Where outputs would go. None of these calls writes one. */
static tw_runtime* no_runtime;
static tw_answer* no_answer;
static tw_bundle* no_bundle;
static tw_kernel* no_kernel;
static tw_prepared* no_prepared;
static char* no_text;
static const tw_operand operand = {.form = TW_READ};
static int64_t no_value = 77;
static const char* no_prepare(void* context, size_t problem, const char* asked) {
  (void)context, (void)problem;
  return asked;
}
static const char* no_call(void* context, size_t problem, const void* const* operands, size_t count,
                           void* stream) {
  (void)context, (void)problem, (void)operands, (void)count, (void)stream;
  return NULL;
}

/* CALL(function, arguments, what is NULL) */
#define CALLS                                                                      \
  CALL(tw_options_create, (NULL), "options")                                       \
  CALL(tw_options_set, (NULL, "cache", "x"), "options")                            \
  CALL(tw_options_set, (options, NULL, "x"), "key")                                \
  CALL(tw_options_set, (options, "cache", NULL), "value")                          \
  CALL(tw_options_override, (NULL, "blend/fused", NULL, ""), "options")            \
  CALL(tw_options_override, (options, NULL, NULL, ""), "implementation")           \
  CALL(tw_options_override, (options, "blend/fused", NULL, NULL), "configuration") \
  CALL(tw_answer_value, (NULL, "BLOCK", &no_value), "answer")                      \
  CALL(tw_answer_value, (answer, NULL, &no_value), "parameter")                    \
  CALL(tw_answer_value, (answer, "BLOCK", NULL), "value")                          \
  CALL(tw_runtime_open, (options, NULL), "runtime")                                \
  CALL(tw_best, (NULL, &request, &no_answer), "runtime")                           \
  CALL(tw_best, (runtime, NULL, &no_answer), "request")                            \
  CALL(tw_best, (runtime, &request, NULL), "answer")                               \
  CALL(tw_runtime_trim, (NULL, NULL), "runtime")                                   \
  CALL(tw_runtime_store_wanted, (NULL, NULL, NULL), "runtime")                     \
  CALL(tw_runtime_fingerprint, (NULL, &no_text), "runtime")                        \
  CALL(tw_runtime_fingerprint, (runtime, NULL), "fingerprint")                     \
  CALL(tw_results, (NULL, &request, NULL, &no_text), "runtime")                    \
  CALL(tw_results, (runtime, NULL, NULL, &no_text), "request")                     \
  CALL(tw_results, (runtime, &request, NULL, NULL), "json")                        \
  CALL(tw_runtime_kernel, (NULL, &request, &no_kernel), "runtime")                 \
  CALL(tw_runtime_kernel, (runtime, NULL, &no_kernel), "request")                  \
  CALL(tw_runtime_kernel, (runtime, &request, NULL), "kernel")                     \
  CALL(tw_runtime_operation, (NULL, "blend", &no_text), "runtime")                 \
  CALL(tw_runtime_operation, (runtime, NULL, &no_text), "operation")               \
  CALL(tw_runtime_operation, (runtime, "blend", NULL), "json")                     \
  CALL(tw_bundle_open, (NULL, &no_bundle), "file")                                 \
  CALL(tw_bundle_open, ("x.bundle", NULL), "bundle")                               \
  CALL(tw_bundle_kernel, (NULL, &request, &no_kernel), "bundle")                   \
  CALL(tw_bundle_kernel, (bundle, NULL, &no_kernel), "request")                    \
  CALL(tw_bundle_kernel, (bundle, &request, NULL), "kernel")                       \
  CALL(tw_bundle_operation, (NULL, "blend", &no_text), "bundle")                   \
  CALL(tw_bundle_operation, (bundle, NULL, &no_text), "operation")                 \
  CALL(tw_bundle_operation, (bundle, "blend", NULL), "json")                       \
  CALL(tw_bundle_trim, (NULL, NULL), "bundle")                                     \
  CALL(tw_kernel_prepare, (NULL), "kernel")                                        \
  CALL(tw_kernel_argument, (NULL, 0, &argument), "kernel")                         \
  CALL(tw_kernel_argument, (kernel, 0, NULL), "argument")                          \
  CALL(tw_kernel_prepare_input, (NULL, NULL, &operand, &no_prepared), "kernel")    \
  CALL(tw_kernel_prepare_input, (kernel, NULL, NULL, &no_prepared), "input")       \
  CALL(tw_kernel_prepare_input, (kernel, NULL, &operand, NULL), "prepared")        \
  CALL(tw_prepared_again, (NULL, NULL), "prepared")                                \
  CALL(tw_kernel_launch, (NULL, NULL, NULL, 0, NULL), "kernel")                    \
  CALL(tw_kernel_launch, (kernel, NULL, NULL, 1, NULL), "operands")                \
  CALL(tw_tune, (NULL, &tuning, &no_text), "runtime")                              \
  CALL(tw_tune, (runtime, NULL, &no_text), "request")                              \
  CALL(tw_tune, (runtime, &tuning, NULL), "json")                                  \
  CALL(tw_serve_callable, (NULL, no_prepare, no_call, NULL, 3, 4), "device_kind")  \
  CALL(tw_serve_callable, ("host", NULL, no_call, NULL, 3, 4), "prepare")          \
  CALL(tw_serve_callable, ("host", no_prepare, NULL, NULL, 3, 4), "call")

/* Without a status: they return 0, whatever that is of. */
#define QUESTIONS                               \
  QUESTION(tw_kernel_answer, "kernel")          \
  QUESTION(tw_kernel_device_kind, "kernel")     \
  QUESTION(tw_kernel_device_name, "kernel")     \
  QUESTION(tw_kernel_workspace_bytes, "kernel") \
  QUESTION(tw_kernel_argument_count, "kernel")  \
  QUESTION(tw_prepared_bytes, "prepared")

/* They accept NULL. */
#define ENDS               \
  END(tw_options_destroy)  \
  END(tw_answer_destroy)   \
  END(tw_runtime_close)    \
  END(tw_text_free)        \
  END(tw_kernel_destroy)   \
  END(tw_prepared_destroy) \
  END(tw_bundle_close)

static const char* const listed[] = {
#define CALL(function, arguments, null) #function,
#define QUESTION(function, null) #function,
#define END(function) #function,
    CALLS QUESTIONS ENDS "tw_error_text", "tw_version"
#undef CALL
#undef QUESTION
#undef END
};

static void every_function_takes_null(void) {
#define CALL(function, arguments, null)                             \
  CHECK_ERROR(function arguments, TW_INPUT_ERROR, null " is NULL"); \
  CHECK(strncmp(tw_error_text(), #function ": ", sizeof #function + 1) == 0);
#define QUESTION(function, null) \
  CHECK(function(NULL) == 0);    \
  CHECK(strcmp(tw_error_text(), #function ": " null " is NULL") == 0);
#define END(function) function(NULL);
  CALLS QUESTIONS ENDS
#undef CALL
#undef QUESTION
#undef END
      CHECK(no_runtime == NULL && no_answer == NULL && no_bundle == NULL && no_kernel == NULL);
  CHECK(no_text == NULL && no_prepared == NULL && no_value == 77);
}

static void nulls_in_structs_are_named(void) {
  const tw_request nameless = {.size = sizeof nameless};
  CHECK_ERROR(tw_best(runtime, &nameless, &no_answer), TW_INPUT_ERROR,
              "request->operation is NULL");
  tw_tune_request tune = {.size = sizeof tune};
  CHECK_ERROR(tw_tune(runtime, &tune, &no_text), TW_INPUT_ERROR, "request->operation is NULL");
  tune.operation = "blend";
  tune.array_count = 1;
  CHECK_ERROR(tw_tune(runtime, &tune, &no_text), TW_INPUT_ERROR, "request->arrays is NULL");
  const tw_tune_array array = {.bytes = 4};
  tune.arrays = &array;
  CHECK_ERROR(tw_tune(runtime, &tune, &no_text), TW_INPUT_ERROR, "array's argument is NULL");
}

static int is_listed(const char* name, size_t length) {
  for (size_t i = 0; i < sizeof listed / sizeof *listed; ++i)
    if (strlen(listed[i]) == length && strncmp(listed[i], name, length) == 0) return 1;
  return 0;
}

static void the_lists_have_every_function(const char* header) {
  static char text[1 << 20];
  FILE* file = fopen(header, "rb");
  CHECK(file != NULL);
  if (file == NULL) return;
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  int found = 0;
  for (const char* at = text; (at = strstr(at, "tw_")) != NULL; ++at) {
    const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789");
    if (at[length] != '(') continue;
    ++found;
    if (!is_listed(at, length)) fprintf(stderr, "not listed: %.*s\n", (int)length, at);
    CHECK(is_listed(at, length));
  }
  CHECK(found > 0);
}

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  use_samples(argv);
  for (int i = 4; i < argc; ++i) the_lists_have_every_function(argv[i]);
  runtime = open_runtime();
  CHECK_OK(tw_options_create(&options));
  CHECK_OK(tw_bundle_open(path_of("blend.bundle"), &bundle));
  CHECK_OK(tw_best(runtime, &request, &answer));
  CHECK_OK(tw_runtime_kernel(runtime, &request, &kernel));
  every_function_takes_null();
  nulls_in_structs_are_named();
  tw_kernel_destroy(kernel);
  tw_answer_destroy(answer);
  tw_bundle_close(bundle);
  tw_options_destroy(options);
  tw_runtime_close(runtime);
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
