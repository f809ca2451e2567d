#include <fmt/format.h>
#include <xxhash.h>

#include <string>

#include "runtime/bundle/bundle_file.hpp"
#include "tests/fuzz/target.hpp"
#include "tilewright/error.hpp"

using namespace tilewright;

// The input is what a bundle contains. The lines before it get the right checksum here, because a
// fuzzer does not find it.
TILEWRIGHT_FUZZ_TARGET(bundle) {
  const XXH128_hash_t hash = XXH3_128bits(data, size);
  const std::string bytes = fmt::format("tilewright bundle, format 2\n{} {:016x}{:016x}\n{}", size,
                                        hash.high64, hash.low64, fuzz::text_of(data, size));
  try {
    const BundleContents contents = decode_bundle(bytes, "fuzzed.tilewright");
    const std::string once = encode_bundle(contents);
    fuzz::expect(encode_bundle(decode_bundle(once, "again")) == once,
                 "read, write, read, write gives the same bundle");
    for (const BundledRecipe& one : contents.recipes) {
      const Problem& problem = one.recipe.answer.problem;
      std::string why;
      find_recipe(contents, problem.operation, problem.values, one.recipe.device, why);
      contents.code_of(one.build);
    }
  } catch (const InputError&) {
  }
  try {
    decode_bundle(std::string(fuzz::text_of(data, size)), "raw");
  } catch (const InputError&) {
  }
  return 0;
}
