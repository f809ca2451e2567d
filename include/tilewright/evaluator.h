/* SPDX-FileCopyrightText: 2026 The tilewright authors
 * SPDX-License-Identifier: MIT */
#ifndef TILEWRIGHT_EVALUATOR_H
#define TILEWRIGHT_EVALUATOR_H

#include <tilewright/tilewright.h>

/* For the process of an evaluator that tilewright times (docs/evaluator.md). It has functions of
 * operands, and a session of ours calls them in place of kernels. Both functions answer with JSON
 * of the evaluators' protocol, {"ok": {…}} or {"error": {"kind": …, "text": …}}, which stays until
 * the next call; tw_call may return NULL: all is well. */

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the function of a configuration for the session's problem of that number, in place of an
 * earlier one. `request` is JSON: "device" (its index), "operation", "problem", "configuration",
 * and "operands": for each argument of the operation its "name", "kind", "role", "type" and
 * "count". */
typedef const char* (*tw_prepare)(void* context, size_t problem, const char* request);

/* Enqueues one call on `stream`, a cudaStream_t; on the host device it is NULL, and the call is
 * done on return. `operands` has the addresses of buffers, and of what other arguments hold. */
typedef const char* (*tw_call)(void* context, size_t problem, const void* const* operands,
                               size_t count, void* stream);

/* Serves a sweep on a device of that kind ("cuda", "host") until it ends. `input` and `output` are
 * the descriptors of its messages. The calls are on this thread. */
tw_status tw_serve_callable(const char* device_kind, tw_prepare prepare, tw_call call,
                            void* context, int input, int output);

#ifdef __cplusplus
}
#endif

#endif
