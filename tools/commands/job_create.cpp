#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>
#include <set>

#include "campaign/job/job.hpp"
#include "campaign/prepared_sweep.hpp"
#include "campaign/workers.hpp"
#include "db/catalog/shipped.hpp"
#include "db/tables/rows.hpp"
#include "definition/json/json.hpp"
#include "definition/text/escape.hpp"
#include "tools/input/command.hpp"
#include "tools/input/sweep_options.hpp"
#include "tools/print/names.hpp"
#include "tools/print/progress.hpp"
#include "tools/results/problem_list.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/prepare/services.hpp"
#include "tuner/toolchain/scratch_folder.hpp"

namespace tilewright::tools {
namespace {

namespace fs = std::filesystem;

struct JobCreateGiven : GivenWords {
  SearchGiven search;
  Measuring measuring;
  std::string architecture;         // --arch
  std::optional<std::size_t> most;  // --compile
  ProblemsGiven problems;
  std::int64_t lease_s = JobPlan{}.lease_s;
  bool json = false;

  void declare(Options& all) {
    problems.declare(all);
    all.add({"lease", "TIME",
             "A process that shows no sign of life for so long counts as dead, and others take "
             "over its problem. Such as 90s or 1.5m, rounded up to seconds; 2m by default."},
            [this](const std::string& text) {
              lease_s = static_cast<std::int64_t>(std::ceil(option::seconds("lease", text)));
            });
    all.number_or_all(most, std::numeric_limits<std::size_t>::max(), {.least = 1},
                      {"compile", "N|all",
                       "Also compile the first configurations that each sweep will try, so many of "
                       "each problem, into --cache; by default none. Needs no GPU."});
    all.text(architecture,
             {"arch", "ARCH",
              "Architecture to plan and compile for, such as sm_90; by default that of the device "
              "present, else sm_90."});
    measuring.declare_jobs(all);
    measuring.declare_compile_limits(all);
    measuring.places.declare(all, {kCache, kKernels, kLibraries});
    all.flag(json, kJsonOption);
    search.declare(all);
  }
};

// What was compiled for a job before it begins.
struct JobCompiles {
  std::size_t compiled = 0;
  std::size_t from_cache = 0;
  std::size_t failed = 0;  // of both
  double seconds = 0;
  std::string cache;  // the folder
};

// Makes the requests of one unit after the other, because all of them together may be large.
class FirstRequests {
 public:
  FirstRequests(const JobCreateGiven& given, const JobPlan& plan, const Target& target)
      : given_(given),
        plan_(plan),
        target_(target),
        shipped_(shipped_places(given.measuring.places)),
        scratch_(temporary_folder()),
        store_(scratch_.path() / "none.db") {
    device_.device = device_to_plan_for(given.architecture);
  }

  // Nothing at the end.
  std::optional<CompileRequest> next() {
    while (waiting_.empty()) {
      if (unit_ == plan_.units.size()) return std::nullopt;
      add(plan_.units[unit_++]);
    }
    CompileRequest request = std::move(waiting_.front());
    waiting_.pop_front();
    return request;
  }
  std::size_t unit() const { return unit_; }

 private:
  void add(const JobUnit& unit) {
    PreparedSweep sweep =
        prepare_sweep(given_.search, with_assignments(target_, unit.assignments), device_);
    SweepRequest& request = sweep.request;
    if (may_use_priors(request) && sweep.priors == PriorUse::stored)
      give_priors(find_priors(store_, shipped_.rows_of(request.operation->name), request), request);
    for (CompileRequest& one : first_compiles(request, sweep.spaces, *given_.most))
      waiting_.push_back(std::move(one));
  }

  const JobCreateGiven& given_;
  const JobPlan& plan_;
  const Target& target_;
  DeviceReport device_;
  ShippedResults shipped_;
  ScratchFolder scratch_;
  Store store_;  // empty
  std::size_t unit_ = 0;
  std::deque<CompileRequest> waiting_;
};

// Compiles what the sweeps of a job compile first, into the cache of compiled code: the references,
// and at most --compile configurations of each problem, which are defaults, seeds, what shipped
// results suggest, and then what the strategy proposes. Throws MachineError without a compiler.
JobCompiles compile_ahead(const JobCreateGiven& given, const JobPlan& plan, const Target& target) {
  const auto start = std::chrono::steady_clock::now();
  for (const Implementation* one : target.implementations)
    require_kernel(*one, "prepares nothing before a sweep; leave out --compile");
  FirstRequests requests(given, plan, target);
  CompileProcesses compilers(worker_options(given.measuring), DeviceKind::cuda);
  CompileAhead ahead(compilers);
  JobCompiles result;
  result.cache = cache_folder(given.measuring.places).string();
  ProgressLine line;
  line.start(plan.units.size(), 0);
  std::size_t ticket = 0;
  std::size_t shown = 0;
  for (bool has_more = true; has_more || ahead.in_flight() > 0;) {
    while (has_more && ahead.in_flight() < ahead.depth()) {
      auto request = requests.next();
      has_more = request.has_value();
      if (request) ahead.submit(ticket++, *std::move(request));
      for (; shown + 1 < requests.unit(); ++shown) line.step({});
    }
    const auto done = ahead.next(std::chrono::milliseconds(200));
    if (done && !done->result.ok()) ++result.failed;
  }
  for (; shown < plan.units.size(); ++shown) line.step({});
  line.finish();
  result.compiled = ahead.counts().done;
  result.from_cache = ahead.counts().from_cache;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  result.seconds = elapsed.count();
  return result;
}

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
    for (const std::string& name : names_in(word)) named.insert(name);
  }
  for (const auto& [name, value] : problem.values)
    if (!named.contains(name)) all.push_back(name + '=' + to_text(value));
  return all;
}

struct Weighed {
  JobUnit unit;
  double work = 0;
};

std::vector<JobUnit> units_of(const JobCreateGiven& given, const Target& target) {
  const Device device = device_to_plan_for(given.architecture);
  const std::vector<std::string> common(given.words.begin() + 2, given.words.end());
  std::set<Problem> problems;
  std::vector<Weighed> all;
  for (const Shape& shape : given.problems.named(target.operation(), given.measuring.places)) {
    std::vector<std::string> words = common;
    words.insert(words.end(), shape.assignments.begin(), shape.assignments.end());
    at_place(shape.where, [&] {
      const Target one = with_assignments(target, words);
      read_search(given.search, one);
      const Problem problem = make_problem(one.operation(), one.assignments, device);
      if (problems.insert(problem).second)
        all.push_back({{"", named_problem(one.operation(), problem),
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

void print_planned(const JobCreateGiven& given, const JobPlan& plan,
                   const std::optional<JobCompiles>& compiles) {
  const std::string& folder = given.words.front();
  if (given.json) {
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
      "  tilewright job run {}\n"
      "then:\n"
      "  tilewright job merge {} --into best.db\n",
      place, place);
}

// Members may have other working folders, so folders of kernels are written whole.
std::vector<JobOption> planned_options(const JobCreateGiven& given) {
  std::vector<JobOption> options;
  for (const auto& [name, text] : given.search.as_written) options.push_back({name, text});
  for (const std::string& folder : given.measuring.places.kernels)
    options.push_back({"kernels", fs::absolute(folder).string()});
  if (libraries_of(given.measuring.places) == Libraries::off)
    options.push_back({"libraries", "off"});
  return options;
}

int run_job_create(const JobCreateGiven& given) {
  if (given.words.empty()) throw InputError("name the folder of the job, then what it sweeps");
  const fs::path folder = given.words.front();
  if (!given.problems.any())
    throw InputError("job create needs the problems of the job: --shapes or --like");
  const std::vector<std::string> named(given.words.begin() + 1,
                                       given.words.begin() + (given.words.size() > 1 ? 2 : 1));
  const Target target = read_target(named, given.measuring.places, given.search.where);
  read_search(given.search, target);  // what is wrong there is not the fault of a problem
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    throw bad_input("'{}' is not a folder", folder.string());
  JobPlan plan;
  plan.id = new_uuid();
  plan.target = target_text(named.front());
  plan.options = planned_options(given);
  plan.definitions = keys_of(target.implementations, target.operation());
  plan.lease_s = given.lease_s;
  plan.units = units_of(given, target);
  if (given.most) worker_options(given.measuring);  // refuses what is bad before there is a job
  Job::create(*files_on_disk(), folder, plan);      // members may begin meanwhile
  std::optional<JobCompiles> compiled;
  if (given.most) compiled = compile_ahead(given, plan, target);
  print_planned(given, plan, compiled);
  return kDone;
}

}  // namespace

Command job_create_command() {
  return make_command(
      {"job create", Purpose::many_machines,
       "Plan sweeps of many problems in a folder, for processes on any machines to share.",
       "FOLDER OPERATION[/IMPLEMENTATION]|FILE.toml [DIM=VALUE…] --shapes FILE|--like FILE "
       "[options]",
       "  tilewright job create /shared/gemm_job gemm --shapes shapes.txt --budget 200\n\n"
       "docs/fleet.md explains jobs\n"},
      run_job_create);
}

}  // namespace tilewright::tools
