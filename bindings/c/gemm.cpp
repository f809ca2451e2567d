#include "tilewright/gemm.hpp"

#include "bindings/c/typed.hpp"

using namespace tilewright::bindings;

struct tw_gemm {
  tw_gemm(const tilewright::Runtime& runtime, const tw_gemm_options& given)
      : typed(runtime, options_of(given)) {}

  static tilewright::GemmOptions options_of(const tw_gemm_options& given) {
    auto options = common_options<tilewright::GemmOptions>(given);
    if (is_set(given.column_major, "column_major"))
      options.order = tilewright::MatrixOrder::column_major;
    return options;
  }

  static tilewright::GemmCall call_of(const tw_gemm_call& given,
                                      std::span<const tilewright::Operand> epilogue) {
    using tilewright::Transpose;
    tilewright::GemmCall call;
    call.transpose_a = is_set(given.transpose_a, "transpose_a") ? Transpose::yes : Transpose::no;
    call.transpose_b = is_set(given.transpose_b, "transpose_b") ? Transpose::yes : Transpose::no;
    call.m = given.m;
    call.n = given.n;
    call.k = given.k;
    call.alpha = given.alpha;
    call.a = given.a;
    call.lda = given.lda;
    call.b = given.b;
    call.ldb = given.ldb;
    call.beta = given.beta;
    call.c = given.c;
    call.ldc = given.ldc;
    if (given.batch != 0) call.batch = given.batch;
    if (given.strides != nullptr) {
      call.stride_a = given.strides[0];
      call.stride_b = given.strides[1];
      call.stride_c = given.strides[2];
    }
    call.epilogue = epilogue;
    return call;
  }

  const tilewright::Gemm typed;
};

tw_status tw_gemm_open(const tw_runtime* runtime, const tw_gemm_options* options, tw_gemm** gemm) {
  return open_typed("tw_gemm_open", runtime, options, gemm);
}

void tw_gemm_close(tw_gemm* gemm) {
  delete gemm;
}

tw_status tw_gemm_kernel(const tw_gemm* gemm, const tw_gemm_call* call, tw_kernel** kernel) {
  return kernel_of_typed("tw_gemm_kernel", gemm, call, kernel);
}

tw_status tw_gemm_launch(const tw_gemm* gemm, void* stream, const tw_gemm_call* call,
                         const tw_scratch* scratch) {
  return launch_typed("tw_gemm_launch", gemm, stream, call, scratch);
}
