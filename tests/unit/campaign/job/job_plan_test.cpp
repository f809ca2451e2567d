#include "campaign/job/job_plan.hpp"

#include <gtest/gtest.h>

#include "tests/unit/campaign/job/sample_job.hpp"
#include "tilewright/error.hpp"

namespace tilewright::test {
namespace {

std::string refusal(const std::string& text) {
  try {
    plan_from_text(text, "plan.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string with(const std::string& part, const std::string& other) {
  std::string text = to_text(sample_plan(2));
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), other);
}

TEST(JobPlan, IsReadBackAsItWasWritten) {
  const JobPlan plan = sample_plan(3);
  const JobPlan read = plan_from_text(to_text(plan), "plan.json");
  EXPECT_EQ(to_text(read), to_text(plan));
  EXPECT_EQ(read.definitions, plan.definitions);
  ASSERT_EQ(read.units.size(), 3U);
  EXPECT_EQ(read.units[1].assignments, plan.units[1].assignments);
  EXPECT_EQ(read.units[1].problem, plan.units[1].problem);
  EXPECT_EQ(read.options[1].value, "BLOCK_X >= 16");
}

TEST(JobPlan, IdsOfUnitsSortLikeThePlan) {
  EXPECT_LT(unit_id(9, {{"M", Value(1)}}), unit_id(10, {{"M", Value(2)}}));
  EXPECT_EQ(unit_id(3, {{"M", Value(1)}}), unit_id(3, {{"M", Value(1)}}));
  EXPECT_NE(unit_id(3, {{"M", Value(1)}}), unit_id(3, {{"M", Value(2)}}));
}

TEST(JobPlan, ATextThatIsNoPlanIsRefusedWithItsName) {
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {"", "plan.json"},
           {"{}", "is not the plan of a job"},
           {"[]", "is not the plan of a job"},
           {with("\"version\": 1", "\"version\": 2"), "version 2 is not known"},
           {with(id_of(77), "../../etc"), "not 32 hexadecimal digits"},
           {with("\"lease_s\": 60", "\"lease_s\": 0"), "'lease_s' is 0; it is from 1 to 86400"},
           {with("00001-", "../01-"), "the unit id '../01-"},
           {with("00001-", "00001/"), "the unit id '00001/"},
           {to_text(sample_plan(0)), "it has no units"}})
    EXPECT_NE(refusal(text).find(part), std::string::npos) << refusal(text);
  JobPlan twice = sample_plan(1);
  twice.units.push_back(twice.units.front());
  EXPECT_NE(refusal(to_text(twice)).find("occurs twice"), std::string::npos);
}

std::string change(const std::vector<ImplementationKey>& definitions) {
  try {
    require_planned(sample_plan(1), definitions);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(JobPlan, NamesTheDefinitionThatHasChanged) {
  const std::vector<ImplementationKey> planned = sample_plan(1).definitions;
  EXPECT_EQ(change(planned), "");
  std::vector<ImplementationKey> other = planned;
  other[0].source_hash = "another";
  EXPECT_NE(change(other).find("gemm/tiled has changed since the job was planned (its source)"),
            std::string::npos);
  other = planned;
  other[0].space_hash = "another";
  EXPECT_NE(change(other).find("(its manifest)"), std::string::npos);
  EXPECT_NE(change({}).find("gemm/tiled is in the job's plan and is not defined any more"),
            std::string::npos);
  other = planned;
  other.push_back(planned[0]);
  other[1].name = "gemm/new";
  EXPECT_NE(change(other).find("gemm/new was not there"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::test
