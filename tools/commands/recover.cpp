#include <algorithm>

#include "tools/input/command.hpp"
#include "tools/input/target.hpp"
#include "tools/results/result_files.hpp"

namespace tilewright::tools {
namespace {

struct RecoverGiven : GivenWords {
  Places places;

  void declare(Options& all) { places.declare(all, {kDatabase, kKernels}); }
};

// Of a file that cannot be read: what this command is for, and what helps a database.
template <class Error>
[[noreturn]] void refuse(const Error& error) {
  throw Error(fmt::format(
      "{}; recover reads the *.rescue-*.json files that a sweep writes when its database fails, "
      "and "
      "repairs no database: use a copy of it, or save what can be read with `sqlite3 DAMAGED.db "
      ".recover | sqlite3 SAVED.db`",
      error.what()));
}

std::vector<Store::Imported> rescued_sweeps(const RecoverGiven& given) {
  const Library library = load_library(given.places);
  const bool are_all_json = std::ranges::all_of(
      given.words, [](const std::string& file) { return file.ends_with(".json"); });
  try {
    return sweeps_in_all(given.words, library);
  } catch (const MachineError& error) {
    refuse(error);
  } catch (const InputError& error) {
    if (are_all_json) throw;
    refuse(error);
  }
}

int run_recover(const RecoverGiven& given) {
  if (given.words.empty())
    throw InputError("name at least one file that a sweep left when its database failed");
  take_back(rescued_sweeps(given), database_file(given.places), std::cout);
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
