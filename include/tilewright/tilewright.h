/* SPDX-FileCopyrightText: 2026 The tilewright authors
 * SPDX-License-Identifier: MIT */
#ifndef TILEWRIGHT_TILEWRIGHT_H
#define TILEWRIGHT_TILEWRIGHT_H

#include <stddef.h>
#include <stdint.h>

/* tilewright for C and for languages that call C: libtilewright.so. docs/c-and-python.md shows
 * examples. The library looks up the best configurations on record, launches their kernels, and
 * tunes on request. It prints nothing.
 *
 * Functions that can fail return a tw_status. A function that fails leaves its outputs unchanged.
 * TW_INPUT_ERROR: a handle, a struct, a name or an output is NULL where nothing says that it may
 * be. Functions that return something else give NULL or 0 then, and tw_error_text() says why. Texts
 * are UTF-8 and end with a null character; the library copies the texts that it gets. Handles may
 * be used from many threads, except tw_options. Functions that close or destroy a handle accept
 * NULL, and must not run while the handle is in use. Kernels may outlive what they came from. A
 * child that fork() made opens a runtime of its own. It may launch its parent's kernels on the host
 * device, unless another thread of the parent was in a call then.
 *
 * The caller zeroes a struct before filling it; designated initialisers do that. A field that is
 * NULL or 0 means its default.
 *
 * A struct that begins with `size` may get more fields at its end. The caller writes its own
 * sizeof there, which says which fields it knows:
 *   const tw_request request = {.size = sizeof request, .operation = "gemm"};
 * TW_INPUT_ERROR: it is less than the fields of version 0.3, or more than this library knows and a
 * byte beyond that is not 0. Of the others, tw_operand, tw_tune_array and tw_reference_argument are
 * elements of arrays and tw_scratch goes with every launch: these four will not change. What the
 * library makes and passes by pointer, tw_answer and tw_tune_progress, grows only at its end. */

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_status {
  TW_OK = 0,
  TW_NOTHING = 1,        /* no answer that the question accepts */
  TW_INPUT_ERROR = 2,    /* the caller's name, file, size or argument cannot be used */
  TW_MACHINE_ERROR = 3,  /* no such device, no driver, no compiler, out of memory, … */
  TW_LAUNCH_ERROR = 4,   /* the driver refused a launch, or an earlier one has faulted */
  TW_INTERNAL_ERROR = 5, /* a bug in tilewright: please report it */
} tw_status;

/* One sentence about this thread's last call that did not return TW_OK; "" if there was none. Valid
 * until the next such call of this thread. */
const char* tw_error_text(void);

/* "0.3.0" */
const char* tw_version(void);

/* ---- Options, given as texts. "+" marks keys that may be set several times. Keys:
 *
 * - database: file of results. Without it the manifests' defaults answer.
 * - kernels +: folder of definitions.
 * - manifest +: file of one operation or snippet.
 * - shipped +: file of `tilewright export --format winners`, or a folder of such files.
 * - libraries: "on" (the default): routines of foreign libraries that are here, such as cublasLt's,
 *   take part in sweeps and answer. "off": they do not.
 * - bundle +: file of `tilewright bundle`.
 * - cache: folder of compiled code, shared by processes. Without it no code is kept.
 * - compiling: "when_needed" (the default), or "in_background": a thread compiles code that is
 *   neither in a bundle nor in the cache, and a bundle's next best kernel serves meanwhile. Close
 *   such a runtime before the process ends.
 * - toolkit +: folder that is searched first for NVRTC.
 * - host_compiler: C++ compiler for the host device. Default: c++, g++ or clang++ in /usr/bin.
 * - scratch: folder for temporary files. Default: /tmp.
 * - patience_ms: how long to wait for another process's lock on the database. Default: 1000. */
typedef struct tw_options tw_options;

tw_status tw_options_create(tw_options** options);
/* TW_INPUT_ERROR: an unknown key, or a value that the key cannot have. */
tw_status tw_options_set(tw_options* options, const char* key, const char* value);
/* An override: a configuration that answers wherever it fits, for problems with these values
 * ("M=512"; NULL: all problems). `configuration` names every parameter: "BLOCK_X=32 BLOCK_Y=8". The
 * first override that fits answers; tw_answer.passed_over says why another does not. */
tw_status tw_options_override(tw_options* options, const char* implementation, const char* problem,
                              const char* configuration);
void tw_options_destroy(tw_options* options);

/* ---- Requests. */
typedef struct tw_request {
  size_t size;           /* sizeof(tw_request) */
  const char* operation; /* "gemm", or "gemm/blocked" for that implementation alone; not NULL */
  const char* problem;   /* "M=512 N=512 transpose_b=yes" or "M=N=K=512"; others: defaults */
  const char* device;    /* "cuda:0", "cuda", "host"; NULL or "auto": the first GPU, else host.
                            tw_best also accepts the name of a device with results, or a part of
                            the name that no other device's has (else TW_INPUT_ERROR, whose text
                            lists the devices) */
  const char* cache;     /* "robust", "cold" or "warm"; NULL: robust, on the host warm */
  const char* require;   /* "exact", "device" (measured on this device); NULL or "any" */
  const char* inputs;    /* "memory": on a GPU each launch reads every buffer in device memory;
                            NULL or "any": the kernel may need an input's values in host memory
                            too (tw_argument.by_value). Only tw_runtime_kernel and
                            tw_bundle_kernel accept it */
} tw_request;

/* ---- An answer. The library makes it, the caller reads it.
 * Settings are JSON objects of integers and labels: {"M":512,"transpose_b":"yes"}. */
typedef struct tw_answer {
  const char* implementation;   /* "gemm/blocked" */
  const char* configuration;    /* JSON */
  const char* problem;          /* JSON; the one asked for, completed */
  int rung;                     /* the rung that answered; lower is nearer (docs/catalog.md) */
  const char* rung_name;        /* "exact", "near problem", "default", … */
  double distance;              /* from the question to the measurement; 0: the same */
  double median_us;             /* of one call there, microseconds; 0: not measured */
  const char* measured_problem; /* JSON; {}: not measured */
  const char* measured_device;  /* its name; "": not measured */
  const char* policy;           /* of the measurement: "robust/graph"; "": not measured */
  int64_t measured_at;          /* seconds since 1970, UTC; 0: not measured */
  const char* reason;      /* why no nearer rung answered, or "the sweep is not finished, 61 of 512
                              tried"; "" for exact */
  int stale;               /* 1: measured in another environment, not confirmed since */
  const char* origin;      /* who measured: "own", "imported", "shipped"; "": nobody */
  const char* passed_over; /* what would have answered but cannot run here, and why; or "" */
  double warm_median_us;   /* with warm operands, if the policy is robust, and median_us is
                              with cold ones; else 0 */
  const char* why_stale;   /* "measured at 400 W; this GPU is limited to 700 W"; or "" */
  int power_limit_w;       /* that the GPU had when it measured; 0: not known */
} tw_answer;

/* The value of an integer parameter. TW_INPUT_ERROR: there is none, or its value is a label. */
tw_status tw_answer_value(const tw_answer* answer, const char* parameter, int64_t* value);
void tw_answer_destroy(tw_answer* answer); /* for answers of tw_best */

/* ---- A runtime: definitions, results and prepared kernels. */
typedef struct tw_runtime tw_runtime;

/* Reads definitions and bundles. Opens no database, device or compiler yet. Copies the options;
 * NULL: none. TW_INPUT_ERROR: a definition or a bundle cannot be used. */
tw_status tw_runtime_open(const tw_options* options, tw_runtime** runtime);
void tw_runtime_close(tw_runtime* runtime);

/* The best configuration on record, for the application's own use. Compiles nothing. Sees results
 * that were stored since the runtime was opened. If the database cannot be used, the answer's
 * reason says so. TW_NOTHING: no answer is as strong as required; tw_error_text() says why. */
tw_status tw_best(const tw_runtime* runtime, const tw_request* request, tw_answer** answer);

/* Forgets every kernel that only the runtime holds, and unloads its code. A tw_kernel keeps
 * its kernel. Without this call a runtime keeps every kernel that was asked for. All launches of
 * forgotten kernels must be done, and no CUDA graph may launch them again. `count` gets their
 * number; it may be NULL. */
tw_status tw_runtime_trim(const tw_runtime* runtime, size_t* count);

/* Stores the requests since the last call that had no exact answer, for `tilewright sweep
 * --wanted`: in `file`, which is created if it does not exist, or in the runtime's database if it
 * is NULL. `count` gets their number; it may be NULL. Look-ups count, not launches.
 * TW_MACHINE_ERROR: it cannot be written; the requests are kept for the next call. */
tw_status tw_runtime_store_wanted(const tw_runtime* runtime, const char* file, size_t* count);

/* 32 hexadecimal digits that stand for everything that decides which kernel a request gets:
 * definitions with their sources, results, overrides, bundles and the version. Processes compare
 * them to know that they choose alike. Free it with tw_text_free. TW_MACHINE_ERROR: the database
 * cannot be used; TW_INPUT_ERROR: another file cannot be read. */
tw_status tw_runtime_fingerprint(const tw_runtime* runtime, char** fingerprint);

/* Stored results as a JSON array, newest sweep first; free it with tw_text_free. `what` is "trials"
 * or NULL for one object per trial, "best" for one per implementation, problem, device, policy and
 * power limit. `operation` may be NULL for all. Results match that have all values in `problem` and
 * a device whose name contains `device`. `cache` and `require` must be NULL. If none matches, the
 * array is empty. TW_NOTHING: there is no database; TW_MACHINE_ERROR: it cannot be used. */
tw_status tw_results(const tw_runtime* runtime, const tw_request* request, const char* what,
                     char** json);
void tw_text_free(char* text);

/* ---- A kernel: one problem's, with its best configuration, on one device. */
typedef struct tw_kernel tw_kernel;

/* Equal requests share one kernel as long as the runtime is open. Compiles nothing yet.
 * TW_NOTHING: no answer is as strong as required. */
tw_status tw_runtime_kernel(const tw_runtime* runtime, const tw_request* request,
                            tw_kernel** kernel);
void tw_kernel_destroy(tw_kernel* kernel);

/* What a call of the operation gives, as JSON: {"name", "about", "dimensions": [{"name", "default",
 * "role"}, …], "choices": [{"name", "labels", "default"}, …], "arguments": [{"name", "kind",
 * "role", "count"}, …]}, in the manifest's order and with its words. A default is a number, a label
 * or the text of an expression; a count is such a text. Free it with tw_text_free. TW_INPUT_ERROR:
 * there is no such operation. */
tw_status tw_runtime_operation(const tw_runtime* runtime, const char* operation, char** json);

/* ---- A bundle: kernels in one file, launched without a compiler, a database or definitions. */
typedef struct tw_bundle tw_bundle;

/* TW_INPUT_ERROR: cannot be read, not a bundle, of a newer version, truncated, damaged. */
tw_status tw_bundle_open(const char* file, tw_bundle** bundle);
/* The bundle's kernel for a problem that it holds; else the answer of a look-up in its results, if
 * it has code for that. TW_INPUT_ERROR: it has no code for this problem and device; TW_NOTHING: no
 * answer is as strong as required. `cache` must be NULL. */
tw_status tw_bundle_kernel(const tw_bundle* bundle, const tw_request* request, tw_kernel** kernel);
tw_status tw_bundle_operation(const tw_bundle* bundle, const char* operation,
                              char** json);                       /* as tw_runtime_operation */
tw_status tw_bundle_trim(const tw_bundle* bundle, size_t* count); /* as tw_runtime_trim */
void tw_bundle_close(tw_bundle* bundle);

/* What the look-up found. It lives as long as the kernel and is NULL only for NULL. After
 * tw_kernel_prepare() or a launch it may be another answer, because an answer whose code does not
 * compile or load is replaced by the next best, or because another one serves while code is
 * compiled in the background. */
const tw_answer* tw_kernel_answer(const tw_kernel* kernel);
const char* tw_kernel_device_kind(const tw_kernel* kernel); /* "cuda" or "host" */
const char* tw_kernel_device_name(const tw_kernel* kernel);

/* Takes the code from a bundle or the cache, or compiles it; then loads it. Does nothing if it has
 * succeeded before. After it a launch may be captured in a CUDA graph. If the code fails to compile
 * or load, steps down to the next best answer that the request accepts. With the option compiling=
 * in_background it may load a better kernel once, and so may a launch that is not captured.
 * TW_MACHINE_ERROR: no answer is left. */
tw_status tw_kernel_prepare(const tw_kernel* kernel);

/* The size of the tw_scratch that a launch needs; 0: none. */
int64_t tw_kernel_workspace_bytes(const tw_kernel* kernel);

typedef enum tw_type {
  TW_FLOAT32 = 0,
  TW_FLOAT64 = 1,
  TW_INT32 = 2,
  TW_UINT32 = 3,
  TW_INT64 = 4,
  TW_UINT64 = 5,
  TW_UINT8 = 6,
  TW_INT8 = 7,
  TW_INT16 = 8,
  TW_UINT16 = 9,
  TW_FLOAT16 = 10,
  TW_BFLOAT16 = 11,
  TW_FLOAT8_E4M3 = 12,
  TW_FLOAT8_E5M2 = 13,
  TW_COMPLEX64 = 14, /* two floats: the real and the imaginary part */
} tw_type;

typedef enum tw_kind {
  TW_BUFFER = 0, /* device memory */
  TW_SCALAR = 1, /* one element by value */
  TW_ARRAY = 2,  /* elements by value */
} tw_kind;

typedef enum tw_role { TW_INPUT = 0, TW_OUTPUT = 1, TW_INOUT = 2 } tw_role;

/* An argument that a launch takes. The caller fills in the size, the library the rest. */
typedef struct tw_argument {
  size_t size;      /* sizeof(tw_argument) */
  const char* name; /* lives as long as the kernel */
  tw_kind kind;
  tw_type type;
  tw_role role;
  int64_t count; /* elements */
  int by_value;  /* 1: a GPU needs the values of this buffer in host memory too */
  int prepared;  /* 1: a launch takes this buffer as a tw_prepared */
} tw_argument;

size_t tw_kernel_argument_count(const tw_kernel* kernel);
/* Arguments count from 0, in the order in which tw_kernel_launch takes them. */
tw_status tw_kernel_argument(const tw_kernel* kernel, size_t index, tw_argument* argument);

typedef enum tw_form {
  TW_READ = 0,            /* a buffer that must not be written: for inputs only */
  TW_WRITE = 1,           /* a buffer that may be written: for any role */
  TW_ARRAY_BY_VALUE = 2,  /* host memory, read before the launch returns */
  TW_SCALAR_BY_VALUE = 3, /* one element in host memory, read before the launch returns */
  TW_PREPARED = 4,        /* a tw_prepared of this kernel; all but `data` is ignored */
} tw_form;

/* A count that is not checked. The caller promises at least as many as the kernel needs. */
#define TW_ENOUGH ((int64_t)-1)

/* One argument of a launch. Buffers must be aligned to 16 bytes. A buffer that is written must not
 * overlap another one. */
typedef struct tw_operand {
  int32_t form;       /* a tw_form */
  int32_t type;       /* a tw_type */
  const void* data;   /* written only if form is TW_WRITE */
  int64_t count;      /* elements; ignored for scalars */
  const void* values; /* for tw_argument.by_value: a copy of the buffer in host memory; or NULL */
} tw_operand;

/* An input buffer in the order in which one kernel reads it. Launches of that kernel take it in
 * place of the buffer: form TW_PREPARED, and this as `data`. The buffer, and its `values`, must
 * live and stay as they are until the last launch is done, and this as long, or until no CUDA graph
 * replays such a launch. */
typedef struct tw_prepared tw_prepared;

/* Prepares the input of which tw_argument.prepared is 1, on `stream` as a launch. Other streams
 * must wait for that one. The kernel is the one of a problem with the choice `prepared`: conv2d
 * with filter=prepared. TW_INPUT_ERROR: no argument is prepared, or the input does not match it. */
tw_status tw_kernel_prepare_input(const tw_kernel* kernel, void* stream, const tw_operand* input,
                                  tw_prepared** prepared);
tw_status tw_prepared_again(const tw_prepared* prepared, void* stream); /* its buffer has changed */
int64_t tw_prepared_bytes(const tw_prepared* prepared); /* device memory that it holds; 0: none */
void tw_prepared_destroy(tw_prepared* prepared);

typedef enum tw_scratch_state {
  TW_SCRATCH_UNKNOWN = 0, /* if the kernel needs zeros, the launch clears it on the stream */
  TW_SCRATCH_READY = 1,   /* the same kernel used it last, so nothing is cleared */
} tw_scratch_state;

/* Device memory that a launch works in, aligned to 256 bytes. One launch at a time may use it. */
typedef struct tw_scratch {
  void* memory;
  int64_t bytes; /* at least tw_kernel_workspace_bytes(), or TW_ENOUGH */
  int32_t state; /* a tw_scratch_state */
} tw_scratch;

/* Enqueues one call on `stream`, a cudaStream_t (NULL: the default stream) of the current context.
 * On the host device the call is done on return. Calls tw_kernel_prepare first if nobody has.
 * `scratch` may be NULL if the kernel needs none. TW_INPUT_ERROR: the operands do not match
 * tw_kernel_argument, the scratch is missing, too small or misaligned, or another device is
 * current. Each message begins with the kernel: "gemm/blocked M=512 N=512 K=512: …". */
tw_status tw_kernel_launch(const tw_kernel* kernel, void* stream, const tw_operand* operands,
                           size_t count, const tw_scratch* scratch);

/* ---- Tuning from within a program (docs/tune.md).
 *
 * The values of one input. They are read once, before anything is measured. */
typedef enum tw_memory { TW_HOST_MEMORY = 0, TW_DEVICE_MEMORY = 1 } tw_memory;
typedef struct tw_tune_array {
  const char* argument; /* its name in the manifest */
  const void* data;
  int64_t bytes;  /* exactly the size of the argument in this problem */
  int32_t memory; /* a tw_memory */
} tw_tune_array;

/* One argument of a reference's call, in host memory. Valid only while the reference runs. */
typedef struct tw_reference_argument {
  const char* name;
  tw_type type;
  const void* before; /* the elements before the call; NULL for an output */
  void* after;        /* where the reference writes them; NULL for an input */
  int64_t bytes;      /* of each */
} tw_reference_argument;

/* Writes every `after`. Called once, on the thread of tw_tune, before anything is measured. If it
 * does not return 0, tw_tune ends with TW_INPUT_ERROR. `problem` is JSON. */
typedef int (*tw_reference)(void* context, const char* problem,
                            const tw_reference_argument* arguments, size_t count);

typedef struct tw_tune_progress {
  int64_t planned;            /* configurations to try, including those already on record */
  int64_t done;               /* of the planned ones */
  const char* implementation; /* of the newest */
  const char* configuration;  /* JSON */
  const char* outcome;        /* "measured", "wrong_answer", … */
  double median_us;           /* 0: not measured */
  double best_us;             /* the least so far; 0: none */
} tw_tune_progress;

/* Called after each configuration, on the thread of tw_tune. If it does not return 0, the search
 * ends. Its results are kept, and the same request resumes there. */
typedef int (*tw_progress)(void* context, const tw_tune_progress* progress);

typedef enum tw_recorded {
  TW_USE_RECORDED = 0, /* an equal request on record gives the answer */
  TW_MEASURE_ANEW = 1,
} tw_recorded;

typedef enum tw_isolation {
  TW_OWN_PROCESS = 0,     /* a kernel's fault or hang costs one trial */
  TW_CALLERS_PROCESS = 1, /* a fault destroys this process's primary context of the GPU */
} tw_isolation;

typedef struct tw_tune_request {
  size_t size;           /* sizeof(tw_tune_request) */
  const char* operation; /* "gemm", "gemm/tiled", or a manifest's path that ends in .toml */
  const char* problem;   /* `problem`, `device` and `cache` are as in tw_request */
  const char* device;
  const char* cache;
  const tw_tune_array* arrays; /* inputs; the others are filled as the manifest says */
  size_t array_count;
  tw_reference reference; /* NULL: the operation's own */
  tw_progress progress;   /* NULL: none */
  void* context;          /* for both */
  int64_t budget;         /* 0: all configurations if there are at most 500, else 500, or until the
                             search finds nothing better; TW_ENOUGH: all */
  double time_limit_s;    /* 0: none; at least one configuration is tried */
  const char* strategy;   /* "exhaustive", "random", "model"; NULL: by size and limits */
  const char* where;      /* only configurations for which this expression holds, of the
                             implementations that have all its names; NULL: all */
  uint64_t seed;          /* of every random choice; 0: 1 */
  int32_t recorded;       /* a tw_recorded */
  int32_t isolation;      /* a tw_isolation */
  const char* worker;     /* tilewright-worker; NULL: the one beside the running program */
  int compile_processes;  /* up to 1024; 0: one for each core */
} tw_tune_request;

/* Tunes, and returns when the sweep is done. Database, definitions, cache and compilers are those
 * of the runtime. `json` is the result; free it with tw_text_free:
 * {"implementation", "configuration", "median_us", "interval_low_us", "interval_high_us",
 * "default_us", "problem", "device", "policy", "sweep", "was_on_record", "end", "legal",
 * "outcomes", "failure"}. TW_NOTHING: no configuration was right and timed; the result is written
 * too, and its "failure" and "end" say why. TW_INPUT_ERROR comes before anything is measured.
 * TW_MACHINE_ERROR: no such device, compiler or worker, or the database cannot be used. */
tw_status tw_tune(const tw_runtime* runtime, const tw_tune_request* request, char** json);

#ifdef __cplusplus
}
#endif

#endif
