#include <cstdlib>
#include <string>

#include "db/store/store.hpp"
#include "db/tables/file_format.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

using namespace tilewright;

// A file of SQLite, read as a look-up and `results` read it, or the journal beside one.
TILEWRIGHT_FUZZ_TARGET(database) {
  static const test::Folder folder;
  const auto file = folder / "fuzzed.db";
  std::string unfinished(4096, 'x');
  if (roll_back(unfinished, fuzz::text_of(data, size), 1 << 20) && unfinished.size() > 1 << 20)
    std::abort();
  test::write_file(file, std::string(fuzz::text_of(data, size)));
  try {
    const Store store(file, Store::Mode::read_only);
    for (const SweepRecord& sweep : store.sweeps({})) store.trials(sweep.id);
    store.best({});
    store.wanted();
    store.portable("gemm", DeviceKind::cuda);
    store.best_of(store.subjects("gemm", DeviceKind::cuda).rows);
  } catch (const InputError&) {
  } catch (const MachineError&) {
  }
  return 0;
}
