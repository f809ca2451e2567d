#include "db/exchange/winners.hpp"

#include <string>

#include "tests/fuzz/target.hpp"
#include "tilewright/error.hpp"

using namespace tilewright;

// What `export --format winners` writes, and `--shipped` reads.
TILEWRIGHT_FUZZ_TARGET(winners) {
  try {
    const std::string text(fuzz::text_of(data, size));
    are_winners(text);
    const std::string once = export_winners(import_winners(text, "fuzzed.json"), "");
    fuzz::expect(export_winners(import_winners(once, "exported.json"), "") == once,
                 "import, export, import, export gives the same text");
  } catch (const InputError&) {
  }
  return 0;
}
