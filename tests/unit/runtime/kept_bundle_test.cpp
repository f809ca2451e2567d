// A bundle that version 0.1 wrote, before operations had types, answers and launches as it did
// then.
#include "definition/text/text_file.hpp"
#include "tests/unit/runtime/blend.hpp"
#include "tests/unit/runtime/built_in.hpp"
#include "tilewright/bundle.hpp"
#include "tuner/foreign/record.hpp"

namespace tilewright::test {
namespace {

const Settings kTiled = {{"M", 48}, {"N", 40}, {"K", 33}};
const Settings kNaive = {{"M", 7}, {"N", 9}, {"K", 5}, {"batch", 2}, {"transpose_a", "yes"}};

Settings joined(Settings settings, const Settings& others) {
  settings.insert(others.begin(), others.end());
  return settings;
}

// What 0.1 answered.
void expect_tiled(const Answer& answer) {
  EXPECT_EQ(answer.implementation, "gemm/tiled");
  EXPECT_EQ(to_text(answer.configuration.values),
            "BLOCK_X=16 BLOCK_Y=16 COARSEN_X=1 COARSEN_Y=1 DOUBLE_BUFFER=0 MIN_BLOCKS=1 PADDING=0 "
            "TILE_WIDTH=16 UNROLL=16 VECTOR=1");
  EXPECT_EQ(to_text(answer.problem.values),
            "K=33 M=48 N=40 accumulate=no batch=1 epilogue=none lda=33 ldb=40 ldc=40 stride_a=1584 "
            "stride_b=1320 stride_c=1920 transpose_a=no transpose_b=no");
  EXPECT_EQ(answer.rung, Rung::exact);
  EXPECT_EQ(answer.median_us, 680.4670000000001);
  EXPECT_EQ(answer.measured_at, 1795555799);
}

void expect_naive(const Answer& answer) {
  EXPECT_EQ(answer.implementation, "gemm/naive");
  EXPECT_EQ(to_text(answer.configuration.values), "BLOCK_X=16 BLOCK_Y=16");
  EXPECT_EQ(to_text(answer.problem.values),
            "K=5 M=7 N=9 accumulate=no batch=2 epilogue=none lda=7 ldb=9 ldc=9 stride_a=35 "
            "stride_b=45 stride_c=63 transpose_a=yes transpose_b=no");
  EXPECT_EQ(answer.rung, Rung::exact);
  EXPECT_EQ(answer.median_us, 68.51925);
  EXPECT_EQ(answer.measured_at, 1795555800);
}

// C = A · B of whole numbers, whose sums are exact.
void expect_product(const Kernel& kernel, const Settings& problem) {
  const auto size = [&](const char* name) {
    const auto found = problem.find(name);
    return found == problem.end() ? 1U
                                  : static_cast<std::size_t>(std::get<std::int64_t>(found->second));
  };
  const std::size_t m = size("M"), n = size("N"), k = size("K"), batch = size("batch");
  const bool is_transposed = problem.contains("transpose_a");
  std::vector<float> a(batch * m * k), b(batch * k * n), c(batch * m * n);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 5);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 7) - 3;
  kernel.launch(nullptr, {a.data(), b.data(), c.data(), 2.0F, 0.0F});
  for (std::size_t i = 0; i < c.size(); ++i) {
    const std::size_t item = i / (m * n), row = i / n % m, column = i % n;
    float sum = 0;
    for (std::size_t j = 0; j < k; ++j)
      sum += a[item * m * k + (is_transposed ? j * m + row : row * k + j)] *
             b[(item * k + j) * n + column];
    ASSERT_EQ(c[i], 2 * sum) << "element " << i;
  }
}

class KeptBundle : public testing::Test {
 protected:
  KeptBundle() {
    const std::string kept = TILEWRIGHT_SOURCE_DIR "/tests/kept/0.1/host.bundle.gz";
    file_ = folder_.write("host.bundle", gunzip(read_text_file(kept, kBundleFile)).text);
  }

  // The present definitions and no results, so what was measured is the bundle's.
  RuntimeOptions with_bundle() const {
    RuntimeOptions options = built_in();
    options.bundles = {file_};
    options.cache.clear();
    options.host_compiler = "/nowhere/c++";
    return options;
  }

  FolderOfFiles folder_;
  std::filesystem::path file_;
};

TEST_F(KeptBundle, HoldsWhatItHeld) {
  const Bundle bundle(file_);
  EXPECT_EQ(bundle.tool(), "0.1.0");
  const std::vector<BundleKernel> kernels = bundle.kernels();
  ASSERT_EQ(kernels.size(), 2U);
  for (const BundleKernel& kernel : kernels) {
    EXPECT_EQ(kernel.device_name, "AMD EPYC");
    EXPECT_EQ(kernel.architecture, "host");
  }
}

TEST_F(KeptBundle, OfTheLaterVersionIsReadToo) {
  const std::string kept = TILEWRIGHT_SOURCE_DIR "/tests/kept/0.2/host.bundle.gz";
  const Bundle bundle(
      folder_.write("later.bundle", gunzip(read_text_file(kept, kBundleFile)).text));
  EXPECT_EQ(bundle.tool(), "0.2.0");
  const Kernel kernel = bundle.kernel({"gemm", kTiled, DeviceSelector::host()});
  EXPECT_EQ(kernel.answer().implementation, "gemm/naive");
#if defined(__x86_64__)
  expect_product(kernel, kTiled);
#endif
}

TEST_F(KeptBundle, AnswersAsItDid) {
  const Bundle bundle(file_);
  expect_tiled(bundle.kernel({"gemm", kTiled, DeviceSelector::host()}).answer());
  expect_naive(bundle.kernel({"gemm", kNaive, DeviceSelector::host()}).answer());
}

// Its code is found by keys that the present library works out.
TEST_F(KeptBundle, ServesANearProblem) {
  const Settings near = {{"M", 50}, {"N", 41}, {"K", 33}};
  const Kernel kernel = Bundle(file_).kernel({"gemm", near, DeviceSelector::host()});
  EXPECT_EQ(kernel.answer().implementation, "gemm/tiled");
#if defined(__x86_64__)
  expect_product(kernel, near);
#endif
}

// The bundle's definitions have no types. The present ones say what a problem without them means.
TEST_F(KeptBundle, AnswersWhoAsksForFloat32) {
  const Runtime runtime(with_bundle());
  const auto answer = [&](const Settings& problem, const Settings& types) {
    return runtime.kernel({"gemm", joined(problem, types), DeviceSelector::host()}).answer();
  };
  const Settings all = {{"type_a", "float32"},
                        {"type_b", "float32"},
                        {"type_c", "float32"},
                        {"precision", "float32"}};
  for (const Settings& types : {Settings{}, Settings{{"type_a", "float32"}}, all}) {
    expect_tiled(answer(kTiled, types));
    expect_naive(answer(kNaive, types));
  }
  EXPECT_GT(answer(kTiled, {{"type_a", "float16"}}).rung, Rung::exact);

  const Bundle alone(file_);
  const std::string message = message_of<InputError>([&] {
    alone.kernel({"gemm", joined(kTiled, all), DeviceSelector::host()});
  });
  EXPECT_NE(message.find("no dimension or choice 'precision'"), std::string::npos) << message;
}

TEST_F(KeptBundle, LaunchesItsCode) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "its code is for x86-64";
#endif
  const Bundle bundle(file_);
  const Runtime runtime(with_bundle());
  for (const Settings& problem : {kTiled, kNaive}) {
    expect_product(bundle.kernel({"gemm", problem, DeviceSelector::host()}), problem);
    expect_product(runtime.kernel({"gemm", problem, DeviceSelector::host()}), problem);
  }
}

}  // namespace
}  // namespace tilewright::test
