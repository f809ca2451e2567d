#include <filesystem>
#include <string>

#include "db/store/store.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/unit/db/samples.hpp"
#include "tilewright/error.hpp"

using namespace tilewright;

namespace {

void read_all(const std::filesystem::path& file) try {
  const Store store(file, Store::Mode::read_only);
  for (const SweepRecord& sweep : store.sweeps({})) store.trials(sweep.id);
  store.best({});
  store.wanted();
  store.portable("gemm", DeviceKind::cuda);
  store.best_of(store.subjects("gemm", DeviceKind::cuda).rows);
} catch (const InputError&) {
} catch (const MachineError&) {
}

}  // namespace

// A file of SQLite, read as a look-up and `results` read it, or the journal beside one.
TILEWRIGHT_FUZZ_TARGET(database) {
  static const test::Folder folder;
  static const auto sound = folder / "sound.db";
  static const Store keeps_it(sound);
  const std::string bytes(fuzz::text_of(data, size));
  test::write_file(sound.string() + "-journal", bytes);
  read_all(sound);
  test::write_file(folder / "fuzzed.db", bytes);
  read_all(folder / "fuzzed.db");
  return 0;
}
