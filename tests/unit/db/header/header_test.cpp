#include "db/header/header.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "db/exchange/winners.hpp"
#include "definition/text/escape.hpp"
#include "sample_best.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tests/unit/db/header/sample.hpp"
#include "tilewright/catalog.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

namespace best = tilewright_best;
using Number = std::int64_t;

// One store for all, and a catalog on it.
best::Cache best_of(CachePolicy cache) {
  return static_cast<best::Cache>(static_cast<int>(cache) + 1);  // after `usual`
}

class Header : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new FolderOfFiles;
    const std::filesystem::path file = folder_->path() / "sample.db";
    std::vector<BestRow> shipped = test::sample_rows();
    Store store(file);
    test::fill_with_wrong(store, shipped);
    std::erase_if(shipped, [](const BestRow& row) { return !row.shipped; });
    catalog_ = new Catalog({.database = file,
                            .kernels = {TILEWRIGHT_SOURCE_DIR "/kernel_templates"},
                            .shipped = {folder_->write("shipped.json", export_winners(shipped))},
                            .libraries = Libraries::off});
  }
  static void TearDownTestSuite() {
    delete catalog_;
    delete folder_;
  }

  // What the catalog says; a question that it refuses has no answer.
  static Answer ask(const std::string& operation, const Settings& problem, const Device& device,
                    std::optional<CachePolicy> cache) {
    try {
      return catalog_->look_up({operation, problem, device, cache});
    } catch (const InputError&) {
      Answer none;
      none.rung = Rung::none;
      return none;
    }
  }

  static void expect_equal(const best::Answer& found, const Answer& expected) {
    ASSERT_EQ(static_cast<int>(found.rung), static_cast<int>(expected.rung));
    if (expected.rung == Rung::none) return;
    EXPECT_EQ(found.implementation->name, expected.implementation);
    EXPECT_EQ(found.distance, expected.distance);
    for (const auto& [name, value] : expected.configuration.values) {
      if (const auto* number = std::get_if<Number>(&value))
        EXPECT_EQ(found.value(name, -1), *number) << name;
      else
        EXPECT_EQ(found.label(name), std::get<std::string>(value)) << name;
    }
    if (expected.rung == Rung::portable) {
      EXPECT_EQ(found.row, nullptr);
      EXPECT_EQ(found.device->name, expected.measured_device);
    }
    if (expected.measured_at == 0) return;
    ASSERT_NE(found.row, nullptr);
    EXPECT_EQ(found.row->median_us, expected.median_us);
    EXPECT_EQ(found.device->name, expected.measured_device);
    EXPECT_EQ(found.row->is_shipped, expected.origin == Origin::shipped);
    EXPECT_EQ(found.row->policy, best_of(expected.policy.cache));
  }

  inline static FolderOfFiles* folder_ = nullptr;
  inline static Catalog* catalog_ = nullptr;
};

best::Device device_of(const Device& device) {
  if (const best::Device* known = best::find_device(device.name)) return *known;
  return {device.name,
          device.partition,
          device.kind == DeviceKind::host,
          device.compute_capability,
          device.sm_count,
          device.l2_bytes,
          device.shared_bytes_per_block,
          device.shared_bytes_per_sm,
          device.registers_per_block,
          device.registers_per_sm,
          device.max_threads_per_block,
          device.max_threads_per_sm,
          device.max_blocks_per_sm,
          device.warp_size};
}

// The sample's, one near two of them, one near none and one of another kind.
std::vector<Device> asked_devices() {
  std::vector<Device> devices = test::sample_gpus();
  Device other = devices.front();
  other.name = "NVIDIA Test 9001";
  other.sm_count = 114;
  devices.push_back(other);
  other.name = "NVIDIA Test 9002";  // of little shared memory
  other.shared_bytes_per_block = 20'000;
  devices.push_back(other);
  other.shared_bytes_per_block = devices.front().shared_bytes_per_block;
  other.name = "NVIDIA Test 7000";
  other.compute_capability = 70;
  devices.push_back(other);
  other.name = "a CPU";
  other.kind = DeviceKind::host;
  other.compute_capability = 0;
  devices.push_back(other);
  return devices;
}

struct Random {
  std::mt19937 engine{7};
  Number one_of(std::initializer_list<Number> values) {
    return values.begin()[engine() % values.size()];
  }
  bool coin() { return engine() % 2 == 0; }
  std::optional<CachePolicy> policy() {
    const auto side = engine() % 4;
    if (side == 0) return std::nullopt;
    return static_cast<CachePolicy>(side - 1);
  }
};

best::Cache cache_of(std::optional<CachePolicy> policy) {
  if (!policy) return best::Cache::usual;
  return best_of(*policy);
}

constexpr int kProblems = 250;

// The rows of before a choice are those of its absent label.
TEST(HeaderOfOmittedChoices, HasTheRowsOfSettingsThatOmitIt) {
  const auto header = [](const Settings& problem) {
    Family family;
    family.operation.name = "scale";
    family.operation.dimensions = {{"n", "", 64, 64}};
    family.operation.choices = {
        {"type", "", {"float32", "float16"}, "float32", std::nullopt, "float32"}};
    Implementation& plain = family.implementations.emplace_back();
    plain.operation = "scale";
    plain.name = "plain";
    plain.parameters = {{"BLOCK", "", {32, 64}, 32, std::nullopt}};
    BestRow row;
    row.implementation = "scale/plain";
    row.configuration = {{{"BLOCK", 64}}};
    row.problem = {"scale", problem};
    row.device = test::sample_gpus().front();
    row.trial.timing = Timing{{1234.5}, 1234.5, 1234.5, 1234.5, 1234.5, 1234.5, 1234.5, 1, 1, 0};
    return export_header({{family, {}, {row}}});
  };
  const std::string omitted = header({{"n", 4096}});
  EXPECT_NE(omitted.find("1234.5"), std::string::npos);
  EXPECT_EQ(omitted, header({{"n", 4096}, {"type", "float32"}}));
  EXPECT_NE(omitted, header({{"n", 4096}, {"type", "float16"}}));
}

TEST_F(Header, AnswersForGemmAsTheCatalogDoes) {
  Random random;
  std::map<Rung, int> rungs;
  for (int i = 0; i < kProblems; ++i) {
    best::gemm::Problem problem;
    problem.M = random.one_of({8, 16, 512, 512, 513, 1024, 4096, 0});
    problem.N = random.one_of({512, 512, 511, 1024, 4096, 8});
    problem.K = random.one_of({512, 512, 77, 4096, 64, 1 << 30});
    if (i == 0) problem.M = problem.N = problem.K = 96;
    Settings settings = {{"M", problem.M}, {"N", problem.N}, {"K", problem.K}};
    if (random.coin() && random.coin()) {
      problem.lda = random.one_of({512, 516, 4097});
      settings["lda"] = problem.lda;
    }
    if (random.coin() && random.coin()) {
      problem.batch = random.one_of({1, 64, 100});
      settings["batch"] = problem.batch;
    }
    if (random.coin() && random.coin()) {
      problem.transpose_b = best::gemm::transpose_b_choice::yes;
      settings["transpose_b"] = "yes";
    }
    const auto policy = random.policy();
    for (const Device& device : asked_devices()) {
      SCOPED_TRACE(to_text(settings) + " on " + device.name);
      const Answer expected = ask("gemm", settings, device, policy);
      ++rungs[expected.rung];
      expect_equal(best::gemm::look_up(problem, device_of(device), cache_of(policy)), expected);
      if (HasFatalFailure()) return;
    }
  }
  for (const Rung rung : {Rung::exact, Rung::other_policy, Rung::near_problem, Rung::near_device,
                          Rung::portable, Rung::manifest_default, Rung::none})
    EXPECT_GT(rungs[rung], 0) << to_text(rung);
}

TEST_F(Header, AnswersForConvolutionsAsTheCatalogDoes) {
  Random random;
  for (int i = 0; i < kProblems / 4; ++i) {
    best::conv1d::Problem signal;
    signal.length = random.one_of({1 << 20, 1 << 21, 5000, 5001, 7});
    signal.taps = random.one_of({5, 9, 33, 34});
    Settings signal_settings = {{"length", signal.length}, {"taps", signal.taps}};
    if (random.coin()) {
      signal.boundary = best::conv1d::boundary_choice::wrap;
      signal_settings["boundary"] = "wrap";
    }
    best::conv2d::Problem image;
    image.width = random.one_of({512, 4096, 4095});
    image.filter_width = random.one_of({4, 5, 7});
    const Settings image_settings = {{"width", image.width}, {"filter_width", image.filter_width}};
    for (const Device& device : asked_devices()) {
      SCOPED_TRACE(to_text(signal_settings) + ' ' + to_text(image_settings) + " on " + device.name);
      expect_equal(best::conv1d::look_up(signal, device_of(device)),
                   ask("conv1d", signal_settings, device, {}));
      expect_equal(best::conv2d::look_up(image, device_of(device)),
                   ask("conv2d", image_settings, device, {}));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(Header, AnEpilogueIsPartOfTheProblem) {
  for (const Number size : {512, 600}) {
    best::gemm::Problem problem;
    problem.M = problem.N = problem.K = size;
    problem.epilogue = best::gemm::epilogue_choice::bias_gelu;
    const Settings settings = {{"M", size}, {"N", size}, {"K", size}, {"epilogue", "bias_gelu"}};
    for (const Device& device : asked_devices()) {
      SCOPED_TRACE(to_text(settings) + " on " + device.name);
      expect_equal(best::gemm::look_up(problem, device_of(device)),
                   ask("gemm", settings, device, {}));
    }
  }
}

TEST(HeaderText, DoesNotDependOnTheOrderOfTheRows) {
  std::vector<BestRow> rows = test::sample_rows();
  std::vector<PortableRow> portable = test::sample_portable(rows);
  const std::string text = export_header(test::parts_for(rows, portable));
  std::reverse(rows.begin(), rows.end());
  std::reverse(portable.begin(), portable.end());
  EXPECT_EQ(export_header(test::parts_for(rows, portable)), text);
}

// A header knows no power limit of the device that it is used on.
TEST(HeaderText, LeavesOutRowsThatThoseOfAnotherPowerLimitSupersede) {
  std::vector<BestRow> rows = test::sample_rows();
  const std::string text = export_header(test::parts_for(rows, {}));
  std::vector<BestRow> both = rows;
  for (BestRow& row : rows) {
    row.superseded = true;
    row.environment.power_limit_w = 400;
    row.trial.timing->median_us /= 2;
    both.push_back(row);
  }
  EXPECT_EQ(export_header(test::parts_for(both, {})), text);
}

// At compile time.
constexpr best::gemm::Problem problem_of(long long size) {
  best::gemm::Problem problem;
  problem.M = problem.N = problem.K = size;
  return problem;
}
constexpr best::Answer kExact = best::gemm::exact(problem_of(512), best::devices[0]);
static_assert(best::gemm::exact(problem_of(509), best::devices[0]).rung == best::Rung::none);
static_assert(best::find_device("NVIDIA Test 9000", 131) == nullptr);

TEST(HeaderText, ExactAnswersAreConstants) {
  EXPECT_LE(kExact.rung, best::Rung::other_policy);
  EXPECT_NE(kExact.implementation, nullptr);
}

// An operation of one size with one implementation, which has a block.
Family scale_family() {
  Family family;
  family.operation.name = "scale";
  family.operation.dimensions = {{"n", "", 64, 64}};
  Implementation& plain = family.implementations.emplace_back();
  plain.operation = "scale";
  plain.name = "plain";
  plain.parameters = {{"BLOCK", "", {32, 64}, 32, std::nullopt}};
  return family;
}

TEST(HeaderText, InactiveParametersOfGeneralConfigurationsHaveTheirDefault) {
  Family family = scale_family();
  Implementation& plain = family.implementations.front();
  plain.parameters.push_back(
      {"UNROLL", "", {1, 2}, 1, std::nullopt, Expression::parse("BLOCK == 32")});
  const auto settle = [&] {
    const std::string text = export_header({{family, {}, {}}});
    const std::size_t at = text.find("bool settle_0(");
    return text.substr(at, text.find("return e.ok;", at) - at);
  };
  const auto expect_part = [&](const std::string& part) {
    EXPECT_NE(settle().find(part), std::string::npos) << settle();
  };
  expect_part("p[1] = ((p[0] == 32LL ? 1LL : 0LL) != 0 ? p[1] : 1LL);");
  plain.parameters[1].follows = Expression::parse("n");
  expect_part("p[1] = ((p[0] == 32LL ? 1LL : 0LL) != 0 ? q[0] : 1LL);");
}

// A device's name is text wherever it comes from. The header with a hostile name is the header with
// a plain one, but for that name's literal.
TEST(HeaderText, NamesOfDevicesAreOnlyText) {
  std::vector<BestRow> rows = test::sample_rows();
  const Device first = rows.front().device;
  std::erase_if(rows, [&](const BestRow& row) { return row.device != first; });
  const auto header_with = [&rows](const std::string& name) {
    for (BestRow& row : rows) row.device.name = name;
    return export_header(test::parts_for(rows, {}));
  };
  const std::string plain = header_with("plain name");
  for (const std::string name :
       {"@CORE@", "@PORTABLE@", "@DEVICES@@DEVICE_MEMBERS@\n", "@", "a\rb", "\"; int x; //", "\\",
        "?\?/", "{}", "\xE2\x80\xA8", ")__text__\""}) {
    std::string expected = plain;
    for (std::size_t at = 0; (at = expected.find("\"plain name\"", at)) != std::string::npos; ++at)
      expected.replace(at, std::string("\"plain name\"").size(), cpp_literal(name));
    EXPECT_EQ(header_with(name), expected) << name;
  }
}

TEST(HeaderText, ChecksWhatAnImplementationRequiresOfADevice) {
  const auto header_with = [](const std::string& required) {
    std::vector<HeaderPart> parts = test::parts_for({}, {});
    parts.front().family.implementations.front().requires_architecture = required;
    return export_header(parts);
  };
  const std::string suffixed = "if (!d.is_host && d.compute_capability != 90) return false;";
  const std::string plain = "if (!d.is_host && d.compute_capability < 80) return false;";
  EXPECT_NE(header_with("sm_90a").find(suffixed), std::string::npos);
  EXPECT_NE(header_with("sm_80").find(plain), std::string::npos);
  EXPECT_EQ(header_with("").find(suffixed), std::string::npos);
}

TEST(HeaderText, ChecksTheLowerBoundOfSharedMemory) {
  const auto header_with = [](const std::string& bytes) {
    Family family = scale_family();
    family.implementations.front().estimate.shared_bytes = Expression::parse(bytes);
    return export_header({{family, {}, {}}});
  };
  const std::string bound = "if (!e.ok || (most > 0 && shared_bytes > most)) return false;";
  const std::string text = header_with("BLOCK * n");
  EXPECT_NE(text.find("shared_bytes = e.multiply(p[0], q[0]);"), std::string::npos) << text;
  EXPECT_NE(text.find(bound), std::string::npos) << text;
  EXPECT_EQ(header_with("0").find(bound), std::string::npos);
}

}  // namespace
}  // namespace tilewright
