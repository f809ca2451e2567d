#include <algorithm>

#include "campaign/job/job.hpp"
#include "db/exchange/exchange.hpp"
#include "db/store/store.hpp"
#include "definition/json/codec.hpp"
#include "definition/json/json.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/target.hpp"
#include "tools/results/result_files.hpp"

namespace tilewright::tools {
namespace {

namespace fs = std::filesystem;

// What a member stored of a unit: one finished sweep, or none if nothing is legal.
std::vector<Store::Imported> result_in(const JobPlan& plan, const JobUnit& unit,
                                       const fs::path& file, const Library& library) {
  std::vector<Store::Imported> sweeps = sweeps_in(file);
  at_place(fmt::format("'{}'", file.string()), [&] {
    if (sweeps.size() > 1) throw InputError("it has several sweeps; a unit of a job has one");
    for (const Store::Imported& one : sweeps) {
      const SweepKey& key = one.sweep.key;
      if (one.sweep.finished == 0) throw InputError("its sweep is not finished");
      if (key.problem.values != unit.problem)
        throw InputError("its problem is not that of the unit");
      for (const ImplementationKey& used : key.implementations)
        if (std::ranges::find(plan.definitions, used) == plan.definitions.end())
          throw InputError(fmt::format("it is of another {} than was planned", used.name));
    }
    check_problems(sweeps, library);
  });
  return sweeps;
}

// Why a unit is missing, for people.
struct Missing {
  const JobUnit* unit = nullptr;
  std::string why;
};

struct Gathered {
  std::vector<Store::Imported> sweeps;
  std::vector<Missing> missing;
  std::size_t without_sweep = 0;  // nothing is legal there
  std::int64_t compiled = 0;
  std::int64_t from_cache = 0;

  // Before those that are only not finished.
  void refuse(const JobUnit& unit, const std::string& why) {
    missing.insert(missing.begin(), {&unit, "finished, but " + why});
  }
};

void count_compiles(const Store::Imported& sweep, Gathered& all) {
  const nlohmann::json report = parse_sorted(sweep.sweep.report);
  const auto count = [&](const char* name) -> std::int64_t {
    const nlohmann::json::json_pointer place(std::string("/compiles/") + name);
    const bool is_there = report.is_object() && report.contains(place);
    return is_there && report[place].is_number_integer() ? report[place].get<std::int64_t>() : 0;
  };
  all.compiled += count("done");
  all.from_cache += count("from_cache");
}

// A unit's result that is there.
struct Result {
  const JobUnit* unit = nullptr;
  fs::path file;
  std::string refusal = {};  // why it cannot be used
};

Gathered gather(const Job& job, const FolderFiles& files, const Library& library) {
  Gathered all;
  std::vector<Result> results;
  const auto done = job.members_of("done");
  const auto taken = job.members_of("taken");
  for (const JobUnit& unit : job.plan().units) {
    const auto finished = done.find(unit.id);
    if (finished == done.end()) {
      const auto holder = taken.find(unit.id);
      all.missing.push_back(
          {&unit, holder == taken.end() ? "not begun" : "taken by " + job.name_of(holder->second)});
      continue;
    }
    const fs::path file = job.result_of(unit.id, finished->second);
    if (!files.exists(file)) {
      all.refuse(unit, fmt::format("{} is not there", file.string()));
      continue;
    }
    results.push_back({&unit, file});
  }
  all.sweeps = sweeps_of_each(results.size(), [&](std::size_t i) -> std::vector<Store::Imported> {
    try {
      return result_in(job.plan(), *results[i].unit, results[i].file, library);
    } catch (const InputError& error) {
      results[i].refusal = error.what();
    } catch (const MachineError& error) {  // a database has its name
      results[i].refusal = error.what();
    }
    return {};
  });
  all.without_sweep = results.size() - all.sweeps.size();
  for (const Result& result : results) {
    if (result.refusal.empty()) continue;
    --all.without_sweep;
    all.refuse(*result.unit, result.refusal);
  }
  for (const Store::Imported& sweep : all.sweeps) count_compiles(sweep, all);
  return all;
}

// In one transaction. If the store refuses one of them, each has its own, so that it keeps no other
// out.
Store::ImportResult take_all(Store& store, const JobPlan& plan, Gathered& all) {
  try {
    return store.gather_sweeps(all.sweeps, plan.id);
  } catch (const InputError&) {
  }
  Store::ImportResult sum;
  for (const Store::Imported& one : all.sweeps) {
    try {
      const Store::ImportResult taken = store.gather_sweeps({one}, plan.id);
      sum.added += taken.added;
      sum.continued += taken.continued;
    } catch (const InputError& error) {
      all.refuse(*std::ranges::find(plan.units, one.sweep.key.problem.values, &JobUnit::problem),
                 error.what());
    }
  }
  return sum;
}

void print_missing(std::ostream& out, const std::vector<Missing>& missing) {
  constexpr std::size_t kMost = 20;
  for (std::size_t i = 0; i < std::min(missing.size(), kMost); ++i)
    out << fmt::format("missing: {}: {}\n", missing[i].unit->name, missing[i].why);
  if (missing.size() > kMost) out << fmt::format("and {} more\n", missing.size() - kMost);
}

// Adds the finished units to the database as sweeps of our own, in the plan's order, and prints
// what is new and which units are missing. Returns whether none is.
bool gather_job(const fs::path& folder, const fs::path& database, const Library& library,
                std::ostream& out) {
  const std::unique_ptr<FolderFiles> files = files_on_disk();
  const Job job(*files, folder);
  Gathered all = gather(job, *files, library);
  const std::size_t units = job.plan().units.size();
  warn_of_network(database);
  Store store(database);
  const Store::ImportResult taken = take_all(store, job.plan(), all);
  out << fmt::format("{} of {} finished; ", units - all.missing.size(), counted(units, "problem"));
  print_taken(out, taken, all.sweeps.size());
  if (all.without_sweep > 0)
    out << fmt::format("{} without a legal configuration\n", counted(all.without_sweep, "problem"));
  if (all.compiled + all.from_cache > 0)
    out << fmt::format("{}, and {} taken from the cache\n", counted(all.compiled, "compile"),
                       all.from_cache);
  print_missing(out, all.missing);
  return all.missing.empty();
}

struct JobMergeGiven : GivenWords {
  Places places;
  std::string into;

  void declare(Options& all) {
    all.text(into,
             {"into", "DATABASE",
              "The database that receives every sweep it lacks, as its own; it is created if it "
              "does not exist. Problems that are missing, or whose results cannot be used, are "
              "listed, and the status is then 1."});
    places.declare(all, {kKernels});
  }
};

int run_job_merge(const JobMergeGiven& given) {
  if (given.words.empty()) throw InputError("name at least one folder of a job");
  if (given.into.empty())
    throw InputError("--into DATABASE is missing: the database to merge them into");
  const Library library = load_library(given.places);
  bool is_complete = true;
  for (const std::string& folder : given.words)
    is_complete = gather_job(folder, given.into, library, std::cout) && is_complete;
  return is_complete ? kDone : kNothing;
}

}  // namespace

Command job_merge_command() {
  return make_command(
      {"job merge", Purpose::many_machines,
       "Put the results of jobs, finished or not, into one database.", "FOLDER… --into DATABASE",
       "  tilewright job merge /shared/gemm_job --into best.db\n"},
      run_job_merge);
}

}  // namespace tilewright::tools
