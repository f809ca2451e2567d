#include "tuner/foreign/record.hpp"

#include "tests/fuzz/target.hpp"
#include "tilewright/error.hpp"

using namespace tilewright;

// What other tuners recorded, gzip or plain.
TILEWRIGHT_FUZZ_TARGET(record) {
  try {
    for (const Record& record : read_records(fuzz::text_of(data, size), "fuzzed.json")) {
      fuzz::expect(best_time_us(record) > 0, "the best time of a record is positive");
      grid_of(record);
    }
  } catch (const InputError&) {
  }
  return 0;
}
