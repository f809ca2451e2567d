#include "tuner/verify/fill.hpp"
#include "tuner/verify/compare_elements.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

#include "tests/unit/tuner/verify/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

PlannedBuffer filled(Fill::Kind kind, double low, double high, std::int64_t count,
                     ElementType type = ElementType::float32) {
  PlannedBuffer buffer = make_buffer("x", count, type);
  buffer.fill.kind = kind;
  buffer.fill.low = low;
  buffer.fill.high = high;
  return buffer;
}

// Would change with the generator, and with it every stored seed's meaning.
TEST(Fill, IsAKnownSequence) {
  const auto values = from_bytes<double>(
      fill_buffer(filled(Fill::Kind::uniform, 0, 1, 3, ElementType::float64), 0, 1));
  EXPECT_DOUBLE_EQ(values[0], 0.32244464330112033);
  EXPECT_DOUBLE_EQ(values[1], 0.56223253076199442);
  EXPECT_DOUBLE_EQ(values[2], 0.78286995357509059);
}

TEST(Fill, UniformStaysInRangeAndSpreads) {
  const auto values =
      from_bytes<float>(fill_buffer(filled(Fill::Kind::uniform, -1, 1, 100000), 0, 1));
  ASSERT_EQ(values.size(), 100000U);
  EXPECT_GE(*std::min_element(values.begin(), values.end()), -1.0F);
  EXPECT_LT(*std::max_element(values.begin(), values.end()), 1.0F);
  EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0) / 100000, 0, 0.005);
  EXPECT_GT(std::set<float>(values.begin(), values.end()).size(), 99000U);
}

TEST(Fill, NeverRoundsUpToHigh) {
  // Between 1 and the next float there is none, so nearly every draw rounds to one of the two.
  const double high = 1 + 0x1p-23;
  for (const float value :
       from_bytes<float>(fill_buffer(filled(Fill::Kind::uniform, 1, high, 100), 0, 1)))
    EXPECT_EQ(value, 1.0F);
}

TEST(Fill, DependsOnSeedAndArgumentAndIndexOnly) {
  const auto first = fill_buffer(filled(Fill::Kind::uniform, -1, 1, 1000), 2, 9);
  auto longer = fill_buffer(filled(Fill::Kind::uniform, -1, 1, 700000), 2, 9);
  longer.resize(first.size());
  EXPECT_EQ(first, longer);
  EXPECT_NE(first, fill_buffer(filled(Fill::Kind::uniform, -1, 1, 1000), 2, 10));
  EXPECT_NE(first, fill_buffer(filled(Fill::Kind::uniform, -1, 1, 1000), 3, 9));
}

TEST(Fill, HoldsForMoreThan32BitsOfElements) {
  using elements::Filling;
  constexpr std::int64_t kCount = std::int64_t{6} << 30;
  const auto at = [](Filling filling, std::int64_t index) {
    return elements::filled_element<std::int64_t>({filling, 0, 1e12}, 7, index, kCount);
  };
  std::set<std::int64_t> places;
  for (std::int64_t i = kCount - 1000; i < kCount; ++i) {
    const std::int64_t place = at(Filling::permutation, i);
    EXPECT_TRUE(place >= 0 && place < kCount) << place;
    places.insert(place);
    EXPECT_LE(at(Filling::offsets, i - 1), at(Filling::offsets, i));
    EXPECT_LE(at(Filling::sorted, i - 1), at(Filling::sorted, i));
    EXPECT_NE(at(Filling::integers, i), at(Filling::integers, i - (std::int64_t{1} << 32)));
  }
  EXPECT_EQ(places.size(), 1000U);
  EXPECT_GT(*places.rbegin(), std::int64_t{1} << 32);
  EXPECT_EQ(at(Filling::offsets, kCount - 1), 1'000'000'000'000);
}

TEST(Fill, IntegersReachBothEndsAndNoFurther) {
  const auto values = from_bytes<std::int32_t>(
      fill_buffer(filled(Fill::Kind::integers, -2, 3, 2000, ElementType::int32), 0, 1));
  EXPECT_EQ(std::set<std::int32_t>(values.begin(), values.end()),
            (std::set<std::int32_t>{-2, -1, 0, 1, 2, 3}));
  for (const float value :
       from_bytes<float>(fill_buffer(filled(Fill::Kind::integers, 0, 7, 100), 0, 1)))
    EXPECT_EQ(value, std::floor(value));
}

TEST(Fill, SortedAscendsOverTheRange) {
  const auto values =
      from_bytes<float>(fill_buffer(filled(Fill::Kind::sorted, 10, 20, 300000), 0, 1));
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  EXPECT_GE(values.front(), 10.0F);
  EXPECT_LT(values.front(), 10.01F);
  EXPECT_GT(values.back(), 19.99F);
  EXPECT_LT(values.back(), 20.0F);
  const auto bytes = from_bytes<std::uint8_t>(
      fill_buffer(filled(Fill::Kind::sorted, 0, 256, 1000, ElementType::uint8), 0, 1));
  EXPECT_TRUE(std::is_sorted(bytes.begin(), bytes.end()));
  EXPECT_EQ(bytes.back(), 255);
}

TEST(Fill, ConstantAndRangesOfSmallTypes) {
  EXPECT_EQ(from_bytes<double>(
                fill_buffer(filled(Fill::Kind::constant, 2.5, 0, 2, ElementType::float64), 0, 1)),
            (std::vector<double>{2.5, 2.5}));
  EXPECT_EQ(from_bytes<std::uint8_t>(
                fill_buffer(filled(Fill::Kind::constant, 300, 0, 1, ElementType::uint8), 0, 1)),
            std::vector<std::uint8_t>{255});
  EXPECT_EQ(from_bytes<std::uint32_t>(
                fill_buffer(filled(Fill::Kind::constant, -1, 0, 1, ElementType::uint32), 0, 1)),
            std::vector<std::uint32_t>{0});
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(from_bytes<float>(fill_buffer(
                filled(Fill::Kind::constant, -infinity, 0, 1, ElementType::float32), 0, 1)),
            std::vector<float>{-std::numeric_limits<float>::infinity()});
}

// The same bits on every machine, as for the others.
TEST(Fill, NormalIsAKnownSequence) {
  PlannedBuffer buffer = make_buffer("x", 3, ElementType::float64);
  buffer.fill.kind = Fill::Kind::normal;
  const auto values = from_bytes<double>(fill_buffer(buffer, 0, 1));
  EXPECT_EQ(values, (std::vector<double>{-106947 * 0x1p-17, -16982 * 0x1p-17, 139576 * 0x1p-17}));
}

TEST(Fill, NormalHasItsMeanDeviationAndTails) {
  PlannedBuffer buffer = make_buffer("x", 200000, ElementType::float64);
  buffer.fill.kind = Fill::Kind::normal;
  buffer.fill.mean = 3;
  buffer.fill.deviation = 2;
  std::vector<double> values = from_bytes<double>(fill_buffer(buffer, 0, 1));
  for (double& value : values) value = (value - 3) / 2;
  const auto mean_of = [&](const auto& function) {
    double sum = 0;
    for (const double value : values) sum += function(value);
    return sum / static_cast<double>(values.size());
  };
  EXPECT_NEAR(mean_of([](double z) { return z; }), 0, 0.01);
  EXPECT_NEAR(mean_of([](double z) { return z * z; }), 1, 0.01);
  EXPECT_NEAR(mean_of([](double z) { return z * z * z; }), 0, 0.03);
  EXPECT_NEAR(mean_of([](double z) { return z * z * z * z; }), 2.975, 0.05);
  EXPECT_NEAR(mean_of([](double z) { return z < -1 ? 1.0 : 0.0; }), 0.15866, 0.003);
  EXPECT_NEAR(mean_of([](double z) { return z > 3 ? 1.0 : 0.0; }), 0.00126, 0.0004);
}

TEST(Fill, StaysWithinTheTypesRange) {
  for (const ElementType type : {ElementType::float16, ElementType::float8_e4m3,
                                 ElementType::float8_e5m2, ElementType::bfloat16}) {
    PlannedBuffer buffer = make_buffer("x", 5000, type);
    for (const double size : {1.0, 1e3, 1e39}) {
      buffer.fill = default_fill(type);
      EXPECT_EQ(buffer.fill.kind, Fill::Kind::normal);
      buffer.fill.deviation = size;
      const auto check = [&] {
        const auto bytes = fill_buffer(buffer, 0, 1);
        visit_type(type, [&]<class T>(std::type_identity<T>) {
          if constexpr (!std::is_integral_v<T>) {
            for (std::int64_t i = 0; i < buffer.count; ++i)
              ASSERT_LE(std::abs(elements::exact_value(load_element<T>(bytes.data(), i))),
                        facts_of(type).greatest)
                  << to_text(type) << ' ' << size;
          }
        });
      };
      check();
      buffer.fill = {Fill::Kind::uniform, -size, size};
      check();
      buffer.fill = {Fill::Kind::constant, size, size};
      check();
    }
  }
}

TEST(Fill, ComplexNumbersAreTwoParts) {
  for (const Fill::Kind kind : {Fill::Kind::uniform, Fill::Kind::integers, Fill::Kind::sorted,
                                Fill::Kind::constant, Fill::Kind::normal})
    EXPECT_EQ(fill_buffer(filled(kind, -3, 7, 500, ElementType::complex64), 2, 5),
              fill_buffer(filled(kind, -3, 7, 1000, ElementType::float32), 2, 5));
}

TEST(Fill, ComputedScalarsHoldTheirValue) {
  PlannedBuffer buffer = make_buffer("n", 0, ElementType::int64);
  buffer.kind = ArgumentKind::scalar;
  buffer.has_value = true;
  buffer.value = -5000000000;
  EXPECT_EQ(from_bytes<std::int64_t>(fill_buffer(buffer, 0, 1)),
            std::vector<std::int64_t>{-5000000000});
  buffer.has_value = false;
  EXPECT_EQ(fill_buffer(buffer, 0, 1).size(), sizeof(std::int64_t));
}

class FillFile : public testing::Test {
 protected:
  FillFile()
      : path_(std::filesystem::temp_directory_path() /
              ("tilewright_fill_test_" + std::to_string(getpid()))) {}
  ~FillFile() override { std::filesystem::remove(path_); }

  PlannedBuffer from_file(std::int64_t count) const {
    PlannedBuffer buffer = filled(Fill::Kind::file, 0, 0, count);
    buffer.fill.file = path_;
    return buffer;
  }

  std::filesystem::path path_;
};

TEST_F(FillFile, TakesTheFirstElements) {
  const auto bytes = to_bytes<float>({1, 2, 3});
  std::ofstream(path_, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  EXPECT_EQ(from_bytes<float>(fill_buffer(from_file(2), 0, 1)), (std::vector<float>{1, 2}));
  EXPECT_THROW(fill_buffer(from_file(4), 0, 1), InputError);
}

TEST_F(FillFile, RefusesAMissingFileByName) {
  try {
    fill_buffer(from_file(1), 0, 1);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(path_.string()), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("'x'"), std::string::npos);
  }
}

}  // namespace
}  // namespace tilewright
