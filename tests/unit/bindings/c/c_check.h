/* SPDX-FileCopyrightText: 2026 The tilewright authors
 * SPDX-License-Identifier: MIT */
#ifndef TILEWRIGHT_TESTS_UNIT_BINDINGS_C_CHECK_H
#define TILEWRIGHT_TESTS_UNIT_BINDINGS_C_CHECK_H

/* Checks for a test in C: main returns whether `failures` is 0. */
#include <stdio.h>
#include <string.h>

#include "tilewright/tilewright.h"

static int failures = 0;

/* The check failed if `holds` is 0; goes on. */
static void check(int holds, int line, const char* text) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "line %d: %s; the last error is: %s\n", line, text, tw_error_text());
}
#define CHECK(condition) check((condition), __LINE__, #condition)
#define CHECK_OK(call) check((call) == TW_OK, __LINE__, #call)

/* That a call gave this status, with this in its sentence. */
static void check_error(tw_status seen, tw_status expected, const char* part, int line) {
  check(seen == expected, line, "another status");
  check(strstr(tw_error_text(), part) != NULL, line, part);
}
#define CHECK_ERROR(call, status, part) check_error((call), (status), (part), __LINE__)

#endif
