#include <algorithm>

#include "db/exchange/difference.hpp"
#include "definition/json/json.hpp"
#include "definition/text/escape.hpp"
#include "tools/input/command.hpp"
#include "tools/input/target.hpp"
#include "tools/print/names.hpp"
#include "tools/print/terminal.hpp"
#include "tools/results/result_files.hpp"

namespace tilewright::tools {
namespace {

const BestRow& row_of(const RowChange& change) {
  return change.first ? *change.first : *change.second;
}

std::string median_text(const BestRow& row) {
  return row.trial.timing ? time_text(row.trial.timing->median_us) : "no time";
}

std::string winner_text(const BestRow& row, const StoredNames& names) {
  return names.configuration(row.implementation, row.configuration);
}

std::string software_text(const std::vector<Environment>& all) {
  std::string text;
  for (const Environment& one : all) {
    std::string part;
    for (const auto& [what, version] :
         {std::pair("driver ", &one.driver), std::pair("runtime ", &one.runtime),
          std::pair("", &one.compiler), std::pair("tilewright ", &one.tool)})
      if (!version->empty()) part += (part.empty() ? "" : ", ") + (what + *version);
    if (one.power_limit_w)
      part += fmt::format("{}limited to {} W", part.empty() ? "" : ", ", *one.power_limit_w);
    text += (text.empty() ? "" : " and ") + (part.empty() ? "not known" : part);
  }
  return text;
}

void print_change(const RowChange& change, const StoredNames& names) {
  const BestRow& row = row_of(change);
  std::cout << visible_line(fmt::format("{} {} | {} | {}", row.implementation,
                                        names.problem(row.problem), row.device.name,
                                        policy_text(row.policy)))
            << '\n';
  if (change.is_one_sided()) {
    print_wrapped(std::cout, "  ",
                  fmt::format("only in the {}: {}, {}", change.first ? "first" : "second",
                              median_text(row), winner_text(row, names)));
    return;
  }
  std::cout << fmt::format("  {} → {}", median_text(*change.first), median_text(*change.second));
  if (change.ratio > 0)
    std::cout << fmt::format(", {}, intervals {}", faster_text(1, change.ratio),
                             change.has_other_time ? "apart" : "overlap");
  std::cout << '\n';
  if (change.has_other_winner)
    std::cout << fmt::format("  winner {}\n      → {}\n", winner_text(*change.first, names),
                             winner_text(*change.second, names));
}

void print_text(const RowDifference& difference, const StoredNames& names) {
  for (const SoftwareChange& change : difference.software)
    std::cout << visible_line(fmt::format("software on {}: {} → {}", change.device.name,
                                          software_text(change.first),
                                          software_text(change.second)))
              << '\n';
  for (const RowChange& change : difference.changes) print_change(change, names);
  const auto count = [&](const auto& is_counted) {
    return std::ranges::count_if(difference.changes, is_counted);
  };
  std::cout << fmt::format(
      "{} the same; {} with another winner, {} with another time, {} only in the first, {} only "
      "in the second\n",
      difference.same, count(&RowChange::has_other_winner), count(&RowChange::has_other_time),
      count([](const RowChange& change) { return !change.second; }),
      count([](const RowChange& change) { return !change.first; }));
}

nlohmann::json json_of_side(const std::optional<BestRow>& row) {
  if (!row) return nullptr;
  nlohmann::json json = {{"configuration", to_json(row->configuration.values)},
                         {"measured_at", row->finished},
                         {"environment", to_json(row->environment)},
                         {"imported", row->imported}};
  if (row->trial.timing) json["timing"] = timing_summary(*row->trial.timing);
  return json;
}

nlohmann::json json_of_environments(const std::vector<Environment>& all) {
  return json_list(all, [](const Environment& one) { return nlohmann::json(to_json(one)); });
}

nlohmann::json json_of(const SoftwareChange& change) {
  return {{"device", change.device.name},
          {"first", json_of_environments(change.first)},
          {"second", json_of_environments(change.second)}};
}

nlohmann::json json_of(const RowChange& change) {
  const BestRow& row = row_of(change);
  nlohmann::json json = {{"implementation", row.implementation},
                         {"problem", to_json(row.problem.values)},
                         {"device", row.device.name},
                         {"policy", tilewright::to_text(row.policy)},
                         {"other_winner", change.has_other_winner},
                         {"other_time", change.has_other_time},
                         {"first", json_of_side(change.first)},
                         {"second", json_of_side(change.second)}};
  if (change.ratio > 0) json["ratio"] = change.ratio;
  return json;
}

nlohmann::json json_of(const RowDifference& difference) {
  const auto write = [](const auto& change) { return json_of(change); };
  return {{"software", json_list(difference.software, write)},
          {"changes", json_list(difference.changes, write)},
          {"same", difference.same}};
}

struct DiffGiven : GivenPrinting {
  Places places;

  void declare(Options& all) {
    places.declare(all, {kKernels});
    GivenPrinting::declare(all);
  }
};

int run_diff(const DiffGiven& given) {
  if (given.words.size() != 2)
    throw InputError("diff takes two files; each is a database, an export or a file of winners");
  const RowDifference difference =
      difference_of(winners_in(given.words[0]), winners_in(given.words[1]));
  const Library library = library_for_names(given.places);
  if (given.json)
    print_json(std::cout, json_of(difference));
  else
    print_text(difference, StoredNames(library, given.detail));
  return difference.changes.empty() ? kDone : kNothing;
}

}  // namespace

Command diff_command() {
  return make_command(
      {"diff", Purpose::keep, "Compare the answers of two databases or exports.",
       "FIRST SECOND [options]",
       "  tilewright diff before.db after.db\n"
       "  tilewright diff shipped_results/NVIDIA_H200/gemm.json mine.db\n\n"
       "status 0: the same winners, and times within the noise; 1: something differs or is on "
       "one side only\n"},
      run_diff);
}

}  // namespace tilewright::tools
