#include "tuner/worker/channel.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "tuner/worker/process.hpp"
#include "waiting.hpp"

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
  write_raw(std::string("\x05\x00\x00\x00\xfa\xff\xff\xff\x61", 9));
  EXPECT_EQ(read_message(in_.get(), got, milliseconds(5)), ReadStatus::timed_out);
  EXPECT_EQ(got, "untouched");
}

TEST_F(Channel, TellsEndOfFileBeforeAndWithinAMessage) {
  write_raw(std::string("\x05\x00\x00\x00\xfa\xff\xff\xff\x61", 9));
  out_.close();
  nlohmann::json got;
  EXPECT_EQ(read_message(in_.get(), got, kForEver), ReadStatus::end_of_file);
  EXPECT_EQ(read_message(in_.get(), got, kForEver), ReadStatus::end_of_file);
}

TEST_F(Channel, RefusesWhatIsNoMessage) {
  nlohmann::json got;
  write_raw(std::string("\x03\x00\x00\x00\xfc\xff\xff\xff\xff\xff\xff", 11));
  EXPECT_EQ(read_message(in_.get(), got, kForEver), ReadStatus::malformed);
  write_raw("stray output of a library\n");  // a length beyond any message
  EXPECT_EQ(read_message(in_.get(), got, kForEver), ReadStatus::malformed);
}

TEST_F(Channel, WaitsForNoRestOfWhatIsNoMessage) {
  nlohmann::json got;
  write_raw("\xff\xff\xff\x3f garbage");  // begins as a message of 1 GiB
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

using std::chrono::milliseconds;

// A machine whose clocks only the test moves.
class DeadlineTest : public ::testing::Test {
 protected:
  Deadline of_wall_time(milliseconds limit) {
    return {limit, {.now = [this] { return Deadline::Clock::time_point(now_); }}};
  }
  Deadline of_processor_time(milliseconds limit) {
    return {limit,
            {.now = [this] { return Deadline::Clock::time_point(now_); },
             .worked = [this] { return worked_; }}};
  }
  // Looks as somebody does who polls. `share` of the time goes to the worker.
  bool is_over_after(Deadline& deadline, milliseconds time, double share = 0) {
    constexpr milliseconds kStep{10};
    bool is_over = deadline.look();
    for (milliseconds passed{0}; passed < time; passed += kStep) {
      now_ += kStep;
      worked_us_ += share * 1000 * static_cast<double>(kStep.count());
      worked_ = milliseconds(static_cast<std::int64_t>(worked_us_ / 1000));
      is_over = deadline.look();
    }
    return is_over;
  }

  milliseconds now_{1'000'000};
  milliseconds worked_{500};  // before it began
  double worked_us_ = 500'000;
};

TEST_F(DeadlineTest, WallTimeCounts) {
  Deadline deadline = of_wall_time(milliseconds(1500));
  EXPECT_FALSE(is_over_after(deadline, milliseconds(1400)));
  EXPECT_EQ(deadline.until_look(), 100);
  EXPECT_TRUE(is_over_after(deadline, milliseconds(100)));
  EXPECT_EQ(deadline.spent(), milliseconds(1500));
  EXPECT_EQ(deadline.text(), "1.5 s");
}

TEST_F(DeadlineTest, TimeInWhichTheProgramWasStoppedDoesNot) {
  Deadline deadline = of_wall_time(milliseconds(1500));
  EXPECT_FALSE(is_over_after(deadline, milliseconds(500)));
  EXPECT_FALSE(deadline.saw_stop());
  now_ += std::chrono::hours(9);  // a suspended job
  EXPECT_FALSE(deadline.look());
  EXPECT_TRUE(deadline.saw_stop());
  EXPECT_LE(deadline.spent(), milliseconds(1000));
  EXPECT_TRUE(is_over_after(deadline, milliseconds(1000))) << "a hang is still found";
}

TEST_F(DeadlineTest, NeverComesWithoutALimit) {
  Deadline deadline = of_wall_time(milliseconds(0));
  EXPECT_EQ(deadline.until_look(), -1);
  EXPECT_FALSE(is_over_after(deadline, milliseconds(60'000)));
}

TEST_F(DeadlineTest, WhoGetsLittleOfTheProcessorHasLonger) {
  Deadline deadline = of_processor_time(milliseconds(1000));
  EXPECT_FALSE(is_over_after(deadline, milliseconds(3500), 0.25));
  EXPECT_GT(deadline.until_look(), 0);
  EXPECT_TRUE(is_over_after(deadline, milliseconds(600), 0.25));
  EXPECT_EQ(deadline.text(), "1 s of processor time");
}

TEST_F(DeadlineTest, ProcessorTimeOfManyThreadsIsNoReasonToBeEarly) {
  Deadline deadline = of_processor_time(milliseconds(1000));
  EXPECT_FALSE(is_over_after(deadline, milliseconds(900), 8));
  EXPECT_TRUE(is_over_after(deadline, milliseconds(100), 8));
}

TEST_F(DeadlineTest, WhoDoesNothingIsFoundToo) {
  Deadline deadline = of_processor_time(milliseconds(1000));
  EXPECT_FALSE(is_over_after(deadline, milliseconds(9900)));
  EXPECT_TRUE(is_over_after(deadline, milliseconds(100)));
  EXPECT_EQ(deadline.text(), "10 s, 10 times the limit of processor time");
}

TEST(ProcessorTime, IsThatOfAProcessAndItsChildren) {
  const std::string busy = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
  for (const std::string& command : {std::string("while :; do :; done"),
                                     std::string("(while :; do :; done) & wait"),  // still running
                                     "(" + busy + "); read line"}) {               // waited for
    SCOPED_TRACE(command);
    const Process process({"/bin/sh", {"-c", command}});
    EXPECT_TRUE(becomes_true([&] { return processor_time(process.id()) >= milliseconds(30); }));
  }
  EXPECT_EQ(processor_time(-1), milliseconds(0));
}

}  // namespace
}  // namespace tilewright
