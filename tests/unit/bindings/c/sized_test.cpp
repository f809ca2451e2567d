#include "bindings/c/sized.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tilewright/error.hpp"
#include "tilewright/version.hpp"

namespace tilewright::bindings {
namespace {

// A struct in three versions: of the caller's header, the library's, or a later one.
struct First {
  std::size_t size;
  std::int64_t one;
};
struct Second {
  std::size_t size;
  std::int64_t one;
  const char* two;
};
struct Third {
  std::size_t size;
  std::int64_t one;
  const char* two;
  std::int32_t three;
};
constexpr SizedFacts kFacts = {"tw_thing", sizeof(First)};

template <class Given>
Second read(const Given& given) {
  Second whole = {};
  read_sized("tw_do", kFacts, &given, &whole, sizeof whole);
  return whole;
}

template <class Given>
std::string refusal(const Given& given) {
  try {
    read(given);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SizedStruct, LacksTheFieldsThatTheCallerDoesNotKnow) {
  const Second whole = read(First{sizeof(First), 5});
  EXPECT_EQ(whole.one, 5);
  EXPECT_EQ(whole.two, nullptr);
}

TEST(SizedStruct, IsReadAsItIsWhereBothKnowTheSame) {
  const Second whole = read(Second{sizeof(Second), 5, "text"});
  EXPECT_EQ(whole.one, 5);
  EXPECT_STREQ(whole.two, "text");
}

TEST(SizedStruct, MayHaveMoreFieldsIfTheyAreZero) {
  Third later = {};
  later.size = sizeof later;
  later.one = 5;
  EXPECT_EQ(read(later).one, 5);
  later.three = 1;
  EXPECT_EQ(refusal(later),
            std::string("tw_do: tw_thing has 32 bytes, and a field beyond the 24 that "
                        "this library knows is set; load one that is newer than ") +
                kVersion);
}

TEST(SizedStruct, RefusesSizesThatNoHeaderHad) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{8}, sizeof(First) - 1,
                                 std::size_t{4097}, static_cast<std::size_t>(-1)}) {
    EXPECT_EQ(refusal(First{size, 0}), "tw_do: the size of tw_thing is " + std::to_string(size) +
                                           "; give .size = sizeof(tw_thing)");
  }
}

TEST(SizedStruct, IsWrittenAsFarAsTheCallerHasRoom) {
  const Second whole = {sizeof(Second), 5, "text"};
  std::array<First, 2> small = {First{sizeof(First), 0}, First{77, 88}};
  write_sized("tw_do", kFacts, &whole, small.data(), sizeof whole);
  EXPECT_EQ(small[0].size, sizeof(First));
  EXPECT_EQ(small[0].one, 5);
  EXPECT_EQ(small[1].size, 77U);
  EXPECT_EQ(small[1].one, 88);
  Third large = {sizeof(Third), 0, nullptr, 3};
  write_sized("tw_do", kFacts, &whole, &large, sizeof whole);
  EXPECT_STREQ(large.two, "text");
  EXPECT_EQ(large.three, 3);
  First none = {0, 7};
  EXPECT_THROW(write_sized("tw_do", kFacts, &whole, &none, sizeof whole), InputError);
  EXPECT_EQ(none.one, 7);
}

}  // namespace
}  // namespace tilewright::bindings
