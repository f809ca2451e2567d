// Routines of foreign libraries on the GPU: what they list runs, is right and can be timed.
#include "tuner/cuda/libraries/routines.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

#include "definition/library/hook.hpp"
#include "definition/library/library.hpp"
#include "definition/problem.hpp"
#include "definition/text/suggest.hpp"
#include "tests/gpu/gpu_support.hpp"
#include "tests/support/proof_runner.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"
#include "tuner/sweep/run/sweep.hpp"

namespace tilewright::test {
namespace {

class RoutinesOnGpu : public GpuTest, public testing::WithParamInterface<const char*> {
 protected:
  // The problem "OPERATION DIM=VALUE …".
  void ask(const std::string& text) {
    std::istringstream words(text);
    std::string operation;
    words >> operation;
    const std::vector<std::string> given(std::istream_iterator<std::string>(words), {});
    Settings snippet;
    for (const std::string& word : given)
      if (word.starts_with("epilogue=")) snippet["epilogue"] = word.substr(9);
    family_ = with_snippets(library_.family(operation), snippet, library_.snippets());
    for (const RoutineLibrary& found : cuda::routine_libraries({})) {
      std::cout << found.text() << '\n';
      const Implementation* const routine = find_named(family_.implementations, found.routine);
      if (!found.version.empty() && routine != nullptr) request_.implementations.push_back(routine);
    }
    request_.operation = &family_.operation;
    request_.device = device();
    request_.seed = 42;
    request_.problem = make_problem(family_.operation, given, device());
  }

  void judge(Evaluator& session, const Implementation& implementation,
             const Configuration& configuration) const {
    SCOPED_TRACE(implementation.full_name() + ' ' + tilewright::to_text(configuration.values));
    const KernelPlan kernel =
        plan_kernel(request_, implementation, configuration, {request_.problem}, {});
    const auto loaded = session.load(kernel);
    ASSERT_TRUE(loaded.ok()) << loaded.failure().message;
    const auto verified = session.verify();
    EXPECT_TRUE(verified.ok()) << verified.failure().message;
    for (const CachePolicy cache : {CachePolicy::cold, CachePolicy::warm}) {
      const auto timed = session.sample({.cache = cache});
      ASSERT_TRUE(timed.ok()) << timed.failure().message;
      EXPECT_GT(timed.value().median_us, 0);
    }
  }

  const Library library_ = Library::load({source_folder() / "kernel_templates"});
  Family family_;
  SweepRequest request_;
};

TEST_P(RoutinesOnGpu, AreRightAndCanBeTimed) {
  ask(GetParam());
  if (request_.implementations.empty()) GTEST_SKIP() << "there is no library";
  const auto session = make_proof_session();
  std::vector<Space> spaces = build_spaces(request_);
  list_routines(request_, {"cuda:0", 0, session.get(), nullptr}, spaces);
  session->open(compiled_session(request_, {request_.problem}, compiler()));
  std::size_t configurations = 0;
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    for (const Cut& cut : spaces[i].cuts) std::cout << cut.count << " × " << cut.rule << '\n';
    for (std::size_t j = 0; j < spaces[i].legal.size(); ++j, ++configurations)
      judge(*session, *request_.implementations[i], spaces[i].legal[j]);
  }
  EXPECT_GT(configurations, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Calls, RoutinesOnGpu,
    testing::Values("gemm M=300 N=200 K=100", "gemm M=256 N=256 K=256 precision=tf32",
                    "gemm M=64 N=64 K=64 type_a=float64", "gemm M=512 N=512 K=512 type_a=bfloat16",
                    "gemm M=1 N=4096 K=512 type_a=float16 transpose_b=yes",
                    "gemm M=512 N=256 K=2048 type_a=bfloat16 transpose_a=yes accumulate=yes",
                    "gemm M=256 N=256 K=256 type_a=float8_e4m3 transpose_b=yes",
                    "gemm M=256 N=512 K=256 type_a=float16 precision=float16",
                    "gemm M=256 N=512 K=256 type_a=int8 transpose_b=yes",
                    "gemm M=256 N=512 K=256 type_a=int8 type_c=int8 transpose_b=yes",
                    "gemm M=100 N=60 K=40 batch=3 lda=64 ldb=80 ldc=96 accumulate=yes",
                    "gemm M=300 N=200 K=100 epilogue=bias_gelu",
                    "gemm M=128 N=200 K=64 epilogue=bias_relu accumulate=yes",
                    "gemm M=256 N=200 K=64 type_a=bfloat16 type_c=float32 epilogue=bias",
                    "gemm M=256 N=512 K=64 type_a=bfloat16 epilogue=relu",
                    "gemm M=256 N=512 K=64 type_a=float16 epilogue=gelu",
                    "conv2d width=301 height=200 filter_width=5",
                    "conv2d width=64 height=60 pitch=72 filter_width=7 channels=3 flip=yes",
                    "conv2d width=64 channels=16 filter_width=3 filters=per_channel type=float16",
                    "conv_layer batch=2 channels_in=24 channels_out=40 width=14",
                    "conv_layer batch=2 channels_in=64 width=14 type=float16",
                    "conv_layer batch=2 channels_in=64 width=14 precision=tf32 accumulate=yes",
                    "conv_layer batch=2 channels_in=32 groups=32 width=15 stride_x=2 layout=nchw",
                    "conv_layer batch=2 channels_in=16 width=9 depth=7 type=bfloat16"),
    [](const auto& one) { return "Case" + std::to_string(one.index); });

}  // namespace
}  // namespace tilewright::test
