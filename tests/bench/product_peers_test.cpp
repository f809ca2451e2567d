// What the comparison of products needs no GPU for.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "bench/peers/cases/gemm_problem.hpp"
#include "bench/peers/cases/rounds.hpp"
#include "bench/peers/cases/tensor_cases.hpp"
#include "bench/peers/rivals/convert.hpp"
#include "bench/peers/rivals/cublas.hpp"
#include "bench/peers/rivals/rivals.hpp"
#include "definition/library/library.hpp"
#include "definition/problem.hpp"
#include "tests/bench/case_problem.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tilewright::bench {
namespace {

cuda::LtProblem product_of(const std::string& name) {
  const auto [operation, problem] = defined(case_named(name));
  SweepRequest request;
  request.operation = &operation;
  request.problem = problem;
  return product_problem(request);
}

TEST(TensorCases, HaveEveryShapeInBothLayoutsOf16Bits) {
  std::set<std::string> names;
  for (const Case& item : tensor_cases()) names.insert(item.name);
  EXPECT_EQ(names.size(), tensor_cases().size());
  for (const char* type : {"bf16", "fp16"})
    for (const char* size :
         {"1024x1024x1024", "2048x2048x2048", "4096x4096x4096", "8192x8192x8192", "4096x4096x512",
          "1x4096x4096", "4x4096x4096", "16x4096x4096", "64x4096x4096", "300x1000x2000",
          "777x999x1234", "1048x2056x1096", "128x28672x8192", "8192x3584x8192"})
      for (const char* layout : {"", "-nt"}) {
        const std::string name = std::string("tensor-") + type + '-' + size + layout;
        EXPECT_TRUE(names.contains(name)) << name;
      }
  EXPECT_TRUE(names.contains("tensor-bf16-512x512x512-b64"));
  EXPECT_TRUE(names.contains("tensor-fp16-8192x8192x1024-nt-bias_gelu"));
  EXPECT_TRUE(names.contains("tensor-fp8-16x4096x4096-nt"));
  EXPECT_FALSE(names.contains("tensor-fp8-2048x2048x2048"));
}

TEST(Products, HaveTheProblemsTypesAndLayout) {
  using Epilogue = cuda::LtProblem::Epilogue;
  const cuda::LtProblem product = product_of("tensor-bf16-777x999x1234-nt");
  EXPECT_EQ(product.m, 777);
  EXPECT_EQ(product.n, 999);
  EXPECT_EQ(product.k, 1234);
  EXPECT_EQ(product.ldb, 1234);
  EXPECT_FALSE(product.transpose_a);
  EXPECT_TRUE(product.transpose_b);
  EXPECT_EQ(product.types.a, ElementType::bfloat16);
  EXPECT_EQ(product.types.b, ElementType::bfloat16);
  EXPECT_EQ(product.types.c, ElementType::bfloat16);
  EXPECT_EQ(product.types.precision, "float32");
  EXPECT_EQ(product.epilogue, Epilogue::none);
  EXPECT_EQ(product_of("tensor-fp16-2048x2048x2048-bias_gelu").epilogue, Epilogue::bias_gelu);
  EXPECT_EQ(product_of("tensor-bf16-512x512x512-b64").batch, 64);
}

TEST(Products, Of8BitsHaveAWiderC) {
  const cuda::ProductTypes float8 = product_of("tensor-fp8-2048x2048x2048-nt").types;
  EXPECT_EQ(float8.b, ElementType::float8_e4m3);
  EXPECT_EQ(float8.c, ElementType::bfloat16);
  EXPECT_EQ(float8.precision, "float32");
  const cuda::ProductTypes int8 = product_of("tensor-int8-4096x4096x4096-nt").types;
  EXPECT_EQ(int8.b, ElementType::int8);
  EXPECT_EQ(int8.c, ElementType::int32);
  EXPECT_EQ(int8.factor, ElementType::int32);
  EXPECT_EQ(int8.precision, "int32");
}

TEST(Products, MultiplyAddsAreOfFloat32AndNothingOfTensorCores) {
  EXPECT_TRUE(is_of_multiply_adds(problem_of({"", "gemm", {}})));
  EXPECT_TRUE(is_of_multiply_adds(problem_of({"", "conv1d", {}})));
  for (const Case& item : tensor_cases())
    EXPECT_FALSE(is_of_multiply_adds(problem_of(item))) << item.name;
}

std::vector<PlannedBuffer> buffers_of(const std::string& name) {
  static const Library library = Library::load({TILEWRIGHT_SOURCE_DIR "/kernel_templates"});
  const Operation& gemm = library.family("gemm").operation;
  std::vector<PlannedBuffer> buffers =
      plan_buffers(gemm, full_scope(problem_of(case_named(name)), {}, Device{}));
  set_integer_factors_to_one(buffers);
  return buffers;
}

TEST(GemmFactors, AreOneIfTheyAreIntegers) {
  const auto integers = buffers_of("tensor-int8-4096x4096x4096-nt");
  EXPECT_EQ(integers[kAlpha].type, ElementType::int32);
  EXPECT_EQ(integers[kAlpha].fill.kind, Fill::Kind::constant);
  EXPECT_EQ(integers[kAlpha].fill.low, 1);
  EXPECT_EQ(integers[kB].fill.kind, Fill::Kind::integers);
  EXPECT_EQ(integers[kB].fill.high, 127);
  const auto floats = buffers_of("tensor-fp8-2048x2048x2048-nt");
  EXPECT_EQ(floats[kAlpha].type, ElementType::float32);
  EXPECT_EQ(floats[kAlpha].fill.kind, Fill::Kind::uniform);
  EXPECT_EQ(floats[kA].fill.kind, Fill::Kind::normal);
}

std::vector<std::string> rivals_of_case(const Case& item) {
  std::vector<std::string> names;
  for (const Rival& rival : rivals_of(item)) names.emplace_back(rival.name);
  return names;
}

TEST(ProductRivals, DependOnTheTypes) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(rivals_of_case({"", "gemm", {}}), (Names{"cuBLAS", "cublasLt", "textbook"}));
  EXPECT_EQ(rivals_of_case(case_named("tensor-tf32-2048x2048x2048")),
            (Names{"cuBLAS", "cublasLt"}));
  EXPECT_EQ(rivals_of_case(case_named("tensor-bf16-1024x1024x1024")),
            (Names{"cuBLAS", "cublasLt"}));
  EXPECT_EQ(rivals_of_case(case_named("tensor-fp8-2048x2048x2048-nt")),
            (Names{"cuBLAS", "cublasLt", "cublasLt fast"}));
}

template <class T>
std::vector<std::uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(Converted, RoundsOnceToTheNearest) {
  const std::vector<float> numbers = {1, -2.5F, 1 + 0x1p-8F, 1 + 0x1.8p-8F};
  const std::vector<BFloat16> rounded = {BFloat16(1), BFloat16(-2.5), BFloat16(1),
                                         BFloat16(1 + 0x1p-7)};
  EXPECT_EQ(converted(bytes_of(numbers), ElementType::float32, ElementType::bfloat16),
            bytes_of(rounded));
  EXPECT_THROW(converted(bytes_of(numbers), ElementType::complex64, ElementType::float32),
               std::invalid_argument);
}

// Contenders on a machine whose clock falls by a fixed share with every sample.
class FallingClock {
 public:
  explicit FallingClock(std::vector<double> times_us) : times_us_(std::move(times_us)) {}

  std::vector<Contender> contenders(int calls) {
    std::vector<Contender> all;
    for (const double us : times_us_)
      all.push_back({calls, [this, us, calls] { return us * calls * (slowness_ *= 1.002); }});
    return all;
  }

 private:
  std::vector<double> times_us_;
  double slowness_ = 1;
};

TEST(Heat, RunsAllInTurnUntilTheTimeIsOver) {
  std::string order;
  const std::vector<Contender> contenders = {{1, [&] { return order += 'a', 0.0; }},
                                             {1, [&] { return order += 'b', 0.0; }}};
  heat(contenders, 0);
  EXPECT_EQ(order, "");
  heat(contenders, 1e-3);
  EXPECT_TRUE(order.starts_with("ab")) << order;
  EXPECT_TRUE(order.ends_with("ab"));
}

TEST(Heat, ALeadInIsTheContendersOwn) {
  std::string order;
  const auto noting = [&](char name, double us) {
    return with_lead_in({4, [&order, name, us] { return order += name, us; }}, 1e-3);
  };
  const Contender one = noting('a', 3);
  const Contender other = noting('b', 5);
  EXPECT_EQ(one.calls, 4);
  EXPECT_EQ(one.run(), 3);
  EXPECT_EQ(order, std::string(order.size(), 'a'));
  EXPECT_GE(order.size(), 2U);
  order.clear();
  EXPECT_EQ(other.run(), 5);
  EXPECT_EQ(order, std::string(order.size(), 'b'));
  order.clear();
  with_lead_in({1, [&] { return order += 'c', 0.0; }}, 0).run();
  EXPECT_EQ(order, "c");
}

TEST(RankedInRounds, ADriftDoesNotDecide) {
  FallingClock clock({100.3, 100.2, 100.1, 100, 100.4});
  EXPECT_EQ(ranked_in_rounds(4, clock.contenders(3)), (std::vector<std::size_t>{3, 2, 1, 0, 4}));
}

TEST(RankedInRounds, WhoTakesOverTwiceTheLeastTimeRunsOnceAndIsLeftOut) {
  int runs = 0;
  const std::vector<Contender> contenders = {
      {1, [&] { return ++runs, 20.5; }}, {1, [] { return 10.0; }}, {1, [] { return 19.5; }}};
  EXPECT_EQ(ranked_in_rounds(4, contenders), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(runs, 1);
}

TEST(RankedInRounds, TimesAreThoseOfACallAndEqualOnesKeepTheirOrder) {
  const std::vector<Contender> contenders = {
      {2, [] { return 10.0; }}, {10, [] { return 40.0; }}, {1, [] { return 5.0; }}};
  EXPECT_EQ(ranked_in_rounds(1, contenders), (std::vector<std::size_t>{1, 0, 2}));
  EXPECT_TRUE(ranked_in_rounds(3, {}).empty());
}

}  // namespace
}  // namespace tilewright::bench
