#include <iostream>

#include "tilewright/error.hpp"
#include "tools/input/command.hpp"
#include "tools/input/paths.hpp"
#include "tools/input/target.hpp"
#include "tools/results/result_files.hpp"

namespace tilewright::tools {
namespace {

int run_recover(const Arguments& arguments) {
  if (arguments.words().empty())
    throw InputError("name at least one file that a sweep left when its database failed");
  take_back(sweeps_in_all(arguments.words(), load_library(arguments)), database_file(arguments),
            std::cout);
  return kDone;
}

}  // namespace

Command recover_command() {
  return {"recover",
          "Bring back sweeps that were measured for this database.",
          "FILE… [--db FILE]",
          "  tilewright recover results.db.rescue-1f3a9c20.json --db results.db\n",
          {kDatabaseOption, kKernelsOption},
          run_recover};
}

}  // namespace tilewright::tools
