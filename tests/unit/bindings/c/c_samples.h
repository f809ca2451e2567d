/* SPDX-FileCopyrightText: 2026 The tilewright authors
 * SPDX-License-Identifier: MIT */
#ifndef TILEWRIGHT_TESTS_UNIT_BINDINGS_C_SAMPLES_H
#define TILEWRIGHT_TESTS_UNIT_BINDINGS_C_SAMPLES_H

/* What bindings_samples wrote, for a test in C: PROGRAM SAMPLES KERNEL_TEMPLATES CACHE. */
#include <stdlib.h>

#include "c_check.h"

static const char* samples;
static const char* kernel_templates;
static const char* cache;

static void use_samples(char** argv) {
  samples = argv[1];
  kernel_templates = argv[2];
  cache = argv[3];
}

static char* path_of(const char* name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", samples, name);
  return path;
}

static tw_runtime* open_runtime(void) {
  tw_options* options = NULL;
  tw_runtime* runtime = NULL;
  CHECK_OK(tw_options_create(&options));
  CHECK_OK(tw_options_set(options, "kernels", kernel_templates));
  CHECK_OK(tw_options_set(options, "kernels", path_of("kernels")));
  CHECK_OK(tw_options_set(options, "database", path_of("results.db")));
  CHECK_OK(tw_options_set(options, "cache", cache));
  CHECK_OK(tw_options_set(options, "patience_ms", "50"));
  CHECK_OK(tw_runtime_open(options, &runtime));
  tw_options_destroy(options);
  if (runtime == NULL) exit(1);
  return runtime;
}

#endif
