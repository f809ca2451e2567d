#include "tuner/worker/answers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "definition/json/codec.hpp"
#include "tilewright/statistics.hpp"

namespace tilewright {
namespace {

using Json = nlohmann::json;
using Random = std::minstd_rand;

SampleRequest asked() {
  SampleRequest request;
  request.maximum_samples = 20;
  return request;
}

// What real workers answer, one of each kind.
std::vector<Json> whole_answers() {
  CompileResult compiled;
  compiled.code = {1, 2, 3};
  compiled.code_hash = "abc";
  compiled.entries["f"] = {"_Z1f", {32, 256, 8, 16, -1, -1, -1}};
  compiled.milliseconds = 12.5;
  Verification verification = {10, 20, 0.1, 0.5, 7};
  Timing timing = summarise({1.5, 2.5, 2.0, 2.5, 3.0}, 7, 1980);
  timing.power_w = 300;
  timing.throttle_reasons = "power";
  return {{{"ok", nullptr}},
          {{"ok", Resources{1, 2, 3, 4, 5, 6, 0.75}}},
          {{"ok", verification}},
          {{"ok", timing}},
          {{"ok", std::vector<SimpleAnswer>(2)}},
          {{"failure", Failure{Outcome::wrong_answer, "why"}}},
          {{"input_error", "bad plan"}},
          {{"machine_error", "no device"}},
          {{"result", compiled}}};
}

void expect_sane(std::nullptr_t) {}
void expect_sane(const Resources& resources) {
  EXPECT_GE(resources.registers, -1);
  EXPECT_GE(resources.shared_bytes, -1);
  EXPECT_LE(resources.shared_bytes, kMostOfADevice);
  EXPECT_TRUE(std::isfinite(resources.occupancy));
}
void expect_sane(const Verification& verification) {
  EXPECT_GE(verification.outputs_checked, 0);
  EXPECT_LE(verification.outputs_total, kMostOfADevice);
}
void expect_sane(const Timing& timing) {
  for (const double time : {timing.median_us, timing.minimum_us, timing.lower_us, timing.upper_us})
    EXPECT_TRUE(is_possible_time(time)) << time;
  for (const double time : timing.samples_us) EXPECT_TRUE(is_possible_time(time)) << time;
  EXPECT_LE(timing.samples_us.size(), 20U);
  EXPECT_LE(timing.minimum_us, timing.median_us * 1.001);
  EXPECT_GE(timing.rounds, 1);
  EXPECT_GE(timing.sm_mhz, 0);
  EXPECT_GE(timing.power_w.value_or(0), 0);
}
void expect_sane(const std::vector<SimpleAnswer>& answers) {
  for (const SimpleAnswer& answer : answers) EXPECT_GE(answer.altered, 0);
}
void expect_sane(const CompileResult& result) {
  EXPECT_TRUE(std::isfinite(result.milliseconds) && result.milliseconds >= 0);
  EXPECT_NE(result.outcome, Outcome::faulted);
  for (const auto& [name, entry] : result.entries) expect_sane(entry.resources);
}

struct Counts {
  int good = 0, bad = 0;
};

// A valid value or BadAnswer, or what the worker reports. Anything else ends the test.
template <class Read>
void judge(Counts& counts, const Read& read) {
  try {
    read();
    ++counts.good;
  } catch (const BadAnswer& error) {
    EXPECT_STRNE(error.what(), "");
    EXPECT_EQ(std::string(error.what()).find("json.exception"), std::string::npos) << error.what();
    ++counts.bad;
  } catch (const InputError&) {
  } catch (const DeviceLost&) {
  }
}

template <class T>
void judge_as(Counts& counts, const Json& answer) {
  judge(counts, [&] {
    const Attempt<T> attempt = read_attempt<T>(answer);
    if constexpr (std::same_as<T, Timing>)
      if (attempt.ok()) as_answer([&] { require_asked(attempt.value(), asked()); });
    if (attempt.ok())
      expect_sane(attempt.value());
    else
      EXPECT_NE(attempt.failure().outcome, Outcome::measured);
  });
}

void judge_as_each(Counts& counts, const Json& answer) {
  judge_as<std::nullptr_t>(counts, answer);
  judge_as<Resources>(counts, answer);
  judge_as<Verification>(counts, answer);
  judge_as<Timing>(counts, answer);
  judge_as<std::vector<SimpleAnswer>>(counts, answer);
  judge(counts, [&] { expect_sane(checked_field<CompileResult>(answer, "result")); });
}

std::size_t below(Random& random, std::size_t end) {
  return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
}

Json hostile_value(Random& random) {
  using Limits = std::numeric_limits<double>;
  static const std::vector<Json> values = {nullptr,
                                           true,
                                           "text",
                                           "nan",
                                           "-inf",
                                           "measured",
                                           Json::array(),
                                           Json::object(),
                                           Json::binary({1, 2}),
                                           0,
                                           -1,
                                           1,
                                           255,
                                           std::int64_t{1} << 40,
                                           1e300,
                                           -1e300,
                                           0.5,
                                           Limits::quiet_NaN(),
                                           Limits::infinity(),
                                           -9.2e18,
                                           std::numeric_limits<std::int64_t>::min(),
                                           std::numeric_limits<std::uint64_t>::max(),
                                           std::string(100, 'x'),
                                           Json(Json::array({1, 2})),
                                           std::vector<double>(1000, 2.5),
                                           std::vector<std::string>(3, "inf")};
  return values[below(random, values.size())];
}

void add_places(Json& json, std::vector<Json*>& places) {
  places.push_back(&json);
  if (json.is_structured())
    for (Json& item : json) add_places(item, places);
}

void mutate(Json& json, Random& random) {
  std::vector<Json*> places;
  add_places(json, places);
  Json& place = *places[below(random, places.size())];
  if (place.is_object() && !place.empty() && below(random, 2) == 0) {
    place.erase(std::next(place.begin(), static_cast<std::ptrdiff_t>(below(random, place.size()))));
    return;
  }
  place = hostile_value(random);
}

TEST(Answers, OfRealWorkersAreRead) {
  Counts counts;
  for (const Json& answer : whole_answers()) judge_as_each(counts, *parse_cbor(cbor_bytes(answer)));
  EXPECT_GE(counts.good, 5 + 5 + 1);  // a failure is an answer to every step
}

TEST(Answers, OfTenThousandMutantsEachIsAValueOrRefused) {
  Random random(20261129);
  const std::vector<Json> whole = whole_answers();
  Counts counts;
  for (int i = 0; i < 10'000; ++i) {
    Json answer = whole[below(random, whole.size())];
    for (std::size_t changes = 1 + below(random, 3); changes > 0; --changes) mutate(answer, random);
    const auto read = parse_cbor(cbor_bytes(answer));
    ASSERT_TRUE(read) << json_text(answer);
    judge_as_each(counts, *read);
  }
  EXPECT_GT(counts.good, 300);
  EXPECT_GT(counts.bad, 20'000);
}

TEST(Answers, OfDamagedBytesEachIsAValueOrRefused) {
  Random random(20261130);
  const std::vector<Json> whole = whole_answers();
  Counts counts;
  int whole_documents = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::vector<std::uint8_t> bytes = cbor_bytes(whole[below(random, whole.size())]);
    for (std::size_t changes = 1 + below(random, 3); changes > 0; --changes)
      bytes[below(random, bytes.size())] = static_cast<std::uint8_t>(below(random, 256));
    const auto read = parse_cbor(bytes);
    if (!read) continue;
    ++whole_documents;
    judge_as_each(counts, *read);
  }
  EXPECT_GT(whole_documents, 1000);
}

std::string refusal_of_timing(const char* field, const Json& value) {
  Json answer = whole_answers()[3];
  answer["ok"][field] = value;
  try {
    as_answer([&] { require_asked(read_attempt<Timing>(answer).value(), asked()); });
  } catch (const BadAnswer& error) {
    return error.what();
  }
  return "taken";
}

TEST(Answers, ARefusalNamesTheField) {
  EXPECT_EQ(refusal_of_timing("median_us", -9.2e18),
            "'median_us' is -9.2e+18, not a time from 1e-09 to 1000000000000000 µs");
  EXPECT_NE(refusal_of_timing("sm_mhz", std::numeric_limits<double>::quiet_NaN()).find("'sm_mhz'"),
            std::string::npos);
  EXPECT_EQ(refusal_of_timing("samples_us", std::vector<double>(21, 2.5)),
            "'samples_us' has 21 samples; 20 were asked for");
  EXPECT_NE(refusal_of_timing("samples_us", std::vector<double>{2.5, -1}).find("'samples_us'"),
            std::string::npos);
  EXPECT_NE(refusal_of_timing("rounds", 0).find("'rounds'"), std::string::npos);
  EXPECT_NE(refusal_of_timing("cache", "none such").find("none such"), std::string::npos);
}

TEST(Answers, ADeviceProcessCannotSayThatAFailureIsATime) {
  for (const Outcome outcome : {Outcome::measured, Outcome::duplicate, Outcome::compile_failed})
    EXPECT_THROW(read_attempt<Timing>(Json{{"failure", Failure{outcome, ""}}}), BadAnswer);
}

}  // namespace
}  // namespace tilewright
