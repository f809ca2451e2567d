#include <algorithm>
#include <string>

#include "tests/fuzz/foreign_database.hpp"
#include "tests/fuzz/target.hpp"

// Gives the database a foreign schema or rows, or changes its pages, so that most inputs get past
// SQLite's first look.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace tilewright;
  static const test::Folder folder;
  fuzz::Random random(seed + 1);
  std::string bytes(fuzz::text_of(data, size));
  if (fuzz::below(random, 4) == 0) {
    test::write_file(folder / "mutated.db", bytes);
    fuzz::plant_sql(folder / "mutated.db", random);
    bytes = test::read_file(folder / "mutated.db");
  } else {
    fuzz::change_bytes(bytes, random);
  }
  if (bytes.size() > most || fuzz::below(random, 10) == 0)
    return LLVMFuzzerMutate(data, size, most);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}
