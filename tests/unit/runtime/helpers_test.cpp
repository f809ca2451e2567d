// Gemm and the convolutions on the host device, against sums written out.
#include <array>
#include <numeric>

#include "tests/unit/runtime/blend.hpp"
#include "tests/unit/runtime/built_in.hpp"
#include "tilewright/convolution.hpp"

namespace tilewright::test {
namespace {

// Small whole numbers, so that sums are exact in whatever order.
std::vector<float> numbers(std::int64_t count, int first = 1) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>((static_cast<int>(i) * 7 + first) % 5 - 2);
  return values;
}

float at(const std::vector<float>& values, std::int64_t index) {
  return values[static_cast<std::size_t>(index)];
}

TEST(GemmHelper, MultipliesWithGapsTransposesAndBeta) {
  const Runtime runtime(built_in());
  const Gemm gemm(runtime, naive());
  constexpr std::int64_t m = 3, n = 4, k = 5, lda = 4, ldb = 6, ldc = 5;  // A is stored k × m
  const std::vector<float> a = numbers(k * lda), b = numbers(k * ldb, 2), before = numbers(m * ldc);
  std::vector<float> c = before;
  GemmCall call{Transpose::yes, Transpose::no, m, n,        k,  2, a.data(), lda,
                b.data(),       ldb,           3, c.data(), ldc};
  gemm.launch(nullptr, call);
  for (std::int64_t row = 0; row < m; ++row)
    for (std::int64_t column = 0; column < ldc; ++column) {
      float sum = 0;
      for (std::int64_t i = 0; i < k; ++i) sum += at(a, i * lda + row) * at(b, i * ldb + column);
      const float old = at(before, row * ldc + column);
      EXPECT_EQ(at(c, row * ldc + column), column < n ? 2 * sum + 3 * old : old);
    }
  EXPECT_EQ(&gemm.kernel(call), &gemm.kernel(call));
  call.beta = 0;
  EXPECT_EQ(gemm.kernel(call).answer().problem.values.at("accumulate"), Value("no"));
}

TEST(GemmHelper, RefusesSizesThatNoMatrixHas) {
  const Runtime runtime(built_in());
  const Gemm gemm(runtime, naive());
  GemmCall call;
  call.n = call.k = 2;
  for (const std::int64_t m : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    call.m = m;
    EXPECT_THROW(gemm.kernel(call), InputError) << m;
  }
  call.m = 2;
  call.lda = std::int64_t{1} << 40;
  EXPECT_NE(message_of<InputError>([&] { gemm.kernel(call); }).find("lda=1099511627776 is outside"),
            std::string::npos);
}

TEST(GemmHelper, TakesColumnMajorMatrices) {
  const Runtime runtime(built_in());
  GemmOptions options = naive();
  options.order = MatrixOrder::column_major;
  constexpr std::int64_t m = 3, n = 4, k = 5;
  const std::vector<float> a = numbers(m * k), b = numbers(k * n, 2);
  std::vector<float> c(m * n);
  GemmCall call;
  call.m = m;
  call.n = n;
  call.k = k;
  call.a = a.data();
  call.b = b.data();
  call.c = c.data();
  Gemm(runtime, options).launch(nullptr, call);
  for (std::int64_t row = 0; row < m; ++row)
    for (std::int64_t column = 0; column < n; ++column) {
      float sum = 0;
      for (std::int64_t i = 0; i < k; ++i) sum += at(a, row + i * m) * at(b, i + column * k);
      EXPECT_EQ(at(c, row + column * m), sum);
    }
  options.epilogue = "bias_relu";
  EXPECT_THROW(Gemm(runtime, options), InputError);
}

TEST(GemmHelper, AppliesAnEpilogueWithItsArguments) {
  const Runtime runtime(built_in());
  GemmOptions options = naive();
  options.epilogue = "bias_relu";
  const Gemm gemm(runtime, options);
  const std::vector<float> a = {1, 2}, b = {3, 4, -5, -6}, bias = {8, 4};
  std::vector<float> c(2);
  const std::vector<Operand> epilogue = {std::span(bias)};
  GemmCall call;
  call.m = 1;
  call.n = 2;
  call.k = 2;
  call.a = a.data();
  call.b = b.data();
  call.c = c.data();
  call.epilogue = epilogue;
  gemm.launch(nullptr, call);
  EXPECT_EQ(c, (std::vector<float>{1, 0}));  // 3 − 10 + 8, and 4 − 12 + 4 < 0
  call.epilogue = {};
  EXPECT_NE(message_of<InputError>([&] { gemm.launch(nullptr, call); }).find("epilogue_bias"),
            std::string::npos);
}

TEST(ConvolutionHelper, FiltersAnImage) {
  const Runtime runtime(built_in());
  ConvolutionOptions options;
  options.device = DeviceSelector::host();
  options.boundary = Boundary::zero;
  const Convolution2d convolution(runtime, options);
  constexpr std::int64_t width = 6, height = 4;
  const std::vector<float> image = numbers(width * height), filter = numbers(9, 3);
  std::vector<float> output(width * height);
  Convolution2dCall call;
  call.width = width;
  call.height = height;
  call.filter_width = call.filter_height = 3;
  call.image = image.data();
  call.filter = filter.data();
  call.output = output.data();
  convolution.launch(nullptr, call);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) {
      float sum = 0;
      for (std::int64_t j = 0; j < 3; ++j)
        for (std::int64_t i = 0; i < 3; ++i) {
          const std::int64_t row = y + j - 1, column = x + i - 1;
          if (row < 0 || row >= height || column < 0 || column >= width) continue;
          sum += at(filter, j * 3 + i) * at(image, row * width + column);
        }
      EXPECT_EQ(at(output, y * width + x), sum) << y << ' ' << x;
    }
}

// 1, 10 along rows and 2, −1, 3 along columns, their first taps on the output's own place.
TEST(ConvolutionHelper, FiltersRowsAndColumns) {
  const Runtime runtime(built_in());
  ConvolutionOptions options;
  options.device = DeviceSelector::host();
  const SeparableConvolution2d convolution(runtime, options);
  const std::vector<float> image = {1, 2, 3, 4, 5, 6}, rows = {1, 10}, columns = {2, -1, 3};
  std::vector<float> output(6);
  SeparableConvolution2dCall call;
  call.width = 2;
  call.height = 3;
  call.filter_width = 2;
  call.filter_height = 3;
  call.anchor_x = call.anchor_y = 0;
  call.image = image.data();
  call.row_filter = rows.data();
  call.column_filter = columns.data();
  call.output = output.data();
  convolution.launch(nullptr, call);
  // Rows filtered: 21 2, 43 4, 65 6.
  EXPECT_EQ(output, (std::vector<float>{2 * 21 - 43 + 3 * 65, 2 * 2 - 4 + 3 * 6, 2 * 43 - 65,
                                        2 * 4 - 6, 2 * 65, 2 * 6}));
  call.row_filter_values = rows.data();
  EXPECT_NE(message_of<InputError>([&] {
              convolution.launch(nullptr, call);
            }).find("row_filter_values and column_filter_values, or neither"),
            std::string::npos);
  call.column_filter_values = columns.data();
  std::fill(output.begin(), output.end(), 0.0F);
  convolution.launch(nullptr, call);
  EXPECT_EQ(output.front(), 2 * 21 - 43 + 3 * 65);
}

// The same through the workspace that two launches share.
TEST(ConvolutionHelper, FiltersRowsAndColumnsInTwoLaunches) {
  const Runtime runtime(built_in());
  ConvolutionOptions options;
  options.device = DeviceSelector::host();
  options.implementation = "two_pass";
  options.boundary = Boundary::replicate;
  const SeparableConvolution2d convolution(runtime, options);
  const std::vector<float> image = {1, 2, 4}, taps = {1, 0, -1};
  std::vector<float> output(3);
  SeparableConvolution2dCall call;
  call.width = 3;
  call.height = 1;
  call.filter_width = 3;
  call.filter_height = 1;
  call.image = image.data();
  call.row_filter = call.column_filter = taps.data();
  call.output = output.data();
  alignas(256) std::array<float, 4> workspace = {};
  ASSERT_EQ(convolution.kernel(call).workspace_bytes(), sizeof workspace);
  convolution.launch(nullptr, call, {.memory = workspace.data()});
  EXPECT_EQ(output, (std::vector<float>{-1, -3, -2}));
}

TEST(ConvolutionHelper, FiltersASignal) {
  const Runtime runtime(built_in());
  ConvolutionOptions options;
  options.device = DeviceSelector::host();
  options.boundary = Boundary::replicate;
  options.flip = ConvolutionOptions::Flip::yes;
  const Convolution1d convolution(runtime, options);
  const std::vector<float> signal = {1, 2, 4}, filter = {1, 0, -1};
  std::vector<float> output(3);
  Convolution1dCall call;
  call.length = call.taps = 3;
  call.signal = signal.data();
  call.filter = filter.data();
  call.output = output.data();
  convolution.launch(nullptr, call);
  EXPECT_EQ(output, (std::vector<float>{1, 3, 2}));
  options.filters = ConvolutionOptions::Filters::per_channel;
  EXPECT_THROW(Convolution1d(runtime, options), InputError);
}

// With the implementation that serves small problems, whichever order of the filter it wants.
TEST(PreparedFilter, ServesTheCallsItWasMadeFor) {
  const Runtime runtime(built_in());
  ConvolutionOptions options;
  options.device = DeviceSelector::host();
  const Convolution2d convolution(runtime, options);
  const std::vector<float> image = numbers(24), filter = numbers(9, 3);
  std::vector<float> output(24), expected(24);
  Convolution2dCall call;
  call.width = 6;
  call.height = 4;
  call.filter_width = call.filter_height = 3;
  call.image = image.data();
  call.filter = filter.data();
  call.output = expected.data();
  convolution.launch(nullptr, call);
  const PreparedInput prepared = convolution.prepare_filter(nullptr, call);
  call.prepared_filter = &prepared;
  call.filter = nullptr;
  call.output = output.data();
  EXPECT_TRUE(convolution.kernel(call).arguments().at(1).prepared);
  alignas(256) std::array<unsigned char, 65536> workspace = {};
  ASSERT_LE(convolution.kernel(call).workspace_bytes(), 65536);
  convolution.launch(nullptr, call, {.memory = workspace.data()});
  EXPECT_EQ(output, expected);
  call.width = 4;
  call.height = 6;
  EXPECT_NE(message_of<InputError>([&] {
              convolution.launch(nullptr, call, {.memory = workspace.data()});
            }).find("'filter' was prepared for another kernel, conv2d/"),
            std::string::npos);
}

TEST(PreparedFilter, IsATransformInPlaceOfAWorkspace) {
  const Runtime runtime(built_in());
  ConvolutionOptions options;
  options.device = DeviceSelector::host();
  options.implementation = "fft";
  const Convolution1d convolution(runtime, options);
  const std::vector<float> signal = numbers(100), filter = numbers(17, 3);
  std::vector<float> output(100), expected(100);
  Convolution1dCall call;
  call.length = 100;
  call.taps = 17;
  call.signal = signal.data();
  call.filter = filter.data();
  call.output = expected.data();
  alignas(256) static std::array<unsigned char, 131072> workspace = {};
  const std::int64_t bytes = convolution.kernel(call).workspace_bytes();
  ASSERT_LE(bytes, 131072);
  convolution.launch(nullptr, call, {.memory = workspace.data()});
  EXPECT_NEAR(expected[50], std::inner_product(filter.begin(), filter.end(), &signal[42], 0.0F),
              1e-4F);
  const PreparedInput prepared = convolution.prepare_filter(nullptr, call);
  EXPECT_EQ(prepared.bytes(), bytes);
  call.prepared_filter = &prepared;
  call.output = output.data();
  EXPECT_EQ(convolution.kernel(call).workspace_bytes(), 0);
  convolution.launch(nullptr, call);
  EXPECT_EQ(output, expected);
}

TEST(PreparedFilter, IsOfTheSignalsType) {
  const Runtime runtime(built_in());
  ConvolutionOptions options;
  options.device = DeviceSelector::host();
  options.boundary = Boundary::replicate;
  const Convolution1d convolution(runtime, options);
  const std::vector<double> signal = {1, 2, 4}, filter = {1, 0, -1};
  std::vector<double> output(3);
  Convolution1dCall call;
  call.length = call.taps = 3;
  call.signal = signal.data();
  call.filter = filter.data();
  const PreparedInput prepared = convolution.prepare_filter(nullptr, call);
  call.prepared_filter = &prepared;
  call.output = output.data();
  convolution.launch(nullptr, call);
  EXPECT_EQ(output, (std::vector<double>{-1, -3, -2}));
  const std::vector<float> other(3);
  call.signal = other.data();
  EXPECT_THROW(convolution.launch(nullptr, call), InputError);
}

}  // namespace
}  // namespace tilewright::test
