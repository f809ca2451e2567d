#include <filesystem>
#include <optional>
#include <string>

#include "db/exchange/exchange.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

using namespace tilewright;

namespace {

// A store with a sweep of our own, made anew now and then, because imports make it grow.
class OwnStore {
 public:
  OwnStore() : store_(folder_ / "own.db") {
    const SweepRecord sweep =
        store_.begin_sweep(test::sweep_key(), test::environment(), Store::Start::fresh);
    store_.add_trials(sweep.id, {test::measured(16, 20), test::measured(32, 10)});
    store_.finish_sweep(sweep.id, "{}");
    best_ = own_best();
  }

  void import(const std::vector<Store::Imported>& sweeps) {
    try {
      store_.import_sweeps(sweeps);
    } catch (const InputError&) {
    }
    fuzz::expect(own_best() == best_, "an import leaves our own answers as they are");
  }

 private:
  std::vector<Configuration> own_best() const {
    std::vector<Configuration> configurations;
    for (const BestRow& row : store_.best({}))
      if (!row.imported) configurations.push_back(row.trial.configuration);
    return configurations;
  }

  test::Folder folder_;
  Store store_;
  std::vector<Configuration> best_;
};

}  // namespace

TILEWRIGHT_FUZZ_TARGET(export) {
  static std::optional<OwnStore> own;
  static int imports = 0;
  try {
    const auto sweeps = import_json(fuzz::text_of(data, size), "fuzzed.json");
    const std::string once = export_json(sweeps);
    const std::string twice = export_json(import_json(once, "exported.json"));
    fuzz::expect(once == twice, "import, export, import, export gives the same text");
    if (imports++ % 100 == 0) own.emplace();
    own->import(sweeps);
  } catch (const InputError&) {
  }
  return 0;
}
