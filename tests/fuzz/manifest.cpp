#include "definition/manifest/manifest.hpp"

#include <string>

#include "tests/fuzz/target.hpp"
#include "tilewright/error.hpp"

using namespace tilewright;

TILEWRIGHT_FUZZ_TARGET(manifest) {
  try {
    const Manifest manifest =
        read_manifest({"fuzzed.toml", std::string(fuzz::text_of(data, size))});
    if (!manifest.operations.empty())
      for (const Implementation& implementation : manifest.implementations)
        check_against(implementation, manifest.operations.front());
  } catch (const InputError&) {
  }
  return 0;
}
