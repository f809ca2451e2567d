#include "tuner/verify/fill.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tuner/verify/compare_elements.h"

namespace tilewright {
namespace {

TEST(Elements, VisitTypeNamesTheCppType) {
  const auto size = [](ElementType type) {
    return visit_type(type, []<class T>(std::type_identity<T>) { return sizeof(T); });
  };
  EXPECT_EQ(size(ElementType::uint8), 1U);
  EXPECT_EQ(size(ElementType::float32), 4U);
  EXPECT_EQ(size(ElementType::int32), 4U);
  EXPECT_EQ(size(ElementType::uint32), 4U);
  EXPECT_EQ(size(ElementType::float64), 8U);
  EXPECT_EQ(size(ElementType::int64), 8U);
  EXPECT_EQ(size(ElementType::uint64), 8U);
}

TEST(Elements, LoadAndStoreNeedNoAlignment) {
  std::vector<std::uint8_t> bytes(17, 0);
  store_element(bytes.data() + 1, 1, 2.5);
  EXPECT_EQ(load_element<double>(bytes.data() + 1, 1), 2.5);
  EXPECT_EQ(load_element<double>(bytes.data() + 1, 0), 0.0);
}

TEST(Elements, EpsilonIsWorkedOutForEveryType) {
  EXPECT_EQ(elements::machine_epsilon<float>(), std::numeric_limits<float>::epsilon());
  EXPECT_EQ(elements::machine_epsilon<double>(), std::numeric_limits<double>::epsilon());
  EXPECT_EQ(elements::machine_epsilon<std::uint8_t>(), 0);
}

}  // namespace
}  // namespace tilewright
