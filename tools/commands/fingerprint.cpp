#include <fmt/format.h>

#include <iostream>

#include "runtime/catalog_source.hpp"
#include "tilewright/error.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/paths.hpp"
#include "tools/print/table.hpp"
#include "tools/print/text.hpp"

namespace tilewright::tools {
namespace {

int run_fingerprint(const Arguments& arguments) {
  if (!arguments.words().empty())
    throw InputError(
        fmt::format("'{}': name a database with --db, a bundle with --bundle, an "
                    "export of winners with --shipped",
                    arguments.words().front()));
  RuntimeOptions options;
  options.catalog.kernels = kernel_folders(arguments);
  options.catalog.shipped = shipped_places(arguments);
  if (arguments.has("db") || has_database(arguments))
    options.catalog.database = database_file(arguments);
  for (const std::string& file : arguments.texts("bundle")) options.bundles.emplace_back(file);
  const Fingerprint parts = CatalogSource(options).fingerprint();
  const std::string whole = hash_of(parts);
  if (arguments.has("json")) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& [name, hash] : parts) list.push_back({{"name", name}, {"hash", hash}});
    print_json(std::cout, nlohmann::json{{"fingerprint", whole}, {"parts", list}});
    return kDone;
  }
  std::cout << whole << '\n';
  if (!arguments.has("verbose")) return kDone;
  Table table({});
  for (const auto& [name, hash] : parts) table.add({name, hash});
  table.print(std::cout, "  ");
  return kDone;
}

}  // namespace

Command fingerprint_command() {
  return {"fingerprint",
          "Print a number that is the same wherever look-ups give the same answers.",
          "[options]",
          "  tilewright fingerprint --db best.db\n"
          "  tilewright fingerprint --db best.db --bundle gemm.bundle --verbose\n",
          {kDatabaseOption,
           {"bundle", "FILE", "A bundle that the application opens; may be repeated.",
            OptionSpec::Times::many},
           kKernelsOption,
           kShippedOption,
           {"verbose", "", "Also print the hash of each part.", OptionSpec::Times::once, 'v'},
           kJsonOption},
          run_fingerprint};
}

}  // namespace tilewright::tools
