#include "campaign/job/job_plan.hpp"

#include <fmt/format.h>

#include <set>

#include "db/records/border.hpp"
#include "definition/json/codec.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/hash.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {

TILEWRIGHT_LIST_FIELDS(always, JobUnit, id, name, assignments, problem);

TILEWRIGHT_LIST_FIELDS(always, JobOption, name, value);

TILEWRIGHT_LIST_FIELDS(always, JobPlan, id, target, options, definitions, lease_s, units);

namespace {

constexpr const char* kFormat = "tilewright-job";
constexpr std::int64_t kVersion = 1;
constexpr std::int64_t kLongestLease = 86'400;
constexpr std::size_t kIdSize = 32;

// The ids become names of files.
void require_safe(const JobPlan& plan) {
  if (!is_hexadecimal(plan.id, kIdSize))
    throw bad_input("'id' is '{}', not {} hexadecimal digits", plan.id, kIdSize);
  if (plan.lease_s < 1 || plan.lease_s > kLongestLease)
    throw bad_input("'lease_s' is {}; it is from 1 to {}", plan.lease_s, kLongestLease);
  if (plan.units.empty()) throw InputError("it has no units");
  const std::string characters = std::string(kHexadecimalDigits) + '-';
  std::set<std::string> known;
  for (const JobUnit& unit : plan.units)
    if (unit.id.empty() || unit.id.find_first_not_of(characters) != std::string::npos ||
        !known.insert(unit.id).second)
      throw bad_input(
          "the unit id '{}' occurs twice, or has other characters than hexadecimal digits and '-'",
          unit.id);
}

}  // namespace

std::string unit_id(std::size_t place, const Settings& problem) {
  constexpr std::size_t kEnoughDigits = 8;
  return fmt::format("{:05}-{}", place, hex_hash(canonical_json(problem)).substr(0, kEnoughDigits));
}

std::string to_text(const JobPlan& plan) {
  Json json = {{"format", kFormat}, {"version", kVersion}};
  json.update(to_json(plan));
  return json_text(json, 1) + '\n';
}

JobPlan plan_from_text(std::string_view text, const std::string& name) {
  return at_place(fmt::format("'{}'", name), [&] {
    const Json json = parse_document(text);
    if (!json.is_object() || !json.contains("format") || json["format"] != kFormat)
      throw bad_input("is not the plan of a job: \"format\": \"{}\" is expected", kFormat);
    std::int64_t version = 0;
    read_field(json, "version", version);
    if (version != kVersion)
      throw bad_input("version {} is not known, {} is: use a newer tilewright", version, kVersion);
    JobPlan plan = from_json<JobPlan>(json);
    require_safe(plan);
    return plan;
  });
}

void require_planned(const JobPlan& plan, const std::vector<ImplementationKey>& definitions) {
  constexpr const char* kAdvice = "go back to what it was, or plan another job";
  for (const ImplementationKey& planned : plan.definitions) {
    const ImplementationKey* const now = find_named(definitions, planned.name);
    if (now == nullptr)
      throw bad_input("{} is in the job's plan and is not defined any more; {}", planned.name,
                      kAdvice);
    if (!(*now == planned))
      throw bad_input("{} has changed since the job was planned ({}); {}", planned.name,
                      now->source_hash != planned.source_hash ? "its source" : "its manifest",
                      kAdvice);
  }
  for (const ImplementationKey& now : definitions)
    if (find_named(plan.definitions, now.name) == nullptr)
      throw bad_input("{} was not there when the job was planned; {}", now.name, kAdvice);
}

}  // namespace tilewright
