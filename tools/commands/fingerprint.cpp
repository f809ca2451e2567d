#include "definition/json/json.hpp"
#include "runtime/catalog_source.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/print/terminal.hpp"

namespace tilewright::tools {
namespace {

struct FingerprintGiven : GivenWords {
  Places places;
  std::vector<std::string> bundles;
  Detail detail = Detail::brief;
  bool json = false;

  void declare(Options& all) {
    places.declare(all, {kDatabase});
    all.texts(bundles, {"bundle", "FILE", "A bundle that the application opens; may be repeated."});
    places.declare(all, {kKernels, kLibraries, kShipped});
    all.flag(detail, Detail::full,
             {"verbose", "", "Also print the hash of each part.", OptionSpec::Times::once, 'v'});
    all.flag(json, kJsonOption);
  }
};

int run_fingerprint(const FingerprintGiven& given) {
  if (!given.words.empty())
    throw bad_input(
        "'{}': name a database with --db, a bundle with --bundle, an export of winners with "
        "--shipped",
        given.words.front());
  RuntimeOptions options;
  options.catalog.kernels = kernel_folders(given.places);
  options.catalog.libraries = libraries_of(given.places);
  options.catalog.shipped = shipped_places(given.places);
  if (!given.places.database.empty() || has_database(given.places))
    options.catalog.database = database_file(given.places);
  options.bundles.assign(given.bundles.begin(), given.bundles.end());
  const Fingerprint parts = CatalogSource(options).fingerprint();
  const std::string whole = hash_of(parts);
  if (given.json) {
    const nlohmann::json list = json_list(parts, [](const auto& part) {
      return nlohmann::json{{"name", part.name}, {"hash", part.hash}};
    });
    print_json(std::cout, nlohmann::json{{"fingerprint", whole}, {"parts", list}});
    return kDone;
  }
  std::cout << whole << '\n';
  if (given.detail == Detail::brief) return kDone;
  Table table({});
  for (const auto& [name, hash] : parts) table.add({name, hash});
  table.print(std::cout, "  ");
  return kDone;
}

}  // namespace

Command fingerprint_command() {
  return make_command(
      {"fingerprint", Purpose::ship,
       "Print a number that is the same wherever look-ups give the same answers.", "[options]",
       "  tilewright fingerprint --db best.db\n"
       "  tilewright fingerprint --db best.db --bundle gemm.bundle --verbose\n"},
      run_fingerprint);
}

}  // namespace tilewright::tools
