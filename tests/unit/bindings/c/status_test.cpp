#include "bindings/c/status.hpp"

#include <gtest/gtest.h>

#include <new>
#include <thread>

#include "tilewright/error.hpp"

namespace tilewright::bindings {
namespace {

template <class Error>
tw_status thrown(const Error& error) {
  return guarded([&] { throw error; });
}

TEST(Status, IsThatOfTheException) {
  EXPECT_EQ(guarded([] {}), TW_OK);
  EXPECT_EQ(thrown(NothingFound("none")), TW_NOTHING);
  EXPECT_EQ(thrown(InputError("yours")), TW_INPUT_ERROR);
  EXPECT_EQ(thrown(MachineError("its")), TW_MACHINE_ERROR);
  EXPECT_EQ(thrown(LaunchError("the driver's")), TW_LAUNCH_ERROR);
  EXPECT_STREQ(tw_error_text(), "the driver's");
  EXPECT_EQ(thrown(std::bad_alloc()), TW_MACHINE_ERROR);
  EXPECT_EQ(thrown(std::logic_error("ours")), TW_INTERNAL_ERROR);
  EXPECT_STREQ(tw_error_text(), "ours");
  EXPECT_EQ(thrown(1), TW_INTERNAL_ERROR);
  EXPECT_EQ(guarded([] {}), TW_OK);
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

}  // namespace
}  // namespace tilewright::bindings
