#include <filesystem>
#include <iostream>

#include "tilewright/error.hpp"
#include "tools/input/command.hpp"
#include "tools/input/target.hpp"
#include "tools/results/result_files.hpp"
#include "tools/run/job_gathering.hpp"

namespace tilewright::tools {
namespace {

int run_merge(const Arguments& arguments) {
  if (arguments.words().empty())
    throw InputError(
        "name at least one file: a database, what `tilewright export --format json` wrote, or the "
        "folder of a job");
  const auto into = arguments.text("into");
  if (!into) throw InputError("--into DATABASE is missing: the database to merge them into");
  const Library library = load_library(arguments);
  std::vector<std::string> files;
  std::vector<std::string> jobs;
  std::error_code ignored;
  for (const std::string& word : arguments.words()) {
    const bool is_of_job = is_job(word);
    if (!is_of_job && std::filesystem::is_directory(word, ignored))
      throw InputError("'" + word + "' is a folder, but not that of a job");
    (is_of_job ? jobs : files).push_back(word);
  }
  if (!files.empty()) take_in(sweeps_in_all(files, library), *into, std::cout);
  bool is_complete = true;
  for (const std::string& job : jobs)
    is_complete = gather_job(job, *into, library, std::cout) && is_complete;
  return is_complete ? kDone : kNothing;
}

}  // namespace

Command merge_command() {
  return {
      "merge",
      "Merge databases, exports and jobs into one database.",
      "DATABASE|JOB… --into DATABASE",
      "  tilewright merge mine.db theirs.db --into all.db\n"
      "  tilewright merge /shared/gemm_job --into all.db\n",
      {{"into", "DATABASE",
        "The database that receives every sweep it lacks; it is created if it does not exist. "
        "Order and repetition make no difference. Sweeps of another database are marked as "
        "imported. Those of a job become its own; problems that are missing are listed, and the "
        "status is then 1."},
       kKernelsOption},
      run_merge};
}

}  // namespace tilewright::tools
