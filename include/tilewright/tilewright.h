/* SPDX-FileCopyrightText: 2026 The tilewright authors
 * SPDX-License-Identifier: MIT */
#ifndef TILEWRIGHT_TILEWRIGHT_H
#define TILEWRIGHT_TILEWRIGHT_H

#include <stddef.h>
#include <stdint.h>

/* tilewright for C and for languages that call C: libtilewright.so. docs/c-and-python.md shows it
 * in use. It looks up the best configurations on record, launches their kernels, and tunes where it
 * is asked to; it prints nothing.
 *
 * Whatever can fail returns a tw_status, and leaves what it was to write untouched when it fails.
 * Texts are UTF-8 and end with a null character; those that a call is given are copied. Handles may
 * be used from many threads at once, but for tw_options; destroy functions accept NULL, and must
 * not run while the handle is in use. Kernels may outlive what they came from. Not to be carried
 * across fork().
 *
 * Structs that the caller fills are to be zeroed first (designated initialisers do that): fields
 * that are NULL or 0 mean their defaults. */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_status {
  TW_OK = 0,
  TW_NOTHING = 1,        /* nothing on record that the question accepts */
  TW_INPUT_ERROR = 2,    /* what the caller gave: a name, a file, a size, an argument */
  TW_MACHINE_ERROR = 3,  /* no such device, no driver, no compiler, out of memory, … */
  TW_LAUNCH_ERROR = 4,   /* the driver refused a launch, or an earlier one has faulted */
  TW_INTERNAL_ERROR = 5, /* a mistake of tilewright's: please report it */
} tw_status;

/* One sentence on the last call of this thread that did not return TW_OK; "" before there is one.
 * Valid until the next such call of this thread. */
const char* tw_error_text(void);

/* "0.1.0" */
const char* tw_version(void);

/* ---- Options, given as texts. Keys:
 *   database       file of results; none: manifests' defaults answer
 *   kernels        folder of definitions; may be set again for more of them
 *   manifest       file of one operation or snippet; again for more
 *   shipped        file of `tilewright export --format winners`, or a folder of such; again for
 * more bundle         file of `tilewright bundle`; again for more cache          folder of compiled
 * code, shared by processes; none: nothing is kept toolkit        folder to look for NVRTC in,
 * before others; again for more host_compiler  C++ compiler for the host device; c++, g++ or
 * clang++ of /usr/bin scratch        folder for the host compiler's temporary files; /tmp
 *   patience_ms    how long to wait for another process's lock on the database; 1000 */
typedef struct tw_options tw_options;

tw_status tw_options_create(tw_options** options);
/* TW_INPUT_ERROR: an unknown key, a value that the key cannot have. */
tw_status tw_options_set(tw_options* options, const char* key, const char* value);
/* A configuration to be served whatever was measured, where it fits, for problems that have these
 * values ("M=512"; NULL: all). `configuration` names every parameter: "BLOCK_X=32 BLOCK_Y=8". The
 * first that fits answers; tw_answer.passed_over says why one does not. */
tw_status tw_options_override(tw_options* options, const char* implementation, const char* problem,
                              const char* configuration);
void tw_options_destroy(tw_options* options);

/* ---- What is asked for. */
typedef struct tw_request {
  const char* operation; /* "gemm", or "gemm/blocked" for that implementation alone; not NULL */
  const char* problem;   /* "M=512 N=512 transpose_b=yes", also "M=N=K=512"; the rest: defaults */
  const char* device;    /* "cuda:0", "cuda", "host"; NULL or "auto": the first GPU, else host.
                            tw_best also takes the name of a device with results, or a part of it
                            that is in no other's: where several have it, that is TW_INPUT_ERROR,
                            which lists them */
  const char* cache;     /* "warm" or "cold" operands; NULL: usual for operands of that size */
  const char* require;   /* "exact", "device" (measured on this device); NULL or "any" */
  const char* inputs;    /* "memory": on a GPU the kernel reads every buffer in device memory, at
                            each launch anew; NULL or "any": it may need an input's values in host
                            memory too (tw_argument.by_value). Of tw_runtime_kernel and
                            tw_bundle_kernel alone: others refuse it */
} tw_request;

/* ---- An answer. Made by the library, read by the caller; fields are only ever added at the end.
 * Settings are JSON objects of integers and labels: {"M":512,"transpose_b":"yes"}. */
typedef struct tw_answer {
  const char* implementation;   /* "gemm/blocked" */
  const char* configuration;    /* JSON */
  const char* problem;          /* JSON; the one asked for, completed */
  int rung;                     /* which step answered; lower is nearer (docs/catalog.md) */
  const char* rung_name;        /* "exact", "near problem", "default", … */
  double distance;              /* from what was asked to what was measured; 0: the same */
  double median_us;             /* of one call there, microseconds; 0: not measured */
  const char* measured_problem; /* JSON; {}: not measured */
  const char* measured_device;  /* its name; "": not measured */
  const char* policy;           /* of the measurement: "warm/graph"; "": not measured */
  int64_t measured_at;          /* seconds since 1970, UTC; 0: not measured */
  const char* reason;           /* why nothing nearer answers; "" after exact */
  int stale;                    /* 1: measured under other software, not confirmed since */
  const char* origin;           /* who measured: "own", "imported", "shipped"; "": nobody */
  const char* passed_over;      /* what would have answered and cannot run here, and why; or "" */
} tw_answer;

/* An integer of the configuration. TW_INPUT_ERROR: it has no such parameter, or a label. */
tw_status tw_answer_value(const tw_answer* answer, const char* parameter, int64_t* value);
void tw_answer_destroy(tw_answer* answer); /* of tw_best */

/* ---- A runtime: definitions, results, and kernels made ready. */
typedef struct tw_runtime tw_runtime;

/* Reads definitions and bundles; opens no database, device or compiler yet. Options are copied;
 * NULL: none. TW_INPUT_ERROR: a definition or a bundle that cannot be used. */
tw_status tw_runtime_open(const tw_options* options, tw_runtime** runtime);
void tw_runtime_close(tw_runtime* runtime);

/* The best configuration on record for an application's own use; nothing is compiled. Follows the
 * database: results stored since are seen. A database that cannot be used is a reason in the
 * answer. TW_NOTHING: nothing as strong as is required; tw_error_text() says why. */
tw_status tw_best(const tw_runtime* runtime, const tw_request* request, tw_answer** answer);

/* Forgets every kernel that nothing else holds, neither a tw_kernel nor a tw_gemm, tw_conv2d or
 * tw_conv1d that has launched or given it, and unloads its code: without this a runtime keeps every
 * kernel that it was asked for. Launches of those must be done, and no CUDA graph may launch them
 * again. `count`, which may be NULL: how many there were. */
tw_status tw_runtime_trim(const tw_runtime* runtime, size_t* count);

/* Stored results as a JSON array, newest sweep first; free it with tw_text_free. `what`: "trials",
 * one object for every configuration that was tried, or "best", one for each implementation,
 * problem, device and policy; NULL: trials. `operation` may be NULL for all; `problem` holds what
 * must be equal, `device` a part of its name; `cache` and `require` must be NULL. No match is an
 * empty array. TW_NOTHING: there is no database; TW_MACHINE_ERROR: it cannot be used. */
tw_status tw_results(const tw_runtime* runtime, const tw_request* request, const char* what,
                     char** json);
void tw_text_free(char* text);

/* ---- A kernel: one problem's, with its best configuration, on one device. */
typedef struct tw_kernel tw_kernel;

/* The first answer for a request stands as long as the runtime is open; nothing is compiled yet.
 * TW_NOTHING: nothing as strong as is required. */
tw_status tw_runtime_kernel(const tw_runtime* runtime, const tw_request* request,
                            tw_kernel** kernel);
void tw_kernel_destroy(tw_kernel* kernel);

/* ---- A bundle: kernels in one file, launched with no compiler, database or definitions. */
typedef struct tw_bundle tw_bundle;

/* TW_INPUT_ERROR: cannot be read, not a bundle, newer, truncated, damaged. */
tw_status tw_bundle_open(const char* file, tw_bundle** bundle);
/* Its own kernel for a problem that it holds, else what a look-up in its results gives, as far as
 * it has code for that. TW_INPUT_ERROR: it has none, or none for this device; TW_NOTHING: nothing
 * as strong as is required. `cache` must be NULL. */
tw_status tw_bundle_kernel(const tw_bundle* bundle, const tw_request* request, tw_kernel** kernel);
tw_status tw_bundle_trim(const tw_bundle* bundle, size_t* count); /* as tw_runtime_trim */
void tw_bundle_close(tw_bundle* bundle);

/* What the look-up said; lives as long as the kernel. Never NULL. After tw_kernel_prepare() or a
 * launch it may be another: what does not compile or load makes way for the next best. */
const tw_answer* tw_kernel_answer(const tw_kernel* kernel);
const char* tw_kernel_device_kind(const tw_kernel* kernel); /* "cuda" or "host" */
const char* tw_kernel_device_name(const tw_kernel* kernel);

/* Compiles or takes the code from a bundle or the cache, and loads it. Does nothing more once it
 * has succeeded. After it a launch may be captured in a CUDA graph. Steps down to the next best
 * answer that the request accepts where that fails; TW_MACHINE_ERROR where none is left. */
tw_status tw_kernel_prepare(const tw_kernel* kernel);

/* Bytes of device memory that a launch works in; 0: none. */
int64_t tw_kernel_workspace_bytes(const tw_kernel* kernel);

typedef enum tw_type {
  TW_FLOAT32 = 0,
  TW_FLOAT64 = 1,
  TW_INT32 = 2,
  TW_UINT32 = 3,
  TW_INT64 = 4,
  TW_UINT64 = 5,
  TW_UINT8 = 6,
} tw_type;

typedef enum tw_kind {
  TW_BUFFER = 0, /* memory of the device */
  TW_SCALAR = 1, /* one element by value */
  TW_ARRAY = 2,  /* elements by value */
} tw_kind;

typedef enum tw_role { TW_INPUT = 0, TW_OUTPUT = 1, TW_INOUT = 2 } tw_role;

/* An argument that a launch takes. */
typedef struct tw_argument {
  const char* name; /* lives as long as the kernel */
  tw_kind kind;
  tw_type type;
  tw_role role;
  int64_t count; /* elements */
  int by_value;  /* 1: a GPU needs the values of this buffer in host memory too */
} tw_argument;

size_t tw_kernel_argument_count(const tw_kernel* kernel);
/* From 0, in the order in which tw_kernel_launch takes them. */
tw_status tw_kernel_argument(const tw_kernel* kernel, size_t index, tw_argument* argument);

typedef enum tw_form {
  TW_READ = 0,            /* a buffer that must not be written: for inputs */
  TW_WRITE = 1,           /* a buffer, for any role */
  TW_ARRAY_BY_VALUE = 2,  /* host memory, read before the launch returns */
  TW_SCALAR_BY_VALUE = 3, /* one element in host memory, read before the launch returns */
} tw_form;

/* A count that is not checked: as many as the kernel's argument has, or more. */
#define TW_ENOUGH ((int64_t)-1)

/* One argument of a launch. Buffers are aligned to 16 bytes; what is written overlaps nothing. */
typedef struct tw_operand {
  int32_t form;       /* a tw_form */
  int32_t type;       /* a tw_type */
  const void* data;   /* written through only where form is TW_WRITE */
  int64_t count;      /* elements there are; scalars have one, whatever it says */
  const void* values; /* of a buffer, for tw_argument.by_value: a copy in host memory; or NULL */
} tw_operand;

typedef enum tw_scratch_state {
  TW_SCRATCH_UNKNOWN = 0, /* cleared on the stream where the kernel needs zeros */
  TW_SCRATCH_READY = 1,   /* the last to use it was a launch of the same kernel: saves that */
} tw_scratch_state;

/* Device memory for a launch to work in, aligned to 256 bytes. No two launches at once. */
typedef struct tw_scratch {
  void* memory;
  int64_t bytes; /* at least tw_kernel_workspace_bytes(), or TW_ENOUGH */
  int32_t state; /* a tw_scratch_state */
} tw_scratch;

/* Enqueues one call on `stream`, a cudaStream_t (NULL: the default stream) of the current context;
 * on the host device it is done on return. Prepares first where that has not been done. `scratch`
 * may be NULL where the kernel needs none. TW_INPUT_ERROR: operands that are not what
 * tw_kernel_argument says, scratch that is missing, too small or misaligned, another device is
 * current. Each message begins with the implementation: "gemm/blocked M=512 N=512 K=512: …". */
tw_status tw_kernel_launch(const tw_kernel* kernel, void* stream, const tw_operand* operands,
                           size_t count, const tw_scratch* scratch);

/* ---- Tuning from within a program: docs/tune.md says what is measured, judged and kept.
 *
 * The values of one input. Read once, before anything is measured. */
typedef enum tw_memory { TW_HOST_MEMORY = 0, TW_DEVICE_MEMORY = 1 } tw_memory;
typedef struct tw_tune_array {
  const char* argument; /* its name in the manifest */
  const void* data;
  int64_t bytes;  /* exactly those of the argument in this problem */
  int32_t memory; /* a tw_memory */
} tw_tune_array;

/* One argument of the call that a reference is asked about, in host memory, while it is asked. */
typedef struct tw_reference_argument {
  const char* name;
  tw_type type;
  const void* before; /* before the call; NULL: an output */
  void* after;        /* to be written; NULL: an input */
  int64_t bytes;      /* of each */
} tw_reference_argument;

/* Writes every `after`. Called once, on the thread of tw_tune, before anything is measured. Another
 * return than 0 ends tw_tune with TW_INPUT_ERROR. `problem` is JSON. */
typedef int (*tw_reference)(void* context, const char* problem,
                            const tw_reference_argument* arguments, size_t count);

typedef struct tw_tune_progress {
  int64_t planned;            /* configurations to try, those already on record included */
  int64_t done;               /* of these */
  const char* implementation; /* of the newest */
  const char* configuration;  /* JSON */
  const char* outcome;        /* "measured", "wrong_answer", … */
  double median_us;           /* 0: not measured */
  double best_us;             /* the least so far; 0: none */
} tw_tune_progress;

/* After each configuration, on the thread of tw_tune. Another return than 0 ends the search; what
 * was measured is kept, and the same request goes on from there. */
typedef int (*tw_progress)(void* context, const tw_tune_progress* progress);

typedef enum tw_recorded {
  TW_USE_RECORDED = 0, /* the very same request, if on record, is not measured again */
  TW_MEASURE_ANEW = 1,
} tw_recorded;

typedef enum tw_isolation {
  TW_OWN_PROCESS = 0,     /* a kernel's fault or hang costs one trial */
  TW_CALLERS_PROCESS = 1, /* in this process, in a GPU's primary context, and at its peril */
} tw_isolation;

typedef struct tw_tune_request {
  const char* operation; /* "gemm", "gemm/tiled", or a manifest's path that ends in .toml */
  const char* problem;   /* as in tw_request; so `device` and `cache` */
  const char* device;
  const char* cache;
  const tw_tune_array* arrays; /* inputs; the others are filled as the manifest says */
  size_t array_count;
  tw_reference reference; /* NULL: the operation's own */
  tw_progress progress;   /* NULL: none */
  void* context;          /* for both */
  int64_t budget;         /* configurations to try; 0: all up to 500, else 500 or until nothing
                             better was found for long; TW_ENOUGH: all */
  double time_limit_s;    /* 0: none */
  const char* strategy;   /* "exhaustive", "random", "local", "genetic", "model"; NULL: by size */
  const char* where;      /* only configurations for which this expression holds; NULL: all */
  uint64_t seed;          /* of every random choice; 0: 1 */
  int32_t recorded;       /* a tw_recorded */
  int32_t isolation;      /* a tw_isolation */
  const char* worker;     /* the tilewright-worker program; NULL: the one beside this program */
  int compile_processes;  /* up to 1024; 0: one for each core */
} tw_tune_request;

/* Tunes into the runtime's database, and returns when it is done; folders of kernels, manifests,
 * cache and compilers are the runtime's. `json` is the result, to be freed with tw_text_free:
 * {"implementation", "configuration", "median_us", "interval_low_us", "interval_high_us",
 * "default_us", "problem", "device", "policy", "sweep", "was_on_record", "end", "legal",
 * "outcomes", "failure"}. TW_NOTHING, with the result written too: no configuration was right and
 * timed; "failure" and "end" say why. TW_INPUT_ERROR before anything is measured; TW_MACHINE_ERROR:
 * no device, compiler or worker, an unusable database. */
tw_status tw_tune(const tw_runtime* runtime, const tw_tune_request* request, char** json);

#ifdef __cplusplus
}
#endif

#endif
