#include "tuner/worker/messages.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace tilewright {
namespace {

// As it comes out of the other end of a channel.
template <class T>
T through_cbor(const T& value) {
  return nlohmann::json::from_cbor(nlohmann::json::to_cbor(nlohmann::json(value)))
      .template get<T>();
}

TEST(Messages, CompileRequest) {
  CompileRequest request;
  request.source = "source";
  request.source_name = "k.cu";
  request.headers = {{"a.cuh", "A"}, {"b.cuh", ""}};
  request.options = {"-DX=1", "-DY=2"};
  request.architecture = "sm_90a";
  request.entries = {"k", "f<1>"};
  request.units = {request};
  request.units[0].unit = "low";
  const auto copy = through_cbor(request);
  EXPECT_EQ(copy.source, request.source);
  EXPECT_EQ(copy.source_name, request.source_name);
  EXPECT_EQ(copy.headers, request.headers);
  EXPECT_EQ(copy.options, request.options);
  EXPECT_EQ(copy.architecture, request.architecture);
  EXPECT_EQ(copy.entries, request.entries);
  EXPECT_EQ(copy.unit, "");
  ASSERT_EQ(copy.units.size(), 1U);
  EXPECT_EQ(copy.units[0].unit, "low");
  EXPECT_EQ(copy.units[0].options, request.options);
}

TEST(Messages, CompileResultWithBinaryCode) {
  CompileResult result;
  result.outcome = Outcome::compile_timed_out;
  result.log = "log \xff not UTF-8";
  result.code = {0, 1, 255};
  result.code_hash = "abc";
  result.entries["f<1>"] = {"_Z1f", {32, 256, 8, 16, -1, -1, -1}};
  result.milliseconds = 12.5;
  EXPECT_TRUE(nlohmann::json(result)["code"].is_binary());
  const auto copy = through_cbor(result);
  EXPECT_EQ(copy.outcome, result.outcome);
  EXPECT_EQ(copy.log, result.log);
  EXPECT_EQ(copy.code, result.code);
  EXPECT_EQ(copy.code_hash, result.code_hash);
  ASSERT_EQ(copy.entries.size(), 1U);
  EXPECT_EQ(copy.entries.at("f<1>").symbol, "_Z1f");
  EXPECT_EQ(copy.entries.at("f<1>").resources, result.entries.at("f<1>").resources);
  EXPECT_EQ(copy.milliseconds, 12.5);
}

TEST(Messages, EvaluatorsAnswers) {
  const Resources resources = {1, 2, 3, 4, 5, 6, 0.75};
  EXPECT_EQ(through_cbor(resources), resources);
  Verification verification = {10, 20, 0.1, 0.5, std::numeric_limits<std::uint64_t>::max()};
  EXPECT_EQ(through_cbor(verification), verification);
  verification.worst_error = std::numeric_limits<double>::infinity();
  EXPECT_EQ(through_cbor(verification), verification);
  const Timing timing = {{0.1, 2.0, 1e9}, 2.0, 0.5, 2.5, 0.1, 3.0, 0.1, 7, 3, 1980};
  EXPECT_EQ(through_cbor(timing), timing);
  const Failure failure = through_cbor(Failure{Outcome::wrong_answer, "why"});
  EXPECT_EQ(failure.outcome, Outcome::wrong_answer);
  EXPECT_EQ(failure.message, "why");
}

TEST(Messages, SampleRequest) {
  const auto copy =
      through_cbor(SampleRequest{3, 4, 5.5, 6.5, 8.5, {{2, 7.5}, {8, 6}}, CachePolicy::warm, 9.5});
  EXPECT_EQ(copy.minimum_samples, 3);
  EXPECT_EQ(copy.maximum_samples, 4);
  EXPECT_EQ(copy.sample_us, 5.5);
  EXPECT_EQ(copy.budget_us, 6.5);
  EXPECT_EQ(copy.long_us, 8.5);
  EXPECT_EQ(copy.lead_in_us, 9.5);
  ASSERT_EQ(copy.gates.size(), 2U);
  EXPECT_EQ(copy.gates[0].samples, 2);
  EXPECT_EQ(copy.gates[0].over_us, 7.5);
  EXPECT_EQ(copy.gates[1].samples, 8);
}

TEST(Messages, RefusesWhatDoesNotFit) {
  EXPECT_THROW(nlohmann::json::object().get<CompileRequest>(), nlohmann::json::exception);
  nlohmann::json failure = Failure{Outcome::faulted, ""};
  failure["outcome"] = "no such outcome";
  EXPECT_THROW(failure.get<Failure>(), nlohmann::json::exception);
  nlohmann::json result = CompileResult{};
  result["code"] = "text";
  EXPECT_THROW(result.get<CompileResult>(), nlohmann::json::exception);
}

}  // namespace
}  // namespace tilewright
