#include "tuner/foreign/record.hpp"

#include "tests/fuzz/target.hpp"
#include "tilewright/error.hpp"

using namespace tilewright;

// Kernel Tuner's caches and T4 results, gzip or plain.
TILEWRIGHT_FUZZ_TARGET(record) {
  try {
    const Record record = read_record(fuzz::text_of(data, size), "fuzzed.json");
    fuzz::expect(best_time_us(record) > 0, "the best time of a record is positive");
    grid_of(record);
  } catch (const InputError&) {
  }
  return 0;
}
