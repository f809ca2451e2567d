// Routines of foreign libraries on the GPU: what they list runs, is right and can be timed.
#include "tuner/cuda/libraries/routines.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

#include "definition/library/library.hpp"
#include "definition/problem.hpp"
#include "tests/gpu/gpu_support.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"
#include "tuner/sweep/run/sweep.hpp"

namespace tilewright::test {
namespace {

class RoutinesOnGpu : public GpuTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    request_.operation = &family_.operation;
    for (const RoutineLibrary& found : cuda::routine_libraries({})) {
      std::cout << found.text() << '\n';
      if (!found.version.empty())
        request_.implementations.push_back(&family_.implementation(found.routine));
    }
    if (request_.implementations.empty()) GTEST_SKIP() << "there is no library";
    request_.device = device();
    request_.seed = 42;
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
  const Family& family_ = library_.family("gemm");
  SweepRequest request_;
};

TEST_P(RoutinesOnGpu, AreRightAndCanBeTimed) {
  std::istringstream words(GetParam());
  const std::vector<std::string> given(std::istream_iterator<std::string>(words), {});
  request_.problem = make_problem(family_.operation, given, device());
  const auto session = make_proof_session();
  std::vector<Space> spaces = build_spaces(request_);
  list_routines(request_, {"cuda:0", 0, session.get(), nullptr}, spaces);
  session->open(plan_session(request_, {request_.problem}, {}, {}, {}));
  std::size_t configurations = 0;
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    for (const Cut& cut : spaces[i].cuts) std::cout << cut.count << " × " << cut.rule << '\n';
    for (std::size_t j = 0; j < spaces[i].legal.size(); ++j, ++configurations)
      judge(*session, *request_.implementations[i], spaces[i].legal[j]);
  }
  EXPECT_GT(configurations, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Products, RoutinesOnGpu,
    testing::Values("M=300 N=200 K=100", "M=256 N=256 K=256 precision=tf32",
                    "M=64 N=64 K=64 type_a=float64", "M=512 N=512 K=512 type_a=bfloat16",
                    "M=1 N=4096 K=512 type_a=float16 transpose_b=yes",
                    "M=512 N=256 K=2048 type_a=bfloat16 transpose_a=yes accumulate=yes",
                    "M=256 N=256 K=256 type_a=float8_e4m3 transpose_b=yes",
                    "M=256 N=512 K=256 type_a=float16 precision=float16",
                    "M=256 N=512 K=256 type_a=int8 transpose_b=yes",
                    "M=256 N=512 K=256 type_a=int8 type_c=int8 transpose_b=yes",
                    "M=100 N=60 K=40 batch=3 lda=64 ldb=80 ldc=96 accumulate=yes"),
    [](const auto& info) { return "Case" + std::to_string(info.index); });

}  // namespace
}  // namespace tilewright::test
