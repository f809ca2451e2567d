#include "tools/show/reproducer_inputs.h"

#include <gtest/gtest.h>

#include "tuner/verify/fill.hpp"

namespace tilewright::tools {
namespace {

constexpr std::int64_t kCount = 1000;
constexpr std::uint64_t kSeed = 7;

// Same data as a sweep's, for every type.
void expect_same(Fill::Kind kind, tilewright_reproducer::Filling filling, double low, double high) {
  for (std::size_t i = 0; i < kElementTypes.size(); ++i) {
    const auto type = static_cast<ElementType>(i);
    PlannedBuffer buffer;
    buffer.type = type;
    buffer.count = kCount;
    buffer.fill = {kind, low, high, {}, low, high};
    for (const int argument : {0, 3})
      visit_type(type, [&]<class T>(std::type_identity<T>) {
        EXPECT_EQ(tilewright_reproducer::filled<T>({filling, low, high}, kCount, argument, kSeed),
                  fill_buffer(buffer, argument, kSeed))
            << to_text(type) << " from " << low << " to " << high;
      });
  }
}

TEST(ReproducerInputs, AreThoseOfASweep) {
  using tilewright_reproducer::Filling;
  for (const auto& [low, high] : {std::pair{-1.0, 1.0}, {0.5, 1.0}, {-1e30, 1e30}, {3.0, 3.0}}) {
    expect_same(Fill::Kind::uniform, Filling::uniform, low, high);
    expect_same(Fill::Kind::integers, Filling::integers, low, high);
    expect_same(Fill::Kind::sorted, Filling::sorted, low, high);
    expect_same(Fill::Kind::constant, Filling::constant, low, high);
    expect_same(Fill::Kind::normal, Filling::normal, low, high);
    expect_same(Fill::Kind::offsets, Filling::offsets, low, high);
    expect_same(Fill::Kind::permutation, Filling::permutation, low, high);
  }
}

TEST(ReproducerInputs, AScalarOrAFileIsItsBytes) {
  PlannedBuffer buffer;
  buffer.kind = ArgumentKind::scalar;
  buffer.type = ElementType::float32;
  buffer.has_value = true;
  buffer.value = -5;
  EXPECT_EQ(tilewright_reproducer::bytes_of<float>(-5), fill_buffer(buffer, 0, kSeed));
  buffer.is_real = true;
  buffer.real = 0.1;
  EXPECT_EQ(tilewright_reproducer::bytes_of<float>(0.1), fill_buffer(buffer, 0, kSeed));
}

}  // namespace
}  // namespace tilewright::tools
