/* SPDX-FileCopyrightText: 2026 The tilewright authors
 * SPDX-License-Identifier: MIT */

/* Filters and stencils of volumes on the host device:
 *   c_volumes_test SAMPLES KERNEL_TEMPLATES CACHE */
#include <stdalign.h>
#include <tilewright/typed.h>

#include "c_samples.h"

/* 3 planes of 1 × 2. */
static const alignas(16) float volume[6] = {1, 2, 3, 4, 5, 6};
static alignas(16) float output[6];

static void filters(tw_runtime* runtime) {
  const tw_convolution_options on_host = {.size = sizeof on_host, .device = "host"};
  tw_conv3d* filter = NULL;
  CHECK_OK(tw_conv3d_open(runtime, &on_host, &filter));
  if (filter == NULL) return;
  alignas(16) const float pair[2] = {1, 10};
  const int64_t anchor[3] = {0, 0, 0};
  tw_conv3d_call call = {.size = sizeof call, .width = 2, .height = 1, .depth = 3};
  call.filter_width = call.filter_height = 1;
  call.filter_depth = 2;
  call.anchor = anchor;
  call.volume = volume;
  call.filter = pair;
  call.output = output;
  CHECK_OK(tw_conv3d_launch(filter, NULL, &call, NULL));
  const float expected[6] = {31, 42, 53, 64, 5, 6};
  CHECK(memcmp(output, expected, sizeof expected) == 0);
  tw_kernel* kernel = NULL;
  CHECK_OK(tw_conv3d_kernel(filter, &call, &kernel));
  tw_kernel_destroy(kernel);
  call.filter_depth = 10;
  CHECK_ERROR(tw_conv3d_launch(filter, NULL, &call, NULL), TW_INPUT_ERROR, "filter_depth=10");
  tw_conv3d_close(filter);
}

static void stencils(tw_runtime* runtime) {
  const tw_stencil3d_options options = {
      .size = sizeof options, .device = "host", .boundary = "wrap"};
  tw_stencil3d* stencil = NULL;
  CHECK_OK(tw_stencil3d_open(runtime, &options, &stencil));
  if (stencil == NULL) return;
  const float coefficients[4] = {1, 0, 0, 10};
  tw_stencil3d_call call = {.size = sizeof call, .width = 2, .height = 1, .depth = 3, .radius = 1};
  call.field = volume;
  call.coefficients = coefficients;
  call.output = output;
  CHECK_OK(tw_stencil3d_launch(stencil, NULL, &call, NULL));
  CHECK(memcmp(output, volume, sizeof volume) == 0); /* no step */
  call.steps = 1;
  CHECK_OK(tw_stencil3d_launch(stencil, NULL, &call, NULL));
  const float expected[6] = {81, 102, 63, 84, 45, 66};
  CHECK(memcmp(output, expected, sizeof expected) == 0);
  tw_kernel* kernel = NULL;
  CHECK_OK(tw_stencil3d_kernel(stencil, &call, &kernel));
  tw_kernel_destroy(kernel);
  call.radius = 5;
  CHECK_ERROR(tw_stencil3d_launch(stencil, NULL, &call, NULL), TW_INPUT_ERROR, "radius=5");
  tw_stencil3d_close(stencil);
  const tw_stencil3d_options wrong = {.size = sizeof wrong, .boundary = "open"};
  CHECK_ERROR(tw_stencil3d_open(runtime, &wrong, &stencil), TW_INPUT_ERROR,
              "boundary 'open': give zero, replicate, reflect, mirror, wrap or fixed");
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  use_samples(argv);
  tw_conv3d_close(NULL);
  tw_stencil3d_close(NULL);
  tw_runtime* runtime = open_runtime();
  filters(runtime);
  stencils(runtime);
  tw_runtime_close(runtime);
  printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
