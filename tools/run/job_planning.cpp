#include "tools/run/job_planning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <optional>
#include <set>

#include "campaign/job/job.hpp"
#include "campaign/prepared_sweep.hpp"
#include "db/tables/identity.hpp"
#include "definition/json/json.hpp"
#include "definition/text/escape.hpp"
#include "tilewright/error.hpp"
#include "tools/input/command.hpp"
#include "tools/input/job_options.hpp"
#include "tools/input/sweep_options.hpp"
#include "tools/input/worker_options.hpp"
#include "tools/print/names.hpp"
#include "tools/print/text.hpp"
#include "tools/run/job_compiling.hpp"

namespace tilewright::tools {
namespace {

namespace fs = std::filesystem;

// Members may have other working folders.
std::string with_whole_path(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error) ? fs::absolute(path).lexically_normal().string() : path;
}

std::string target_text(const std::string& word) {
  const auto named = file_in(word);
  if (!named) return word;
  std::string text = with_whole_path(named->file);
  for (const std::string& part : {named->operation, named->implementation})
    if (!part.empty()) text += '/' + part;
  return text;
}

// A hook may name a file.
std::string assignment_text(const std::string& word) {
  const std::size_t sign = word.rfind('=');
  if (sign == std::string::npos || !word.ends_with(".toml")) return word;
  return word.substr(0, sign + 1) + with_whole_path(word.substr(sign + 1));
}

// Also names what the words leave to defaults, because these may differ where it is swept.
std::vector<std::string> whole_assignments(const std::vector<std::string>& words,
                                           const Problem& problem) {
  std::vector<std::string> all;
  std::set<std::string> named;
  for (const std::string& word : words) {
    all.push_back(assignment_text(word));
    for (std::size_t from = 0, sign = 0; (sign = word.find('=', from)) != std::string::npos;
         from = sign + 1)
      named.insert(word.substr(from, sign - from));
  }
  for (const auto& [name, value] : problem.values)
    if (!named.contains(name)) all.push_back(name + '=' + to_text(value));
  return all;
}

// How many configurations of each problem to compile; nothing without --compile. Refuses bad
// options before there is a folder.
std::optional<std::size_t> most_compiles(const Arguments& arguments) {
  if (!arguments.has("compile")) return std::nullopt;
  worker_options(arguments);
  if (arguments.text("compile") == "all") return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(arguments.positive("compile").value());
}

struct Weighed {
  JobUnit unit;
  double work = 0;
};

std::vector<JobUnit> units_of(const Arguments& arguments, const Target& target) {
  const Device device = device_to_plan_for(arguments);
  std::vector<std::string> common(arguments.words().begin() + 1, arguments.words().end());
  std::set<Problem> problems;
  std::vector<Weighed> all;
  for (const Shape& shape : read_shapes(arguments.text("shapes").value())) {
    std::vector<std::string> words = common;
    words.insert(words.end(), shape.assignments.begin(), shape.assignments.end());
    at_place(shape.where, [&] {
      const Target one = with_assignments(target, words);
      read_search(arguments, one);
      const Problem problem = make_problem(one.operation(), one.assignments, device);
      if (problems.insert(problem).second)
        all.push_back(
            {{"", named_problem(problem.operation, problem_text(one.operation(), problem)),
              whole_assignments(words, problem), problem.values},
             work_of(one.operation(), problem, device)});
    });
  }
  std::ranges::stable_sort(all, std::greater(), &Weighed::work);
  std::vector<JobUnit> units;
  for (Weighed& one : all) {
    one.unit.id = unit_id(units.size(), one.unit.problem);
    units.push_back(std::move(one.unit));
  }
  return units;
}

std::int64_t lease_of(const Arguments& arguments) {
  const auto lease = arguments.seconds("lease");
  return lease ? static_cast<std::int64_t>(std::ceil(*lease)) : JobPlan{}.lease_s;
}

void print_planned(const Arguments& arguments, const JobPlan& plan,
                   const std::optional<JobCompiles>& compiles) {
  const std::string folder = arguments.text("job").value();
  if (arguments.has("json")) {
    nlohmann::json json = {
        {"job", plan.id}, {"folder", fs::absolute(folder).string()}, {"units", plan.units.size()}};
    if (compiles)
      json["compile"] = {{"compiled", compiles->compiled},
                         {"from_cache", compiles->from_cache},
                         {"failed", compiles->failed},
                         {"seconds", compiles->seconds}};
    return print_json(std::cout, json);
  }
  std::cout << counted(plan.units.size(), "problem") << " planned\n";
  if (compiles)
    std::cout << fmt::format("{} in {}, and {} were in the cache already; {} failed; cache: {}\n",
                             counted(compiles->compiled, "compile"),
                             duration_text(compiles->seconds), compiles->from_cache,
                             compiles->failed, compiles->cache);
  const std::string place = shell_word(folder);
  std::cout << fmt::format(
      "on any machines that reach the folder, in any number of processes:\n"
      "  tilewright sweep --job {}\n"
      "then:\n"
      "  tilewright merge {} --into best.db\n",
      place, place);
}

}  // namespace

std::vector<ImplementationKey> definitions_of(const Target& target) {
  std::vector<ImplementationKey> keys;
  for (const Implementation* one : target.implementations)
    keys.push_back(key_of(*one, target.operation()));
  return keys;
}

int plan_job(const Arguments& arguments) {
  const fs::path folder = arguments.text("job").value();
  if (!arguments.has("shapes"))
    throw InputError("--job needs --shapes FILE: the problems of the job, one a line");
  if (arguments.words().empty()) read_target(arguments);  // says what is missing
  const std::string& name = arguments.words().front();
  const Target target = read_target(arguments, {name});
  read_search(arguments, target);  // what is wrong there is not the fault of a problem
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    throw InputError(fmt::format("--job '{}' is not a folder", folder.string()));
  JobPlan plan;
  plan.id = new_uuid();
  plan.target = target_text(name);
  plan.options = planned_options(arguments);
  plan.definitions = definitions_of(target);
  plan.lease_s = lease_of(arguments);
  plan.units = units_of(arguments, target);
  const auto most = most_compiles(arguments);
  Job::create(*files_on_disk(), folder, plan);  // members may begin meanwhile
  std::optional<JobCompiles> compiles;
  if (most) compiles = compile_ahead(arguments, plan, target, *most);
  print_planned(arguments, plan, compiles);
  return kDone;
}

}  // namespace tilewright::tools
