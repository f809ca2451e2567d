#include <algorithm>

#include "definition/json/json.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/sweep_options.hpp"
#include "tools/input/target.hpp"
#include "tools/print/names.hpp"
#include "tools/print/terminal.hpp"

namespace tilewright::tools {
namespace {

// A problem with what it is worth; unknown operations are worth nothing.
struct Valued {
  Wanted wanted;
  std::string name;
  double value = 0;
};

std::vector<Valued> valued(const std::vector<Wanted>& all, const Library& library) {
  const StoredNames names(library, Detail::brief);
  std::vector<Valued> list;
  for (const Wanted& one : all) {
    const Problem& problem = one.subject.problem;
    const Operation* const operation = names.operation(problem.operation);
    list.push_back({one, named_problem(problem.operation, names.problem(problem)),
                    operation == nullptr ? 0 : value_of(one, *operation)});
  }
  std::ranges::stable_sort(list, std::greater(), &Valued::value);
  return list;
}

// Adds the hits to the database and takes them away where they were. Killed in between, they count
// twice, which changes no answer.
std::size_t gather(const std::vector<std::string>& files, const std::filesystem::path& into) {
  std::size_t count = 0;
  for (const std::string& file : files) {
    std::error_code error;
    if (std::filesystem::equivalent(file, into, error))
      throw InputError(fmt::format("'{}' is also --into; name it once", file));
    if (!std::filesystem::exists(file))
      throw InputError(fmt::format("there is no database '{}'", file));
    store_for_reading(file)->wanted();  // before any is changed
  }
  std::vector<std::unique_ptr<Store>> stores;
  for (const std::string& file : files) stores.push_back(std::make_unique<Store>(file));
  warn_of_network(into);
  Store target(into);
  for (const std::unique_ptr<Store>& store : stores) {
    const std::vector<Wanted> wanted = store->wanted();
    target.add_wanted(wanted);
    store->remove_wanted(wanted);
    count += wanted.size();
  }
  return count;
}

struct WantedGiven : GivenWords {
  Places places;
  std::string into;
  bool json = false;

  void declare(Options& all) {
    all.text(into,
             {"into", "DATABASE",
              "Move what the databases FILE… have waiting into this one; counts are added up."});
    places.declare(all, {kDatabase, kKernels});
    all.flag(json, kJsonOption);
  }
};

void print_wanted(const WantedGiven& given, const std::vector<Valued>& list) {
  if (given.json) {
    nlohmann::json json = nlohmann::json::array();
    for (const auto& [wanted, name, value] : list)
      json.push_back({{"operation", wanted.subject.problem.operation},
                      {"problem", to_json(wanted.subject.problem.values)},
                      {"device", wanted.subject.device.name},
                      {"policy", to_text(wanted.subject.policy)},
                      {"asked", wanted.hits},
                      {"last_asked", wanted.last_asked},
                      {"rung", wanted.rung},
                      {"value", value}});
    return print_json(std::cout, nlohmann::json{{"wanted", json}});
  }
  Table table({"problem", "device", "asked", "last asked", "answer"}, {2});
  for (const auto& [wanted, name, value] : list)
    table.add({name, wanted.subject.device.name, count_text(wanted.hits),
               date_text(wanted.last_asked), to_text(static_cast<Rung>(wanted.rung))});
  table.print(std::cout);
}

int run_wanted(const WantedGiven& given) {
  if (given.into.empty() != given.words.empty())
    throw InputError("FILE… and --into DATABASE go together; neither: list what --db has");
  if (!given.into.empty()) {
    std::cout << fmt::format("{} gathered\n", counted(gather(given.words, given.into), "question"));
    return kDone;
  }
  const std::unique_ptr<Store> store = open_for_reading(given.places);
  const std::vector<Valued> list =
      store ? valued(store->wanted(), load_library(given.places)) : std::vector<Valued>{};
  if (list.empty())
    std::cerr
        << (store ? "no look-up is waiting for a sweep; applications add those without an exact "
                    "answer with runtime.store_wanted() (docs/catalog.md)"
                  : no_database_text(given.places))
        << '\n';
  if (!list.empty() || given.json) print_wanted(given, list);
  return list.empty() ? kNothing : kDone;
}

}  // namespace

Command wanted_command() {
  return make_command(
      {"wanted", Purpose::ask,
       "List what applications asked the library for and was not tuned, or gather lists.",
       "[FILE… --into DATABASE] [options]",
       "  tilewright wanted\n"
       "  tilewright wanted rank*.db --into best.db\n"},
      run_wanted);
}

}  // namespace tilewright::tools
