#include <filesystem>

#include "campaign/job/job.hpp"
#include "tools/input/command.hpp"
#include "tools/input/target.hpp"
#include "tools/results/result_files.hpp"

namespace tilewright::tools {
namespace {

struct MergeGiven : GivenWords {
  Places places;
  std::string into;

  void declare(Options& all) {
    all.text(into,
             {"into", "DATABASE",
              "The database that receives every sweep it lacks; it is created if it does not "
              "exist. Order and repetition make no difference. Sweeps of another database are "
              "marked as imported."});
    places.declare(all, {kKernels});
  }
};

int run_merge(const MergeGiven& given) {
  if (given.words.empty())
    throw InputError(
        "name at least one file: a database, or what `tilewright export --format json` wrote");
  if (given.into.empty())
    throw InputError("--into DATABASE is missing: the database to merge them into");
  std::error_code ignored;
  for (const std::string& word : given.words)
    if (Job::is_at(*files_on_disk(), word))
      throw InputError(fmt::format(
          "'{}' is the folder of a job: `tilewright job merge` gathers its sweeps", word));
    else if (std::filesystem::is_directory(word, ignored))
      throw InputError("'" + word + "' is a folder, but not that of a job");
  take_in(sweeps_in_all(given.words, load_library(given.places)), given.into, std::cout);
  return kDone;
}

}  // namespace

Command merge_command() {
  return make_command(
      {"merge", Purpose::many_machines,
       "Put the results of several databases or exports into one database.",
       "DATABASE… --into DATABASE", "  tilewright merge mine.db theirs.db --into all.db\n"},
      run_merge);
}

}  // namespace tilewright::tools
