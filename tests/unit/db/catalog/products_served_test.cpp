// Who serves products and layers that nobody tuned, on devices with tensor cores.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "db/ladder/ladder.hpp"
#include "definition/library/library.hpp"
#include "definition/problem.hpp"
#include "tests/support/h200.hpp"
#include "tests/unit/db/ladder/inactive.hpp"

namespace tilewright {
namespace {

using Random = std::mt19937_64;
using Counts = std::map<std::string, int>;

constexpr int kProblems = 300;

std::int64_t one_to(std::int64_t most, Random& random) {
  return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
}

// Any sizes up to `most`, any transpose; every second product has rows with gaps.
std::vector<std::string> random_product(const std::string& types, std::int64_t most,
                                        Random& random) {
  const auto sized = [](const char* name, std::int64_t value) {
    return name + ('=' + std::to_string(value));
  };
  const std::int64_t m = one_to(most, random), n = one_to(most, random), k = one_to(most, random);
  const bool a = random() % 2 == 0, b = random() % 2 == 0;
  const std::int64_t gap = random() % 2 == 0 ? one_to(9, random) : 0;
  std::vector<std::string> all = {sized("M", m),
                                  sized("N", n),
                                  sized("K", k),
                                  sized("lda", (a ? m : k) + gap),
                                  sized("ldb", (b ? k : n) + gap),
                                  sized("ldc", n + gap),
                                  std::string("transpose_a=") + (a ? "yes" : "no"),
                                  std::string("transpose_b=") + (b ? "yes" : "no")};
  all.push_back(types);
  return all;
}

const Library& templates() {
  static const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  return library;
}

Counts served(const std::string& types, const Device& device, std::int64_t most) {
  const Family& family = templates().family("gemm");
  LadderQuestion question;
  question.operation = &family.operation;
  for (const Implementation& one : family.implementations) question.implementations.push_back(&one);
  question.device = device;
  Random random(20261125);
  Counts counts;
  for (int i = 0; i < kProblems; ++i) {
    const std::vector<std::string> product = random_product(types, most, random);
    question.problem = make_problem(family.operation, product, device);
    const auto answer = DefaultAnswer(question).get();
    if (answer) test::expect_inactive_at_default(*answer, question);
    ++counts[answer ? answer->implementation->name : "nothing"];
  }
  return counts;
}

class ProductsServed : public testing::TestWithParam<std::string> {};

// On plain cores at most one in a hundred, beside those of few rows or columns.
TEST_P(ProductsServed, ByTensorCores) {
  for (const Device& device : {test::h200(), test::ampere()})
    for (const std::int64_t most : {300, 4000}) {
      Counts counts = served(GetParam(), device, most);
      EXPECT_LE(counts["naive"] + counts["tiled"] + counts["blocked"] + counts["nothing"],
                kProblems / 100)
          << device.name << ", sizes up to " << most << ": naive " << counts["naive"] << ", tiled "
          << counts["tiled"] << ", blocked " << counts["blocked"] << ", thin " << counts["thin"]
          << ", nothing " << counts["nothing"];
    }
}

INSTANTIATE_TEST_SUITE_P(Types, ProductsServed,
                         testing::Values("type_a=float16", "type_a=bfloat16", "precision=tf32"),
                         [](const auto& types) {
                           return types.param.substr(types.param.find('=') + 1);
                         });

// Float8 and int8 that do not lie along K are copied first, which small products do not repay.
TEST(ProductsServedOf8Bits, ByTensorCoresAboveAMillionProducts) {
  for (const std::string types : {"type_a=float8_e4m3", "type_a=int8"}) {
    Counts counts = served(types, test::h200(), 4000);
    EXPECT_LE(counts["naive"] + counts["nothing"], kProblems / 100) << types;
  }
}

TEST(LayersServed, DepthwiseHasADefaultForAnyNumberOfChannels) {
  const Family& family = templates().family("conv_layer");
  LadderQuestion question;
  question.operation = &family.operation;
  question.implementations = {&family.implementation("depthwise")};
  question.device = test::h200();
  const std::multimap<std::string, std::string> types = {{"float16", "float16"},
                                                         {"float16", "float64"},
                                                         {"float32", "float32"},
                                                         {"float64", "float64"},
                                                         {"int8", "int32"}};
  for (const auto& [type, type_out] : types)
    for (int channels = 1; channels <= 40; ++channels) {
      const std::string count = std::to_string(channels);
      question.problem = make_problem(family.operation,
                                      {"type=" + type, "type_out=" + type_out, "width=112",
                                       "channels_in=" + count, "groups=" + count},
                                      test::h200());
      EXPECT_TRUE(DefaultAnswer(question).get()) << type << ' ' << type_out << ' ' << channels;
    }
}

}  // namespace
}  // namespace tilewright
