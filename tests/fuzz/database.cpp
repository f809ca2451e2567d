#include <filesystem>
#include <string>

#include "tests/fuzz/foreign_database.hpp"
#include "tests/fuzz/target.hpp"

using namespace tilewright;

// A file of SQLite, read as look-ups and commands read it, or the journal beside one.
TILEWRIGHT_FUZZ_TARGET(database) {
  static const test::Folder folder;
  static const auto sound = folder / "sound.db";
  static const Store keeps_it(sound);
  const std::string bytes(fuzz::text_of(data, size));
  test::write_file(sound.string() + "-journal", bytes);
  fuzz::read_all(sound);
  test::write_file(folder / "fuzzed.db", bytes);
  fuzz::read_all(folder / "fuzzed.db");
  fuzz::expect(test::read_file(folder / "fuzzed.db") == bytes, "reading writes nothing");
  return 0;
}
