// Gemm and the convolutions in each element type, on the host device, against sums written out.
#include <cmath>

#include "runtime/bundle_maker.hpp"
#include "tests/unit/runtime/blend.hpp"
#include "tests/unit/runtime/built_in.hpp"
#include "tilewright/convolution.hpp"
#include "tuner/host/backend.hpp"

namespace tilewright::test {
namespace {

static_assert(std::is_convertible_v<const Float16*, ConstElementPointer>);
static_assert(std::is_convertible_v<ElementPointer, ConstElementPointer>);
static_assert(!std::is_convertible_v<const float*, ElementPointer>);
static_assert(!std::is_convertible_v<ConstElementPointer, ElementPointer>);
static_assert(!std::is_convertible_v<void*, ElementPointer>, "its type is not known");

// Small whole numbers, so that sums are exact in whatever type and order.
template <class T>
std::vector<T> numbers(std::size_t count, int first = 1) {
  std::vector<T> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(static_cast<T>((static_cast<int>(i) * 7 + first) % 5 - 2));
  return values;
}

template <class T>
double number(T value) {
  return static_cast<double>(value);
}

constexpr std::size_t m = 3, n = 4, k = 5;

// alpha · A · B + beta · C of numbers(), launched and compared.
template <class A, class B, class C>
void expect_product(const Gemm& gemm, GemmCall call = {}) {
  const std::vector<A> a = numbers<A>(m * k);
  const std::vector<B> b = numbers<B>(k * n, 2);
  std::vector<C> c = numbers<C>(m * n, 3);
  const std::vector<C> before = c;
  call.m = m;
  call.n = n;
  call.k = k;
  call.a = a.data();
  call.b = b.data();
  call.c = c.data();
  call.alpha = 0.5;
  call.beta = 2;
  gemm.launch(nullptr, call);
  for (std::size_t row = 0; row < m; ++row)
    for (std::size_t column = 0; column < n; ++column) {
      double sum = 0;
      for (std::size_t i = 0; i < k; ++i) sum += number(a[row * k + i]) * number(b[i * n + column]);
      const std::size_t index = row * n + column;
      EXPECT_EQ(number(c[index]), 0.5 * sum + 2 * number(before[index])) << row << ' ' << column;
    }
}

TEST(TypedGemm, MultipliesEachTypeAndTheirMixtures) {
  const Runtime runtime(built_in());
  const Gemm gemm(runtime, naive());
  expect_product<double, double, double>(gemm);
  expect_product<Float16, Float16, Float16>(gemm);
  expect_product<BFloat16, BFloat16, BFloat16>(gemm);
  expect_product<BFloat16, Float16, float>(gemm);
  expect_product<float, double, BFloat16>(gemm);
  expect_product<Float8E4M3, Float8E5M2, float>(gemm);
  expect_product<BFloat16, Float8E4M3, BFloat16>(gemm);
  expect_product<BFloat16, std::int8_t, BFloat16>(gemm);
  expect_product<std::int8_t, Float16, Float16>(gemm);
  expect_product<std::int8_t, std::int8_t, BFloat16>(gemm);
  expect_product<float, float, float>(gemm, {.precision = Precision::tf32});
  expect_product<Float16, Float16, Float16>(gemm, {.precision = Precision::float16});
}

TEST(TypedGemm, IntegersHaveWholeFactors) {
  const Runtime runtime(built_in());
  const Gemm gemm(runtime, naive());
  const std::vector<std::int8_t> a = {-128, 127, -128}, b = {-128, 127, -127};
  std::vector<std::int32_t> c = {16777217};  // no float32
  GemmCall call{.m = 1, .n = 1, .k = 3, .alpha = 2, .a = a.data(), .b = b.data(), .c = c.data()};
  call.beta = -1;
  gemm.launch(nullptr, call);
  EXPECT_EQ(c[0], 2 * (128 * 128 + 127 * 127 + 128 * 127) - 16777217);
  EXPECT_EQ(gemm.kernel(call).answer().problem.values.at("precision"), Value("int32"));
  for (const double alpha : {0.5, 0x1p31, std::nan("")}) {
    call.alpha = alpha;
    EXPECT_NE(message_of<InputError>([&] {
                gemm.launch(nullptr, call);
              }).find("; where the output is int32, it is a whole number of int32"),
              std::string::npos)
        << alpha;
  }
  alignas(16) std::int8_t narrow = 3;  // a factor is a float32 there
  call.alpha = 0.0078125;
  call.beta = 0.5;
  call.c = &narrow;
  gemm.launch(nullptr, call);
  EXPECT_EQ(narrow, 127);  // 381 + 1.5
  call.alpha = -0.0009765625;
  gemm.launch(nullptr, call);
  EXPECT_EQ(narrow, 16);  // -47.6 + 63.5
}

TEST(TypedGemm, RefusesTypesThatDoNotGoTogether) {
  const Runtime runtime(built_in());
  const Gemm gemm(runtime, naive());
  const auto refusal = [&](ElementType a, ElementType b, std::optional<Precision> precision) {
    GemmCall call{.m = m, .n = n, .k = k};
    call.a = {a, nullptr};
    call.b = {b, nullptr};
    call.precision = precision;
    return message_of<InputError>([&] { gemm.kernel(call); });
  };
  using enum ElementType;
  EXPECT_NE(refusal(float16, float16, Precision::tf32).find("precision tf32 is for type_a and"),
            std::string::npos);
  EXPECT_NE(refusal(float32, int8, {}).find("type_a=float32, type_b=int8: type_b int8 needs"),
            std::string::npos);
  EXPECT_NE(refusal(int8, int8, Precision::float32).find("type_a and type_b int8 have precision"),
            std::string::npos);
}

// 1 + 2^-30 is 1 in float32, whose sum is then 0. The factor 1 + 2^-40 is seen too.
TEST(TypedGemm, SumsInThePrecisionOfTheCall) {
  const Runtime runtime(built_in());
  const Gemm gemm(runtime, naive());
  const std::vector<float> a = {1, std::ldexp(1.0F, -30), -1}, b = {1, 1, 1};
  std::vector<float> c(1);
  GemmCall call{.m = 1, .n = 1, .k = 3, .a = a.data(), .b = b.data(), .c = c.data()};
  gemm.launch(nullptr, call);
  EXPECT_EQ(c[0], 0);
  call.precision = Precision::float64;
  gemm.launch(nullptr, call);
  EXPECT_EQ(c[0], a[1]);
  alignas(16) double sum = 0;
  call.c = &sum;
  call.alpha = 1 + std::ldexp(1.0, -40);
  gemm.launch(nullptr, call);
  EXPECT_EQ(sum, std::ldexp(1.0, -30) * call.alpha);
}

Settings problem_of(const Gemm& gemm, const GemmCall& call) {
  return gemm.kernel(call).answer().problem.values;
}

TEST(TypedGemm, NamesOnlyTypesThatAreNotTheUsual) {
  const Runtime runtime(built_in());
  const Gemm gemm(runtime, naive());
  GemmCall call{.m = m, .n = n, .k = k};
  call.precision = Precision::float32;
  Settings problem = problem_of(gemm, call);
  for (const char* name : {"type_a", "type_b", "type_c", "precision"})
    EXPECT_FALSE(problem.contains(name)) << name;
  call.precision.reset();
  call.a = {ElementType::float64, nullptr};
  problem = problem_of(gemm, call);
  EXPECT_EQ(problem.at("type_a"), Value("float64"));
  EXPECT_EQ(problem.at("type_b"), Value("float32"));
  EXPECT_EQ(problem.at("type_c"), Value("float32"));
  EXPECT_EQ(problem.at("precision"), Value("float64"));
}

TEST(TypedGemm, TypesGoWithTheirMatricesInColumnMajorOrder) {
  const Runtime runtime(built_in());
  GemmOptions options = naive();
  options.order = MatrixOrder::column_major;
  const Gemm gemm(runtime, options);
  GemmCall call{.m = m, .n = n, .k = k};
  call.a = static_cast<const Float16*>(nullptr);
  call.b = static_cast<const BFloat16*>(nullptr);
  const Settings problem = problem_of(gemm, call);
  EXPECT_EQ(problem.at("type_a"), Value("bfloat16"));
  EXPECT_EQ(problem.at("type_b"), Value("float16"));
}

TEST(TypedGemm, RefusesTypesThatTheOperationDoesNotHave) {
  const Runtime runtime(built_in());
  const Gemm gemm(runtime, naive());
  GemmCall call{.m = m, .n = n, .k = k};
  call.a = static_cast<const int*>(nullptr);
  EXPECT_NE(message_of<InputError>([&] {
              gemm.kernel(call);
            }).find("type_a=int32 is none of float32, float64, float16, bfloat16"),
            std::string::npos);
}

template <class T>
void expect_filtered(const Convolution2d& plane, const Convolution1d& line) {
  const std::vector<T> image = numbers<T>(6), filter = numbers<T>(2, 3);
  std::vector<T> output(6);
  Convolution2dCall call{.width = 3, .height = 2, .filter_width = 2, .filter_height = 1};
  call.anchor_x = 0;
  call.image = image.data();
  call.filter = filter.data();
  call.filter_values = filter.data();
  call.output = output.data();
  plane.launch(nullptr, call);
  for (std::size_t i = 0; i < 6; ++i) {
    const double next = i % 3 == 2 ? 0 : number(image[i + 1]);
    EXPECT_EQ(number(output[i]), number(filter[0]) * number(image[i]) + number(filter[1]) * next);
  }
  Convolution1dCall signal{.length = 6, .taps = 2};
  signal.signal = image.data();
  signal.filter = filter.data();
  signal.output = output.data();
  line.launch(nullptr, signal);
  for (std::size_t i = 0; i < 6; ++i) {
    const double before = i == 0 ? 0 : number(image[i - 1]);
    EXPECT_EQ(number(output[i]), number(filter[0]) * before + number(filter[1]) * number(image[i]));
  }
}

TEST(TypedConvolution, FiltersEachType) {
  const Runtime runtime(built_in());
  ConvolutionOptions options;
  options.device = DeviceSelector::host();
  const Convolution2d plane(runtime, options);
  const Convolution1d line(runtime, options);
  expect_filtered<float>(plane, line);
  expect_filtered<double>(plane, line);
  expect_filtered<Float16>(plane, line);
  expect_filtered<BFloat16>(plane, line);
}

TEST(TypedConvolution, HasOneTypeForAllItsBuffers) {
  const Runtime runtime(built_in());
  ConvolutionOptions options;
  options.device = DeviceSelector::host();
  const Convolution1d line(runtime, options);
  const std::vector<double> signal(6), filter(2);
  const std::vector<float> values(2);
  std::vector<double> output(6);
  Convolution1dCall call{.length = 6, .taps = 2};
  call.signal = signal.data();
  call.filter = filter.data();
  call.filter_values = values.data();
  call.output = output.data();
  const auto refusal = [&] { return message_of<InputError>([&] { line.launch(nullptr, call); }); };
  EXPECT_EQ(refusal(),
            "a filter of float64 has filter_values of float32; give a copy of the filter");
  call.filter_values = nullptr;
  call.filter = values.data();
  EXPECT_NE(refusal().find("argument 2 'filter' has elements of float64; float32 was given"),
            std::string::npos);
  call.signal = static_cast<const std::uint8_t*>(nullptr);
  EXPECT_NE(refusal().find("type=uint8 is none of float32"), std::string::npos);
}

// gemm as it was before there were types, with one implementation for dense matrices.
constexpr const char* kOldGemm = R"text(
schema = 1
[operation]
name = "gemm"
DIMENSIONS
[[operation.choice]]
name = "transpose_a"
values = ["no", "yes"]
default = "no"
[[operation.choice]]
name = "transpose_b"
values = ["no", "yes"]
default = "no"
[[operation.choice]]
name = "accumulate"
values = ["no", "yes"]
default = "no"
[[operation.hook]]
name = "epilogue"
coordinates = [{ name = "index", count = "M * N" }]
[[operation.argument]]
name = "a"
count = "M * K"
[[operation.argument]]
name = "b"
count = "K * N"
[[operation.argument]]
name = "c"
role = "inout"
count = "M * N"
[[operation.argument]]
name = "alpha"
kind = "scalar"
[[operation.argument]]
name = "beta"
kind = "scalar"
[operation.reference]
source = "dense.cu"
[[operation.reference.launch]]
entry = "dense"
grid = ["M * N"]
block = [1]
arguments = ["a", "b", "c", "alpha", "beta", "M", "N", "K"]
[[implementation]]
name = "dense"
source = "dense.cu"
[[implementation.parameter]]
name = "BLOCK"
values = [32]
default = 32
[[implementation.launch]]
entry = "dense"
grid = ["ceil_div(M * N, BLOCK)"]
block = ["BLOCK"]
arguments = ["a", "b", "c", "alpha", "beta", "M", "N", "K"]
)text";

constexpr const char* kOldKernel = R"text(
extern "C" __global__ void dense(const float* a, const float* b, float* c, float alpha, float beta,
                                 int M, int N, int K) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= M * N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[i / N * K + k] * b[k * N + i % N];
  c[i] = alpha * sum + beta * c[i];
}
)text";

class OldGemm : public testing::Test {
 protected:
  OldGemm() {
    std::string text = kOldGemm;
    std::string dimensions;
    for (const auto& [name, value] :
         {std::pair("M", "1"), std::pair("N", "1"), std::pair("K", "1"), std::pair("batch", "1"),
          std::pair("lda", "'K'"), std::pair("ldb", "'N'"), std::pair("ldc", "'N'"),
          std::pair("stride_a", "'M * lda'"), std::pair("stride_b", "'K * ldb'"),
          std::pair("stride_c", "'M * ldc'")})
      dimensions +=
          std::string("[[operation.dimension]]\nname = '") + name + "'\ndefault = " + value + "\n";
    text.replace(text.find("DIMENSIONS"), 10, dimensions);
    folder_.write("kernels/gemm/operation.toml", text);
    folder_.write("kernels/gemm/dense.cu", kOldKernel);
    options_ = built_in();
    options_.catalog.kernels = {folder_.path() / "kernels"};
  }

  static GemmOptions on_host() {
    GemmOptions options;
    options.device = DeviceSelector::host();
    return options;
  }

  FolderOfFiles folder_;
  RuntimeOptions options_;
};

TEST_F(OldGemm, ServesFloat32AndNoOtherType) {
  const Runtime runtime(options_);
  const Gemm gemm(runtime, on_host());
  expect_product<float, float, float>(gemm);
  EXPECT_NE(message_of<InputError>([&] {
              expect_product<double, double, double>(gemm);
            }).find("gemm: no dimension or choice 'type_a'"),
            std::string::npos);
}

TEST_F(OldGemm, InABundleServesARuntimeWithTypes) {
  BundleMaker maker(options_);
  const auto size = [](std::size_t of) { return Value(static_cast<std::int64_t>(of)); };
  maker.add({"gemm",
             {{"M", size(m)}, {"N", size(n)}, {"K", size(k)}, {"accumulate", "yes"}},
             host::device_report().device});
  RuntimeOptions options = built_in();
  options.bundles = {folder_.write("old.bundle", maker.bytes())};
  const Runtime runtime(options);
  const Gemm gemm(runtime, on_host());
  expect_product<float, float, float>(gemm);
  expect_product<Float16, Float16, Float16>(gemm);
  GemmCall call{.m = m, .n = n, .k = k};
  call.beta = 1;
  EXPECT_EQ(gemm.kernel(call).answer().implementation, "gemm/dense");
  call.a = static_cast<const Float16*>(nullptr);
  EXPECT_NE(gemm.kernel(call).answer().implementation, "gemm/dense");
}

TEST(KernelsOfFurtherSettings, AreFoundByTheirNumber) {
  const Runtime runtime(built_in());
  const KernelsBySize kernels =
      runtime.resolve({.operation = "gemm/naive", .device = DeviceSelector::host()},
                      {"M", "N", "K"}, [](std::int64_t number) {
                        return Settings{{"batch", number}};
                      });
  const Kernel& kernel = kernels.at({2, 3, 4, 5});
  EXPECT_EQ(kernel.answer().problem.values.at("K"), Value(4));
  EXPECT_EQ(kernel.answer().problem.values.at("batch"), Value(5));
  EXPECT_EQ(&kernels.at({2, 3, 4, 5}), &kernel);
  EXPECT_NE(&kernels.at({2, 3, 4, 6}), &kernel);
  EXPECT_THROW(kernels.at({2, 3, 4}), std::invalid_argument);
}

}  // namespace
}  // namespace tilewright::test
