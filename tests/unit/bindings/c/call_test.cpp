#include "bindings/c/call.hpp"

#include <gtest/gtest.h>

#include <array>
#include <new>
#include <string>
#include <thread>

#include "tilewright/error.hpp"
#include "tilewright/version.hpp"

namespace tilewright::bindings {
namespace {

template <class Error>
tw_status thrown(const Error& error) {
  return guarded("tw_do", {}, [&] { throw error; });
}

TEST(Status, IsThatOfTheException) {
  EXPECT_EQ(guarded("tw_do", {}, [] {}), TW_OK);
  EXPECT_EQ(thrown(NothingFound("none")), TW_NOTHING);
  EXPECT_EQ(thrown(InputError("yours")), TW_INPUT_ERROR);
  EXPECT_EQ(thrown(MachineError("its")), TW_MACHINE_ERROR);
  EXPECT_EQ(thrown(LaunchError("the driver's")), TW_LAUNCH_ERROR);
  EXPECT_STREQ(tw_error_text(), "the driver's");
  EXPECT_EQ(thrown(std::bad_alloc()), TW_MACHINE_ERROR);
  EXPECT_EQ(thrown(std::logic_error("ours")), TW_INTERNAL_ERROR);
  EXPECT_STREQ(tw_error_text(), "ours");
  EXPECT_EQ(thrown(1), TW_INTERNAL_ERROR);
  EXPECT_EQ(guarded("tw_do", {}, [] {}), TW_OK);
  EXPECT_STREQ(tw_error_text(), "an exception of an unknown type");  // success leaves it alone
}

TEST(Status, TextIsTheThreadsOwn) {
  thrown(InputError("this thread's"));
  std::thread([] {
    EXPECT_STREQ(tw_error_text(), "");
    thrown(InputError("the other's"));
  }).join();
  EXPECT_STREQ(tw_error_text(), "this thread's");
}

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
