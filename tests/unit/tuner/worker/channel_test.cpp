#include "tuner/worker/channel.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "tuner/worker/process.hpp"

namespace tilewright {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kForEver{0};

class Channel : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    in_ = Descriptor(ends[0]);
    out_ = Descriptor(ends[1]);
  }
  void write_raw(const std::string& bytes) {
    ASSERT_EQ(write(out_.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }

  Descriptor in_, out_;
};

TEST_F(Channel, CarriesMessagesInOrder) {
  const nlohmann::json first = {
      {"text", "käse"}, {"bytes", nlohmann::json::binary({0, 255, 1})}, {"number", 0.1}};
  const nlohmann::json second = {1, nullptr, true, 18446744073709551615ULL};
  EXPECT_TRUE(write_message(out_.get(), first));
  EXPECT_TRUE(write_message(out_.get(), second));
  nlohmann::json got;
  ASSERT_EQ(read_message(in_.get(), got, kForEver), ReadStatus::message);
  EXPECT_EQ(got, first);
  ASSERT_EQ(read_message(in_.get(), got, kForEver), ReadStatus::message);
  EXPECT_EQ(got, second);
}

TEST_F(Channel, CarriesMoreThanAPipeHolds) {
  const nlohmann::json big = nlohmann::json::binary(std::vector<std::uint8_t>(5'000'000, 7));
  std::thread writer([&] { EXPECT_TRUE(write_message(out_.get(), big)); });
  nlohmann::json got;
  EXPECT_EQ(read_message(in_.get(), got, kForEver), ReadStatus::message);
  writer.join();
  EXPECT_EQ(got, big);
}

TEST_F(Channel, TimesOutBeforeAndWithinAMessage) {
  nlohmann::json got = "untouched";
  EXPECT_EQ(read_message(in_.get(), got, milliseconds(5)), ReadStatus::timed_out);
  write_raw(std::string("\x05\x00\x00\x00\x61", 5));
  EXPECT_EQ(read_message(in_.get(), got, milliseconds(5)), ReadStatus::timed_out);
  EXPECT_EQ(got, "untouched");
}

TEST_F(Channel, TellsEndOfFileBeforeAndWithinAMessage) {
  write_raw(std::string("\x05\x00\x00\x00\x61", 5));
  out_.close();
  nlohmann::json got;
  EXPECT_EQ(read_message(in_.get(), got, kForEver), ReadStatus::end_of_file);
  EXPECT_EQ(read_message(in_.get(), got, kForEver), ReadStatus::end_of_file);
}

TEST_F(Channel, RefusesWhatIsNoMessage) {
  nlohmann::json got;
  write_raw(std::string("\x03\x00\x00\x00\xff\xff\xff", 7));
  EXPECT_EQ(read_message(in_.get(), got, kForEver), ReadStatus::malformed);
  write_raw("stray output of a library\n");  // a length beyond any message
  EXPECT_EQ(read_message(in_.get(), got, kForEver), ReadStatus::malformed);
}

TEST_F(Channel, WritingToNobodyFailsWithoutASignal) {
  in_.close();
  EXPECT_FALSE(write_message(out_.get(), nlohmann::json{{"a", 1}}));
  EXPECT_FALSE(write_message(out_.get(), nlohmann::json{{"a", 1}}));
}

TEST_F(Channel, WritingToOneWhoDoesNotReadTimesOut) {
  const nlohmann::json big = nlohmann::json::binary(std::vector<std::uint8_t>(5'000'000, 7));
  EXPECT_FALSE(write_message(out_.get(), big, milliseconds(5)));
}

}  // namespace
}  // namespace tilewright
