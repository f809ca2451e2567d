#include "tuner/verify/fill.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tuner/verify/compare_elements.h"

namespace tilewright {
namespace {

TEST(Elements, VisitTypeNamesTheCppType) {
  for (std::size_t i = 0; i < kElementTypes.size(); ++i) {
    const auto type = static_cast<ElementType>(i);
    const auto size = visit_type(type, []<class T>(std::type_identity<T>) { return sizeof(T); });
    const std::string name(to_text(type));
    const std::size_t bits = std::stoul(name.substr(name.find_first_of("123468")));
    EXPECT_EQ(8 * size, bits) << name;
    EXPECT_EQ(is_integer(type), name.find("int") != std::string::npos) << name;
    EXPECT_EQ(is_unsigned(type), name.starts_with("uint")) << name;
    EXPECT_EQ(is_narrow_float(type), name.find("float") != std::string::npos && bits < 32) << name;
  }
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
  EXPECT_EQ(elements::machine_epsilon<Float16>(), 0x1p-10);
  EXPECT_EQ(elements::machine_epsilon<BFloat16>(), 0x1p-7);
  EXPECT_EQ(elements::machine_epsilon<Float8E4M3>(), 0x1p-3);
  EXPECT_EQ(elements::machine_epsilon<Float8E5M2>(), 0x1p-2);
}

}  // namespace
}  // namespace tilewright
