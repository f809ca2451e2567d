#include "definition/json/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "db/records/border.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

using test::contains;
using test::message_of;

TEST(Json, TypesSurviveTheWayThereAndBack) {
  const SweepKey key = test::sweep_key();
  EXPECT_EQ(from_json<Device>(Json::parse(to_json(key.device).dump())), key.device);
  EXPECT_EQ(from_json<Environment>(to_json(test::environment())), test::environment());
  const Policy cold{CachePolicy::cold, "call"};
  EXPECT_EQ(from_json<Policy>(to_json(cold)), cold);
  const Settings settings = {{"A", std::int64_t{-3}}, {"boundary", "replicate"}};
  EXPECT_EQ(settings_from_json(Json::parse(to_json(settings).dump())), settings);
  EXPECT_EQ(to_json(settings).dump(), canonical_json(settings));
  const SweepKey back = from_json<SweepKey>(Json::parse(to_json(key).dump()));
  EXPECT_EQ(to_json(back).dump(), to_json(key).dump());
  EXPECT_EQ(back.implementations, key.implementations);
}

TEST(Json, TrialsOfEveryOutcomeSurvive) {
  for (std::size_t i = 0; i < kOutcomeNames.size(); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    const Trial trial = outcome == Outcome::measured ? test::measured(8, 1.0 / 3, Stage::final)
                                                     : test::failed(8, outcome);
    EXPECT_EQ(trial_from_json(Json::parse(to_json(trial).dump())), trial) << kOutcomeNames[i];
  }
}

TEST(Json, NumbersThatAreNotFiniteHaveNames) {
  Verification verification;
  verification.worst_error = std::nan("");
  verification.worst_ratio = std::numeric_limits<double>::infinity();
  const Json json = Json::parse(to_json(verification).dump());
  EXPECT_EQ(json["worst_ratio"], "inf");
  const Verification back = from_json<Verification>(json);
  EXPECT_TRUE(std::isnan(back.worst_error));
  EXPECT_EQ(back.worst_ratio, verification.worst_ratio);
}

TEST(Json, RefusalsNameTheFieldAndWhatIsAccepted) {
  Json trial = to_json(test::measured(8, 2));
  trial["outcome"] = "melted";
  std::string message = message_of<InputError>([&] { trial_from_json(trial); });
  EXPECT_TRUE(contains(message, "melted") && contains(message, "wrong_answer")) << message;

  trial = to_json(test::measured(8, 2));
  trial["resources"].erase("registers");
  message = message_of<InputError>([&] { trial_from_json(trial); });
  EXPECT_EQ(message, "'registers' is missing");

  trial = to_json(test::measured(8, 2));
  trial["timing"]["median_us"] = "fast";
  message = message_of<InputError>([&] { trial_from_json(trial); });
  EXPECT_TRUE(contains(message, "'median_us' is not a number")) << message;

  trial = to_json(test::measured(8, 2));
  trial["resources"]["registers"] = 5000000000;
  message = message_of<InputError>([&] { trial_from_json(trial); });
  EXPECT_TRUE(contains(message, "32 bits")) << message;
}

TEST(Json, TimingIsThereExactlyWhenMeasured) {
  Json trial = to_json(test::measured(8, 2));
  trial.erase("timing");
  EXPECT_THROW(trial_from_json(trial), InputError);
  trial = to_json(test::measured(8, 2));
  trial["outcome"] = "faulted";
  EXPECT_THROW(trial_from_json(trial), InputError);
}

TEST(Json, SettingsThatCanonicalTextCannotHoldAreRefused) {
  for (const char* text :
       {R"({"A": "say \"x\""})", R"({"a b": 1})", R"({"": 1})", R"({"A": ""})", R"({"A": 1.5})",
        R"({"A": true})", R"({"A": 9223372036854775808})", R"([1])", R"({"A": "line\nbreak"})"})
    EXPECT_THROW(settings_from_json(Json::parse(text)), InputError) << text;
}

}  // namespace
}  // namespace tilewright
