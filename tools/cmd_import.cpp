// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <iostream>
#include <iterator>

#include "db/exchange.hpp"
#include "tilewright/error.hpp"
#include "tools/command.hpp"
#include "tools/paths.hpp"
#include "tuner/definition/text_file.hpp"

namespace tilewright::tools {
namespace {

int run(const Arguments& arguments) {
  if (arguments.words().empty())
    throw InputError("name at least one file that `tilewright export --format json` wrote");
  std::vector<Store::Imported> sweeps;  // of all files, before anything is written
  for (const std::string& file : arguments.words()) {
    std::vector<Store::Imported> more = import_json(read_text_file(file), file);
    sweeps.insert(sweeps.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  }
  Store store(database_file(arguments));
  const Store::ImportResult result = store.import_sweeps(sweeps);
  std::cout << fmt::format("{} of {} sweeps are new", result.added, sweeps.size());
  if (result.continued > 0)
    std::cout << fmt::format(", {} unfinished here went on", result.continued);
  std::cout << '\n';
  return kDone;
}

}  // namespace

Command import_command() {
  return {"import",
          "Take in results that another machine exported, or that a sweep could not store.",
          "FILE… [--db FILE]",
          "  tilewright import gemm.json\n",
          {database_option()},
          run};
}

}  // namespace tilewright::tools
