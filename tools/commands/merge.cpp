#include <iostream>

#include "tilewright/error.hpp"
#include "tools/input/command.hpp"
#include "tools/input/target.hpp"
#include "tools/work/result_files.hpp"

namespace tilewright::tools {
namespace {

int run_merge(const Arguments& arguments) {
  if (arguments.words().empty())
    throw InputError(
        "name at least one file: a database, or what `tilewright export --format json` wrote");
  const auto into = arguments.text("into");
  if (!into) throw InputError("--into DATABASE is missing: the database to merge them into");
  take_in(sweeps_in_all(arguments.words(), load_library(arguments)), *into, std::cout);
  return kDone;
}

}  // namespace

Command merge_command() {
  return {
      "merge",
      "Merge databases into one.",
      "DATABASE… --into DATABASE",
      "  tilewright merge mine.db theirs.db --into all.db\n",
      {{"into", "DATABASE",
        "The database that receives every sweep it lacks; it is created if it does not exist. "
        "Order "
        "and repetition make no difference. Sweeps of another database are marked as imported."},
       kKernelsOption},
      run_merge};
}

}  // namespace tilewright::tools
