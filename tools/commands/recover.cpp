#include <iostream>

#include "tilewright/error.hpp"
#include "tools/input/command.hpp"
#include "tools/input/target.hpp"
#include "tools/results/result_files.hpp"

namespace tilewright::tools {
namespace {

struct RecoverGiven : GivenWords {
  Places places;

  void declare(Options& all) { places.declare(all, {kDatabase, kKernels}); }
};

int run_recover(const RecoverGiven& given) {
  if (given.words.empty())
    throw InputError("name at least one file that a sweep left when its database failed");
  take_back(sweeps_in_all(given.words, load_library(given.places)), database_file(given.places),
            std::cout);
  return kDone;
}

}  // namespace

Command recover_command() {
  return make_command(
      {"recover", Purpose::keep,
       "Bring back sweeps from the *.rescue-*.json files written when a database failed.",
       "FILE… [--db FILE]",
       "  tilewright recover results.db.rescue-1f3a9c20.json --db results.db\n"},
      run_recover);
}

}  // namespace tilewright::tools
