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
    const std::size_t bits =
        std::stoul(name.substr(name.find_first_of("123468", name.starts_with("complex") ? 7 : 0)));
    EXPECT_EQ(8 * size, bits) << name;
    EXPECT_EQ(is_integer(type), name.find("int") != std::string::npos) << name;
    EXPECT_EQ(is_unsigned(type), name.starts_with("uint")) << name;
    EXPECT_EQ(is_narrow_float(type), name.find("float") != std::string::npos && bits < 32) << name;
    EXPECT_EQ(type_named(name), type);
  }
}

// What is worked out for a type without a list of types.
TEST(Elements, TheTableSaysOfEachTypeWhatItIs) {
  for (std::size_t i = 0; i < kElementTypes.size(); ++i) {
    const ElementTypeFacts& facts = kElementTypes.at(i);
    visit_type(static_cast<ElementType>(i), [&]<class T>(std::type_identity<T>) {
      using Part = typename elements::Parts<T>::Part;
      EXPECT_EQ(facts.epsilon, elements::machine_epsilon<T>()) << facts.name;
      EXPECT_EQ(facts.greatest, elements::greatest<Part>()) << facts.name;
      EXPECT_EQ(facts.kind == ElementKind::complex, sizeof(Part) < sizeof(T)) << facts.name;
    });
    const std::string name(facts.name);
    const int code = name.starts_with("int")      ? 0
                     : name.starts_with("uint")   ? 1
                     : name.starts_with("bfloat") ? 4
                     : name.starts_with("comp")   ? 5
                     : name == "float8_e4m3"      ? 10
                     : name == "float8_e5m2"      ? 12
                                                  : 2;
    EXPECT_EQ(facts.dlpack_code, code) << name;
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
