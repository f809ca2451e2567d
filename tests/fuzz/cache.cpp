#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "definition/text/hash.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/unit/tuner/worker/temporary_folder.hpp"
#include "tuner/worker/cubin_cache.hpp"

using namespace tilewright;
namespace fs = std::filesystem;

namespace {

fs::path entry_in(const fs::path& folder) {
  return folder / "fuzzed.code";
}

// The line that an entry begins with.
std::string first_line_of_entries(const fs::path& folder) {
  CubinCache(folder).store("fuzzed", CompileResult{});
  std::ifstream stream(entry_in(folder), std::ios::binary);
  std::string line;
  std::getline(stream, line);
  return line + '\n';
}

// What is served can be stored, and is then served again.
void read_entry(const fs::path& folder, const std::string& bytes) {
  std::ofstream(entry_in(folder), std::ios::binary) << bytes;
  CubinCache cache(folder);
  const std::optional<CompileResult> found = cache.find("fuzzed");
  if (!found) return;
  cache.store("again", *found);
  const std::optional<CompileResult> again = cache.find("again");
  if (again)
    fuzz::expect(again->outcome == found->outcome && again->code == found->code &&
                     again->code_hash == found->code_hash && again->log == found->log,
                 "an entry that is stored again stays the same");
}

}  // namespace

// An entry of the cache of compiled code: once as it is, and once with the first line and the
// checksum that it needs, because a fuzzer does not find them.
TILEWRIGHT_FUZZ_TARGET(cache) {
  static const TemporaryFolder folder;
  static const std::string first_line = first_line_of_entries(folder.path());
  const std::string bytes(fuzz::text_of(data, size));
  read_entry(folder.path(), bytes);
  read_entry(folder.path(), first_line + hex_hash(bytes) + '\n' + bytes);
  return 0;
}
