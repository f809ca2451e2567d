#include <string>

#include "tests/fuzz/target.hpp"
#include "tests/support/gzip.hpp"
#include "tilewright/error.hpp"
#include "tuner/foreign/record.hpp"

using namespace tilewright;

namespace {

constexpr std::size_t kMost = 1 << 20;

}  // namespace

// A file that may be gzip, and the same bytes packed.
TILEWRIGHT_FUZZ_TARGET(gzip) {
  const std::string_view bytes = fuzz::text_of(data, size);
  try {
    fuzz::expect(gunzip(bytes, kMost).text.size() <= kMost, "the limit of size holds");
  } catch (const InputError&) {
  }
  const std::string packed = test::gzip(std::string(bytes));
  const Unpacked once = gunzip(packed, kMost);
  fuzz::expect(once.is_complete && once.text == bytes, "what is packed unpacks to the same");
  const Unpacked twice = gunzip(packed + packed, kMost);
  fuzz::expect(twice.is_complete && twice.text == std::string(bytes) + std::string(bytes),
               "two members unpack to both texts");
  return 0;
}
