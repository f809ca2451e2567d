#include "campaign/store_observer.hpp"

#include <fmt/format.h>

#include "db/exchange/exchange.hpp"
#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

// Returns where it could be written.
fs::path write_beside(const fs::path& database, const fs::path& scratch, const std::string& name,
                      const std::string& content) {
  const fs::path beside = fs::path(database).replace_filename(name);
  try {
    write_file(beside, content);
    return beside;
  } catch (const MachineError&) {
    // Its folder may be gone, full or read-only.
  }
  const fs::path elsewhere = scratch / name;
  write_file(elsewhere, content);
  return elsewhere;
}

}  // namespace

void StoreObserver::keep(const std::vector<Trial>& trials) {
  trials_.insert(trials_.end(), trials.begin(), trials.end());
  try {
    store_.add_trials(sweep_.id, trials);
  } catch (const MachineError& error) {
    rescue(error.what());
  }
}

void StoreObserver::finish(const std::string& report) {
  try {
    store_.finish_sweep(sweep_.id, report);
  } catch (const MachineError& error) {
    rescue(error.what());
  }
}

void StoreObserver::rescue(const std::string& failure) const {
  const std::string name =
      fmt::format("{}.rescue-{}.json", store_.file().filename().string(), sweep_.uuid.substr(0, 8));
  std::string file;
  try {
    file = write_beside(store_.file(), scratch_, name, export_json({{sweep_, trials_}})).string();
  } catch (const MachineError& error) {
    throw MachineError(fmt::format("{}; the sweep could not be written elsewhere either: {}",
                                   failure, error.what()));
  }
  throw MachineError(fmt::format(
      "{}; the sweep so far is in {}; add it with `tilewright import {}`", failure, file, file));
}

}  // namespace tilewright
