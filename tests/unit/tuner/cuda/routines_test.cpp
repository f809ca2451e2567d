// Routines of libraries that are made for these tests (tests/support/fake_cublas*.cpp). They
// compute in host memory, so no GPU is needed.
#include "tuner/cuda/libraries/routines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>

#include "definition/library/hook.hpp"
#include "definition/library/library.hpp"
#include "definition/problem.hpp"
#include "tests/unit/tuner/worker/temporary_folder.hpp"
#include "tuner/cuda/libraries/cublas_types.hpp"
#include "tuner/cuda/libraries/shared_library.hpp"
#include "tuner/space/space.hpp"

namespace tilewright::cuda {
namespace {

namespace fs = std::filesystem;

const Folders kFake = {TILEWRIGHT_FAKE_LIBRARIES};

class Routines : public testing::Test {
 protected:
  Routines() { device_.compute_capability = 90; }

  Problem problem(const Settings& values) const {
    return make_problem(operation(), values, device_);
  }
  const Operation& operation() const { return family_.operation; }
  const Implementation& implementation() const { return family_.implementation(name_); }
  RoutineList list(const Problem& problem) const {
    return list_routine(plan_routine(operation(), implementation(), full_scope(problem, device_)),
                        kFake);
  }
  Space space(const Settings& values) const {
    const Problem asked = problem(values);
    return listed_space(implementation(), asked, device_, list(asked));
  }
  LaunchPlan plan(const Problem& problem, const Configuration& configuration) const {
    return plan_launches(operation(), implementation(),
                         full_scope(problem, configuration, device_));
  }

  Device device_;
  std::string name_ = "cublaslt";
  const Library library_ = Library::load({TILEWRIGHT_SOURCE_DIR "/kernel_templates"});
  const Family& family_ = library_.family("gemm");
};

TEST_F(Routines, SayTheirVersion) {
  const std::vector<RoutineLibrary> all = routine_libraries(kFake);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].routine, "cublas");
  EXPECT_EQ(all[0].text(), "cuBLAS 13.8.1");
  EXPECT_EQ(all[1].routine, "cublaslt");
  EXPECT_EQ(all[1].text(), "cublasLt 13.9.2");
  EXPECT_EQ(all[2].text(), "cuDNN 9.8.7");
}

std::string why_not(const char* name, const fs::path& folder) {
  try {
    SharedLibrary({name}, {folder});
    return "";
  } catch (const LibraryError& error) {
    return error.what();
  }
}

TEST(SharedLibraries, AMissingOneIsNotPresentAndSaysWhy) {
  const std::string why = why_not("libtilewright-nothing.so.1", "/nowhere");
  EXPECT_TRUE(why.starts_with("not present (")) << why;
  EXPECT_NE(why.find("libtilewright-nothing.so.1"), std::string::npos) << why;
  EXPECT_EQ(why.find("it does not load"), std::string::npos) << why;
}

TEST(SharedLibraries, AFileThatDoesNotLoadIsSaid) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "libtilewright-damaged.so.1") << "no library";
  const std::string why = why_not("libtilewright-damaged.so.1", folder.path());
  EXPECT_NE(why.find("; it does not load: "), std::string::npos) << why;
  EXPECT_NE(why.find("file too short"), std::string::npos) << why;
}

TEST(SharedLibraries, AMissingFunctionIsNamed) {
  const SharedLibrary math({"libm.so.6"}, {});
  EXPECT_DOUBLE_EQ(math.find<double(double)>("sqrt")(4), 2);
  EXPECT_THROW(math.find<void()>("nppiNothing"), LibraryError);
}

TEST_F(Routines, AreListedOnceWithTheLeastWorkspace) {
  const Space found = space({{"M", 5}, {"N", 6}, {"K", 7}});
  EXPECT_EQ(found.satisfying, 4);
  EXPECT_FALSE(found.is_open);
  std::set<std::string> all;
  for (std::size_t i = 0; i < found.legal.size(); ++i) {
    const Settings values = found.legal[i].values;
    all.insert(to_text(values.at("ALGORITHM")) + " " + to_text(values.at("TILE")) + " " +
               to_text(values.at("SPLIT_K")) + " " + to_text(values.at("CLUSTER_SHAPE")) + " " +
               to_text(values.at("WORKSPACE")));
  }
  EXPECT_EQ(all, (std::set<std::string>{"21 18 1 22 0", "21 18 4 22 4", "21 20 1 22 0",
                                        "66 400 1 67 0"}));
}

TEST_F(Routines, WhatALibraryDoesNotHaveIsExcludedWithItsReason) {
  const Space found = space({{"M", 5}, {"type_a", "bfloat16"}});
  EXPECT_TRUE(found.legal.empty());
  ASSERT_EQ(found.cuts.size(), 1u);
  EXPECT_EQ(found.cuts[0].rule,
            "cublasLt: cublasLtMatmulAlgoGetHeuristic: CUBLAS_STATUS_NOT_SUPPORTED");
  const Space mixed =
      open_space(implementation(), problem({{"type_a", "int8"}, {"type_b", "bfloat16"}}), device_);
  EXPECT_FALSE(mixed.is_open);
  EXPECT_EQ(mixed.cuts.at(0).rule, "cublasLt multiplies matrices of one type, or two of float8");
}

TEST_F(Routines, AreExcludedByConstraintsAndWhere) {
  const Problem asked = problem({{"M", 5}});
  const Space found =
      listed_space(implementation(), asked, device_, list(asked), Expression::parse("SPLIT_K > 1"));
  EXPECT_EQ(found.legal.size(), 1u);
  ASSERT_EQ(found.cuts.size(), 1u);
  EXPECT_EQ(found.cuts[0].rule, "--where");
  EXPECT_EQ(found.cuts[0].count, 3);
}

std::string refusal(const LaunchPlan& plan) {
  try {
    make_routine(plan, kFake);
    return "";
  } catch (const TrialError& error) {
    EXPECT_EQ(error.failure().outcome, Outcome::launch_failed);
    return error.failure().message;
  }
}

TEST_F(Routines, RefuseWhatTheyCannotRun) {
  const Problem asked = problem({{"M", 5}});
  Configuration configuration = space({{"M", 5}}).legal[0];
  EXPECT_EQ(refusal(plan(asked, configuration)), "");
  configuration.values["ALGORITHM"] = 99;
  EXPECT_EQ(refusal(plan(asked, configuration)),
            "cublasLt: cublasLtMatmulAlgoCheck: CUBLAS_STATUS_NOT_SUPPORTED");
  configuration.values["ALGORITHM"] = 21;
  configuration.values["SPLIT_K"] = 4;
  configuration.values["WORKSPACE"] = 1;
  EXPECT_EQ(refusal(plan(asked, configuration)),
            "cublasLt: it needs 3145728 bytes of workspace, and gets 1048576");
  const Problem half = problem({{"M", 5}, {"type_a", "bfloat16"}});
  EXPECT_EQ(refusal(plan(asked, default_configuration(implementation()))), "")
      << "its first choice";
  EXPECT_EQ(refusal(plan(half, default_configuration(implementation()))),
            "cublasLt: cublasLtMatmulAlgoGetHeuristic: CUBLAS_STATUS_NOT_SUPPORTED");
  LaunchPlan unknown;
  unknown.routine.name = "other";
  EXPECT_EQ(refusal(unknown), "there is no routine other");
}

// A matrix of the problem, in host memory.
struct Matrix {
  std::vector<float> elements;
  std::int64_t leading, stride;
  bool is_transposed;
  float at(std::int64_t one, std::int64_t row, std::int64_t column) const {
    const std::int64_t place = is_transposed ? column * leading + row : row * leading + column;
    return elements.at(static_cast<std::size_t>(one * stride + place));
  }
};

std::vector<float> numbers(std::size_t count, int first) {
  std::vector<float> all(count);
  for (std::size_t i = 0; i < count; ++i)
    all[i] = static_cast<float>((first + 7 * static_cast<int>(i)) % 11 - 5);
  return all;
}

TEST_F(Routines, CublasHasOneConfigurationAndSaysInACallWhatItDoesNotHave) {
  name_ = "cublas";
  EXPECT_EQ(space({{"M", 5}}).legal.size(), 1u);
  EXPECT_EQ(open_space(implementation(), problem({{"type_a", "int8"}}), device_).cuts.at(0).rule,
            "cublasGemmEx multiplies matrices of one type of at least 16 bits; gemm/cublaslt has "
            "others");
  // A Runtime lets it answer without a measurement, so what no call computes is excluded before.
  for (const auto& [a, c] : {std::pair("bfloat16", "float16"), {"float32", "bfloat16"}})
    EXPECT_FALSE(
        open_space(implementation(), problem({{"type_a", a}, {"type_c", c}}), device_).is_open);
  EXPECT_TRUE(
      open_space(implementation(), problem({{"type_a", "float16"}, {"type_c", "float32"}}), device_)
          .is_open);
  const Problem asked = problem({{"M", 5}, {"type_a", "bfloat16"}});
  const auto routine = make_routine(plan(asked, space({{"M", 5}}).legal[0]), kFake);
  float number = 1;
  const CallArgument memory{&number}, factor{nullptr, std::as_bytes(std::span(&number, 1))};
  const std::vector<CallArgument> arguments = {memory, memory, memory, factor, factor};
  try {
    routine->call({}, {arguments}, nullptr);
    ADD_FAILURE() << "it was called";
  } catch (const TrialError& error) {
    EXPECT_STREQ(error.what(), "cuBLAS: cublasGemmEx: CUBLAS_STATUS_NOT_SUPPORTED");
  }
}

TEST(CublasFactors, AreOfTheTypeThatTheLibraryWants) {
  const ProductTypes half = {ElementType::float16, ElementType::float16, ElementType::float16,
                             ElementType::float32, "float16"};
  EXPECT_EQ(cublas_types(half).scale, CUDA_R_16F);
  const float given = 0.75F;
  const CublasFactor factor(&given, half.factor, cublas_types(half));
  EXPECT_EQ(static_cast<double>(*static_cast<const Float16*>(factor.get())), given);
  EXPECT_EQ(CublasFactor(&given, half.factor, CublasTypes{}).get(), &given);
  const ProductTypes bytes = {ElementType::int8, ElementType::int8, ElementType::int8,
                              ElementType::float32, "int32"};
  EXPECT_EQ(cublas_types(bytes).scale, CUDA_R_32F);
  EXPECT_EQ(cublas_types(bytes).compute, 72);
  const ProductTypes wide = {ElementType::int8, ElementType::int8, ElementType::int32,
                             ElementType::int32, "int32"};
  EXPECT_EQ(cublas_types(wide).a, CUDA_R_8I);
  EXPECT_EQ(cublas_types(wide).scale, CUDA_R_32I);
  const ProductTypes float8 = {ElementType::float8_e4m3, ElementType::float8_e4m3,
                               ElementType::bfloat16};
  EXPECT_EQ(cublas_types(float8).b, CUDA_R_8F_E4M3);
  EXPECT_EQ(cublas_types(float8).c, CUDA_R_16BF);
  EXPECT_EQ(cublas_types(float8).compute, 68);
  EXPECT_EQ(cublas_types({.precision = "tf32"}).compute, 77);
}

TEST(CublasFactors, WhatTheLibrariesDoNotHaveIsRefused) {
  const auto refusal_of = [](const ProductTypes& types) -> std::string {
    try {
      cublas_types(types);
      return "";
    } catch (const LibraryError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal_of({.b = ElementType::int16}), "has no products of int16");
  EXPECT_EQ(refusal_of({.precision = "float128"}), "has no precision float128");
  EXPECT_EQ(refusal_of({.precision = "int32"}),
            "takes factors of int32, and the problem's are of float32");
}

TEST_F(Routines, ComputeTheProblem) {
  for (const char* library : {"cublas", "cublaslt"})
    for (const char* transpose_a : {"no", "yes"})
      for (const char* transpose_b : {"no", "yes"})
        for (const char* accumulate : {"no", "yes"}) {
          name_ = library;
          const Problem asked = problem({{"M", 3},
                                         {"N", 4},
                                         {"K", 5},
                                         {"batch", 2},
                                         {"lda", 6},
                                         {"ldb", 7},
                                         {"ldc", 9},
                                         {"stride_a", 40},
                                         {"stride_b", 50},
                                         {"stride_c", 33},
                                         {"transpose_a", transpose_a},
                                         {"transpose_b", transpose_b},
                                         {"accumulate", accumulate}});
          const Matrix a{numbers(80, 1), 6, 40, *transpose_a == 'y'};
          const Matrix b{numbers(100, 4), 7, 50, *transpose_b == 'y'};
          const std::vector<float> before = numbers(66, 2);
          std::vector<float> c = before;
          const float alpha = 0.5F, beta = 2;
          const auto memory = [](const auto& all) {
            return CallArgument{const_cast<float*>(all.data())};
          };
          const auto value = [](const float& one) {
            return CallArgument{nullptr, std::as_bytes(std::span(&one, 1))};
          };
          const std::vector<CallArgument> arguments = {memory(a.elements), memory(b.elements),
                                                       memory(c), value(alpha), value(beta)};
          const Configuration first =
              listed_space(implementation(), asked, device_, list(asked)).legal[0];
          make_routine(plan(asked, first), kFake)->call({}, {arguments}, nullptr);
          std::vector<float> expected = before;
          for (std::int64_t one = 0; one < 2; ++one)
            for (std::int64_t row = 0; row < 3; ++row)
              for (std::int64_t column = 0; column < 4; ++column) {
                float sum = 0;
                for (std::int64_t k = 0; k < 5; ++k)
                  sum += a.at(one, row, k) * b.at(one, k, column);
                float& result = expected[static_cast<std::size_t>(one * 33 + row * 9 + column)];
                result = alpha * sum + (*accumulate == 'y' ? beta * result : 0);
              }
          EXPECT_EQ(c, expected) << library << transpose_a << transpose_b << accumulate;
        }
}

// The snippets that come with tilewright, told by their text, and what they make of 3 + a bias of
// -4.
TEST_F(Routines, CublasLtComputesTheEpiloguesThatItHas) {
  constexpr std::array kLabels = {"relu", "bias", "bias_relu", "gelu", "bias_gelu"};
  constexpr std::array kResults = {3.F, -1.F, 0.F, 2.996363F, -0.158808F};
  for (std::size_t i = 0; i < kLabels.size(); ++i) {
    SCOPED_TRACE(kLabels.at(i));
    Settings values = {{"M", 1}, {"N", 2}, {"K", 1}, {"epilogue", kLabels.at(i)}};
    const Family family = with_snippets(family_, values, library_.snippets());
    const Problem asked = make_problem(family.operation, values, device_);
    const Implementation& own = family.implementation("cublaslt");
    const PlannedRoutine described =
        plan_routine(family.operation, own, full_scope(asked, device_));
    const Configuration first =
        listed_space(own, asked, device_, list_routine(described, kFake)).legal[0];
    std::vector<float> a = {1}, b = {7, 3}, c(2), bias = {0, -4};
    const float alpha = 1, beta = 0;
    const CallArgument one{nullptr, std::as_bytes(std::span(&alpha, 1))};
    const CallArgument zero{nullptr, std::as_bytes(std::span(&beta, 1))};
    const std::vector<CallArgument> arguments = {{a.data()}, {b.data()}, {c.data()},
                                                 one,        zero,       {bias.data()}};
    make_routine(plan_launches(family.operation, own, full_scope(asked, first, device_)), kFake)
        ->call({}, {arguments}, nullptr);
    EXPECT_NEAR(c[1], kResults.at(i), 1e-5);
    EXPECT_EQ(open_space(family.implementation("cublas"), asked, device_).cuts.at(0).rule,
              "the foreign library does not compute this epilogue");
  }
}

// Another text with the same name may mean something else.
TEST_F(Routines, AnotherTextIsNoEpilogueOfTheLibrary) {
  Settings values = {{"M", 5}, {"epilogue", "bias"}};
  Snippet other = *std::ranges::find(library_.snippets(), "bias", &Snippet::name);
  other.code = "return value - bias[column];";
  const Family family = with_snippets(family_, values, {other});
  const Space none = open_space(family.implementation("cublaslt"),
                                make_problem(family.operation, values, device_), device_);
  EXPECT_FALSE(none.is_open);
  EXPECT_EQ(none.cuts.at(0).rule, "the foreign library does not compute this epilogue");
}

}  // namespace
}  // namespace tilewright::cuda
