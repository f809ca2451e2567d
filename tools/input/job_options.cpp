#include "tools/input/job_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "tilewright/error.hpp"
#include "tools/input/paths.hpp"
#include "tools/input/sweep_options.hpp"

namespace tilewright::tools {

std::vector<JobOption> planned_options(const Arguments& arguments) {
  std::vector<JobOption> options;
  for (const OptionSpec& option : search_option_list())
    for (const std::string& value : arguments.texts(option.name))
      options.push_back({option.name, value});
  for (const std::string& folder : arguments.texts(kKernelsOption.name))
    options.push_back({kKernelsOption.name, std::filesystem::absolute(folder).string()});
  return options;
}

Arguments job_arguments(const Arguments& arguments, const JobPlan& plan) {
  if (!arguments.words().empty())
    throw InputError(
        fmt::format("'{}': with --job, the plan names what is swept", arguments.words().front()));
  for (const OptionSpec& option : search_option_list())
    if (arguments.has(option.name))
      throw InputError(fmt::format("--{} is fixed by the job's plan", option.name));
  for (const char* other : {"shapes", "wanted", "fresh", "retry", "db", "json", "each-kind"})
    if (arguments.has(other)) throw InputError(fmt::format("--{} does not go with --job", other));
  std::map<std::string, std::vector<std::string>> values;
  for (const JobOption& option : plan.options) values[option.name].push_back(option.value);
  Arguments all = arguments;
  for (const auto& [name, texts] : values)
    if (!arguments.has(name)) all = all.with(name, texts);
  return all;
}

std::filesystem::path local_folder(const Arguments& arguments, const JobPlan& plan) {
  if (const auto given = arguments.text(kLocalOption.name)) return *given;
  constexpr std::size_t kEnough = 12;
  return temporary_folder() /
         fmt::format("tilewright-job-{}-{}", plan.id.substr(0, kEnough), getuid());
}

std::optional<std::chrono::seconds> time_left_in_slurm() {
  const char* const text = std::getenv("SLURM_JOB_END_TIME");
  std::int64_t end = 0;  // seconds since 1970
  if (text == nullptr || std::from_chars(text, text + std::strlen(text), end).ec != std::errc{})
    return std::nullopt;
  constexpr std::int64_t kMargin = 60;
  return std::chrono::seconds(end - kMargin - seconds_since_1970());
}

}  // namespace tilewright::tools
