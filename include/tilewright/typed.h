/* SPDX-FileCopyrightText: 2026 The tilewright authors
 * SPDX-License-Identifier: MIT */
#ifndef TILEWRIGHT_TYPED_H
#define TILEWRIGHT_TYPED_H

#include "tilewright/tilewright.h"

/* Matrix products and convolutions, with plain arguments instead of a tw_request and operands.
 * Their types are TW_FLOAT32, TW_FLOAT64, TW_FLOAT16 and TW_BFLOAT16, and those of products also
 * TW_FLOAT8_E4M3, TW_FLOAT8_E5M2 and TW_INT8, and of C TW_INT32. TW_INT8 goes with TW_INT8,
 * TW_FLOAT16 and TW_BFLOAT16. Each size has its own best kernel, which is looked up once and then
 * found without a lock. Handles may be used from many threads and may outlive their runtime. The
 * rules of tilewright.h hold here too. */

#ifdef __cplusplus
extern "C" {
#endif

/* ---- C = epilogue(alpha · op(A) · op(B) + beta · C): op(A) is m × k, op(B) is k × n. */
typedef struct tw_gemm tw_gemm;

/* The settings that all calls share. */
typedef struct tw_gemm_options {
  size_t size;                /* sizeof(tw_gemm_options) */
  const char* device;         /* `device`, `cache` and `require` are as in tw_request */
  int32_t column_major;       /* 1: as in BLAS; 0: row-major */
  const char* epilogue;       /* name of a snippet; for row-major matrices only */
  const char* implementation; /* only this one, such as "blocked"; NULL: the fastest */
  const char* cache;
  const char* require;
} tw_gemm_options;

/* How products are formed and summed. */
typedef enum tw_precision {
  TW_PRECISION_USUAL = 0, /* float64 if A or B is, int32 if both are int8, else float32 */
  TW_PRECISION_FLOAT32 = 1,
  TW_PRECISION_FLOAT64 = 2,
  TW_PRECISION_TF32 = 3,    /* float32 matrices, of which 10 bits of mantissa may be used */
  TW_PRECISION_FLOAT16 = 4, /* float16 matrices, whose sums may be kept in float16 */
  TW_PRECISION_INT32 = 5,   /* int8 matrices, exactly */
} tw_precision;

typedef struct tw_gemm_call {
  size_t size;         /* sizeof(tw_gemm_call) */
  int32_t transpose_a; /* 1: A is stored as k × m */
  int32_t transpose_b; /* 1: B is stored as n × k */
  int64_t m;
  int64_t n;
  int64_t k;
  int32_t type_a; /* a tw_type; 0 is TW_FLOAT32 */
  int32_t type_b;
  int32_t type_c;
  int32_t precision; /* a tw_precision */
  double alpha;      /* has no default: 0 means 0; as beta rounded to float64 with that precision,
                        else to float32; whole where C is int32 */
  const void* a;
  int64_t lda; /* elements from row to row (column_major: column to column); 0: no gaps */
  const void* b;
  int64_t ldb;
  double beta; /* 0: C is not read */
  void* c;
  int64_t ldc;
  int64_t batch;          /* number of products; 0: one */
  const int64_t* strides; /* of A, B, C: elements from one matrix to the next of the batch; 0: all
                             products share one matrix; NULL: no gaps */
  const tw_operand* epilogue; /* the snippet's arguments, in its order */
  size_t epilogue_count;
} tw_gemm_call;

/* `options` NULL: defaults. */
tw_status tw_gemm_open(const tw_runtime* runtime, const tw_gemm_options* options, tw_gemm** gemm);
void tw_gemm_close(tw_gemm* gemm);
/* The kernel for the call's sizes, types, precision and transposes, and whether beta is 0.
 * Pointers, alpha and the epilogue's arguments do not matter. Use it for tw_kernel_prepare and
 * tw_kernel_workspace_bytes. TW_INPUT_ERROR: sizes or types that the operation does not have;
 * TW_NOTHING: no answer is as strong as required. */
tw_status tw_gemm_kernel(const tw_gemm* gemm, const tw_gemm_call* call, tw_kernel** kernel);
/* As tw_kernel_launch. */
tw_status tw_gemm_launch(const tw_gemm* gemm, void* stream, const tw_gemm_call* call,
                         const tw_scratch* scratch);

/* ---- Convolutions. */
typedef struct tw_convolution_options {
  size_t size;                 /* sizeof(tw_convolution_options) */
  const char* device;          /* `device`, `cache` and `require` are as in tw_request */
  const char* boundary;        /* values beyond the edges: "zero", "replicate", "reflect", "mirror",
                                  "wrap"; SciPy calls them constant, nearest, reflect, mirror, wrap;
                                  NULL: zero */
  int32_t flip;                /* 1: convolution; 0: correlation */
  int32_t filters_per_channel; /* 1: each channel has its own filter; 2-D only */
  const char* epilogue;        /* name of a snippet */
  const char* implementation;  /* only this one, such as "halo"; NULL: the fastest */
  const char* cache;
  const char* require;
} tw_convolution_options;

/* output[y, x] = epilogue(sum over j, i of filter[j, i] · image[y + j − anchor y, x + i − anchor
 * x]) for each of batch · channels planes, which follow each other in memory. */
typedef struct tw_conv2d tw_conv2d;
typedef struct tw_conv2d_call {
  size_t size; /* sizeof(tw_conv2d_call) */
  int64_t width;
  int64_t height;
  int64_t filter_width;
  int64_t filter_height;
  int64_t channels;      /* 0: one */
  int64_t batch;         /* 0: one */
  int64_t pitch;         /* elements from row to row; 0: the width */
  const int64_t* anchor; /* x, y; NULL: half the filter's width and height, rounded down */
  int32_t type;          /* a tw_type, of image, filter and output; 0 is TW_FLOAT32 */
  const void* image;
  const void* filter;
  const void* filter_values; /* a copy of the filter in host memory, or NULL: see below */
  void* output;
  const tw_operand* epilogue; /* the snippet's arguments, in its order */
  size_t epilogue_count;
} tw_conv2d_call;

/* The filter on a GPU. The fastest configurations pass small filters by value: their launches read
 * `filter_values` before they return, and a captured launch keeps these values for every replay.
 * Give the copy and keep it equal to `filter`.
 *
 * Without `filter_values` the kernel reads `filter` in device memory. Each launch, and each replay
 * of a graph, reads what is there at that point of the stream. Nothing is copied, nothing waits,
 * the filter may change at any time, and a prepared kernel may be captured. The cost is speed: taps
 * from shared memory ran at 85 to 93 % of the rate of taps by value on an H200, and nobody has
 * measured that kernel (docs/c-and-python.md). Calls with and without `filter_values` may have
 * different kernels: prepare the one that you launch. */

tw_status tw_conv2d_open(const tw_runtime* runtime, const tw_convolution_options* options,
                         tw_conv2d** convolution);
void tw_conv2d_close(tw_conv2d* convolution);
tw_status tw_conv2d_kernel(const tw_conv2d* convolution, const tw_conv2d_call* call,
                           tw_kernel** kernel);
tw_status tw_conv2d_launch(const tw_conv2d* convolution, void* stream, const tw_conv2d_call* call,
                           const tw_scratch* scratch);

/* output[y, x] = epilogue(sum over j, i of column_filter[j] · row_filter[i] · image[y + j − anchor
 * y, x + i − anchor x]) for each plane as above. Long filters may be served by a kernel that needs
 * a tw_scratch. */
typedef struct tw_conv2d_separable tw_conv2d_separable;
typedef struct tw_conv2d_separable_call {
  size_t size; /* sizeof(tw_conv2d_separable_call) */
  int64_t width;
  int64_t height;
  int64_t filter_width;  /* taps of row_filter, at most 129 */
  int64_t filter_height; /* taps of column_filter, at most 129 */
  int64_t channels;      /* 0: one */
  int64_t batch;         /* 0: one */
  int64_t pitch;         /* elements from row to row; 0: the width */
  const int64_t* anchor; /* x, y; NULL: half the filters' lengths, rounded down */
  int32_t type;          /* a tw_type, of image, filters and output; 0 is TW_FLOAT32 */
  const void* image;
  const void* row_filter;
  const void* column_filter;
  const void* row_filter_values;    /* copies in host memory, of both filters or of neither: as */
  const void* column_filter_values; /* filter_values above */
  void* output;
  const tw_operand* epilogue;
  size_t epilogue_count;
} tw_conv2d_separable_call;

tw_status tw_conv2d_separable_open(const tw_runtime* runtime, const tw_convolution_options* options,
                                   tw_conv2d_separable** convolution);
void tw_conv2d_separable_close(tw_conv2d_separable* convolution);
tw_status tw_conv2d_separable_kernel(const tw_conv2d_separable* convolution,
                                     const tw_conv2d_separable_call* call, tw_kernel** kernel);
/* Also TW_INPUT_ERROR if only one filter has its values. */
tw_status tw_conv2d_separable_launch(const tw_conv2d_separable* convolution, void* stream,
                                     const tw_conv2d_separable_call* call,
                                     const tw_scratch* scratch);

/* output[i] = epilogue(sum over t of filter[t] · signal[i + t − taps / 2]) for each of `batch`
 * signals, which follow each other in memory. */
typedef struct tw_conv1d tw_conv1d;
typedef struct tw_conv1d_call {
  size_t size; /* sizeof(tw_conv1d_call) */
  int64_t length;
  int64_t taps;
  int64_t batch; /* 0: one */
  int32_t type;  /* as in 2-D */
  const void* signal;
  const void* filter;
  const void* filter_values; /* both as in 2-D */
  void* output;
  const tw_operand* epilogue;
  size_t epilogue_count;
} tw_conv1d_call;

tw_status tw_conv1d_open(const tw_runtime* runtime, const tw_convolution_options* options,
                         tw_conv1d** convolution);
void tw_conv1d_close(tw_conv1d* convolution);
tw_status tw_conv1d_kernel(const tw_conv1d* convolution, const tw_conv1d_call* call,
                           tw_kernel** kernel);
tw_status tw_conv1d_launch(const tw_conv1d* convolution, void* stream, const tw_conv1d_call* call,
                           const tw_scratch* scratch);

/* output[z, y, x] = epilogue(sum over k, j, i of filter[k, j, i] · volume[z + k − anchor z, y + j −
 * anchor y, x + i − anchor x]) for each of batch · channels volumes, which follow each other in
 * memory. */
typedef struct tw_conv3d tw_conv3d;
typedef struct tw_conv3d_call {
  size_t size; /* sizeof(tw_conv3d_call) */
  int64_t width;
  int64_t height;
  int64_t depth;
  int64_t filter_width;
  int64_t filter_height;
  int64_t filter_depth;
  int64_t channels;      /* 0: one */
  int64_t batch;         /* 0: one */
  int64_t pitch;         /* elements from row to row; 0: the width */
  const int64_t* anchor; /* x, y, z; NULL: half the filter's sizes, rounded down */
  int32_t type;          /* as in 2-D */
  const void* volume;
  const void* filter;
  const void* filter_values; /* both as in 2-D */
  void* output;
  const tw_operand* epilogue;
  size_t epilogue_count;
} tw_conv3d_call;

tw_status tw_conv3d_open(const tw_runtime* runtime, const tw_convolution_options* options,
                         tw_conv3d** convolution);
void tw_conv3d_close(tw_conv3d* convolution);
tw_status tw_conv3d_kernel(const tw_conv3d* convolution, const tw_conv3d_call* call,
                           tw_kernel** kernel);
tw_status tw_conv3d_launch(const tw_conv3d* convolution, void* stream, const tw_conv3d_call* call,
                           const tw_scratch* scratch);

/* ---- Star stencils over volumes. */
typedef struct tw_stencil3d_options {
  size_t size;          /* sizeof(tw_stencil3d_options) */
  const char* device;   /* `device`, `cache` and `require` are as in tw_request */
  const char* boundary; /* as in tw_convolution_options, or "fixed": points nearer to a face than
                           the radius keep their values; NULL: zero */
  const char* epilogue; /* name of a snippet, for one step only */
  const char* implementation; /* only this one, such as "march"; NULL: the fastest */
  const char* cache;
  const char* require;
} tw_stencil3d_options;

/* `steps` steps over each of `batch` volumes, which follow each other in memory: next[z, y, x] =
 * c0 · v[z, y, x] + sum over r = 1 … radius of cx[r] · (v[z, y, x − r] + v[z, y, x + r]) + cy[r] ·
 * (v[z, y − r, x] + v[z, y + r, x]) + cz[r] · (v[z − r, y, x] + v[z + r, y, x]). */
typedef struct tw_stencil3d tw_stencil3d;
typedef struct tw_stencil3d_call {
  size_t size; /* sizeof(tw_stencil3d_call) */
  int64_t width;
  int64_t height;
  int64_t depth;
  int64_t radius;    /* 1 to 4 */
  int64_t steps;     /* 0: the field is copied */
  int64_t batch;     /* 0: one */
  int64_t pitch;     /* elements from row to row; 0: the width */
  int32_t type;      /* a tw_type, of field and output; 0 is TW_FLOAT32 */
  const void* field; /* stays unchanged */
  const void*
      coefficients; /* in host memory, read before the launch returns: c0, then `radius` of
                       each of cx, cy and cz; doubles if the type is TW_FLOAT64, else floats */
  void* output;
  const tw_operand* epilogue; /* the snippet's arguments, in its order */
  size_t epilogue_count;
} tw_stencil3d_call;

tw_status tw_stencil3d_open(const tw_runtime* runtime, const tw_stencil3d_options* options,
                            tw_stencil3d** stencil);
void tw_stencil3d_close(tw_stencil3d* stencil);
/* Of several steps the kernel may need a workspace: tw_kernel_workspace_bytes. */
tw_status tw_stencil3d_kernel(const tw_stencil3d* stencil, const tw_stencil3d_call* call,
                              tw_kernel** kernel);
tw_status tw_stencil3d_launch(const tw_stencil3d* stencil, void* stream,
                              const tw_stencil3d_call* call, const tw_scratch* scratch);

#ifdef __cplusplus
}
#endif

#endif
