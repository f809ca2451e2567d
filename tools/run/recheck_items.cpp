#include "tools/run/recheck.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "campaign/prepared_sweep.hpp"
#include "db/ladder/ladder.hpp"
#include "db/ladder/present.hpp"
#include "db/records/device_name.hpp"
#include "db/records/staleness.hpp"
#include "definition/problem.hpp"
#include "tilewright/error.hpp"
#include "tilewright/version.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/target.hpp"
#include "tuner/sweep/prepare/checks.hpp"

namespace tilewright::tools {
namespace {

// The values that the command line names. Values that it leaves out match everything.
Settings named_values(const Target& target) {
  const Problem whole = make_problem(target.operation(), target.assignments, Device{});
  Settings named;
  for (const std::string& assignment : target.assignments) {
    std::size_t start = 0;
    for (std::size_t end = assignment.find('='); end != std::string::npos;
         start = end + 1, end = assignment.find('=', start)) {
      const std::string name = assignment.substr(start, end - start);
      named[name] = find_value(target.operation(), whole, name).value();
    }
  }
  return named;
}

bool matches(const RecheckWish& wish, const BestRow& row) {
  const auto& names = wish.implementations;
  if (!names.empty() && std::find(names.begin(), names.end(), row.implementation) == names.end())
    return false;
  if (!wish.device_name.empty() && !is_named(row.device, wish.device_name)) return false;
  const auto family = std::ranges::find(wish.families, row.problem.operation,
                                        [](const auto& one) { return one->operation.name; });
  return family == wish.families.end() ? wish.problem.empty()
                                       : std::ranges::all_of(wish.problem, [&](const auto& wanted) {
                                           return find_value((*family)->operation, row.problem,
                                                             wanted.first) == wanted.second;
                                         });
}

// The family with the snippets of the row's problem. Throws InputError if one is missing.
std::shared_ptr<const Family> family_of(const RecheckWish& wish, const BestRow& row) {
  for (const auto& family : wish.families)
    if (family->operation.name == row.problem.operation)
      return family_with(family, row.problem.values, wish.snippets);
  return nullptr;
}

const Implementation* implementation_of(const Family& family, const std::string& full_name) {
  for (const Implementation& implementation : family.implementations)
    if (implementation.full_name() == full_name) return &implementation;
  return nullptr;
}

// Throws InputError if the operation cannot have such a problem.
bool is_problem_of(const Operation& operation, const BestRow& row) {
  return make_problem(operation, row.problem.values, row.device) == row.problem;
}

// Why the known definitions cannot be used for this row; empty if they can.
std::string why_not(const Family* family, const BestRow& row) {
  const Implementation* implementation =
      family == nullptr ? nullptr : implementation_of(*family, row.implementation);
  if (implementation == nullptr)
    return fmt::format("{} is not defined; name its folder with --kernels", row.implementation);
  if (implementation->epoch != row.epoch)
    return fmt::format("the stored result is of epoch {}, the definition of epoch {}", row.epoch,
                       implementation->epoch);
  try {
    if (!is_problem_of(family->operation, row)) return "the operation has other dimensions now";
  } catch (const InputError& error) {
    return fmt::format("the operation has no such problem any more: {}", error.what());
  }
  if (!has_reference(family->operation))
    return "the operation has no reference to check answers against";
  if (!fits(*implementation, row.configuration, row.problem, row.device))
    return "the stored configuration no longer fits its definition";
  return "";
}

void find_definition(const RecheckWish& wish, const BestRow& row, RecheckItem& item) {
  try {
    item.family = family_of(wish, row);
    item.no_definition = why_not(item.family.get(), row);
  } catch (const InputError& error) {
    item.no_definition = error.what();
  }
}

void set_request(RecheckItem& item, const Family& family) {
  const BestRow& row = item.row;
  item.request = request_for(family.operation, row.problem, row.device, row.policy);
  item.request.implementations = {implementation_of(family, row.implementation)};
  // Another seed, so that the inputs differ from those of the stored measurement.
  item.request.seed = 1 + (row.trial.verification ? row.trial.verification->seed : 0);
}

// The software that results of the device are rechecked with.
Environment software_for(const RecheckWish& wish, const Device& device) {
  Environment environment = present_environment(device, wish.device_id);
  if (environment.compiler.empty())
    environment.compiler = compiler_version(device.kind, toolchain());
  environment.tool = kVersion;
  return environment;
}

// Whether the rows differ only in the power limit, and a look-up would take the other one.
bool gives_way(const BestRow& row, const BestRow& other, const std::optional<int>& present) {
  return row.implementation == other.implementation && row.problem == other.problem &&
         row.device == other.device && row.policy == other.policy &&
         limit_distance(other, present) < limit_distance(row, present);
}

// Makes items of rows.
class ItemMaker {
 public:
  explicit ItemMaker(const RecheckWish& wish) : wish_(wish) {
    for (const auto& family : wish.families) present_.add(*family);
  }

  const PresentDefinitions& present() const { return present_; }

  RecheckItem make(BestRow row) {
    RecheckItem item;
    auto known = std::ranges::find(software_, row.device, &std::pair<Device, Environment>::first);
    if (known == software_.end())
      known = software_.insert(software_.end(), {row.device, software_for(wish_, row.device)});
    item.environment = known->second;
    item.source_hash = present_.source_hash(row.implementation);
    item.was_stale = is_stale(row, item.environment) || present_.has_other_source(row);
    find_definition(wish_, row, item);
    item.row = std::move(row);
    if (item.no_definition.empty()) set_request(item, *item.family);
    return item;
  }

 private:
  const RecheckWish& wish_;
  PresentDefinitions present_;
  std::vector<std::pair<Device, Environment>> software_;  // is determined once for each device
};

}  // namespace

RecheckWish read_wish(const std::vector<std::string>& words, const Measuring& measuring,
                      const std::optional<Device>& device) {
  RecheckWish wish;
  wish.device = device;
  const std::string& name = measuring.device;
  const bool is_id = is_device_id(name);
  if (is_id) wish.device_id = name;
  if (!device && is_id) wish.device = find_device(name).device;
  if (!device && !is_id) wish.device_name = name;
  if (words.empty()) {
    const Library library = load_library(measuring.places);
    wish.snippets = library.snippets();
    for (const auto& [operation, family] : library.families())
      wish.families.push_back(std::make_shared<const Family>(family));
    return wish;
  }
  const Target target = read_target(words, measuring.places);
  wish.families = {target.family};
  wish.snippets = target.snippets;
  wish.operation = target.operation().name;
  wish.problem = named_values(target);
  const std::string& first = words.front();
  if (file_in(first) || first.find('/') != std::string::npos)
    for (const Implementation* implementation : target.implementations)
      wish.implementations.push_back(implementation->full_name());
  return wish;
}

std::vector<RecheckItem> items_to_recheck(const RecheckWish& wish, const Store& store) {
  Query query = query_for(wish.operation);
  query.device = wish.device;
  ItemMaker maker(wish);
  std::vector<RecheckItem> items;
  for (BestRow& row : store.best(query, maker.present().defining())) {
    if (!matches(wish, row)) continue;
    RecheckItem item = maker.make(std::move(row));
    const auto& limit_w = item.environment.power_limit_w;
    // Rows that differ only in the limit follow each other.
    if (!items.empty() && gives_way(item.row, items.back().row, limit_w)) continue;
    if (!items.empty() && gives_way(items.back().row, item.row, limit_w)) items.pop_back();
    item.rivals = store.rivals(item.row.trial_id);
    items.push_back(std::move(item));
  }
  std::ranges::stable_sort(items, [](const RecheckItem& a, const RecheckItem& b) {
    return a.was_stale && !b.was_stale;
  });
  return items;
}

std::vector<RecheckItem> items_to_stamp(const RecheckWish& wish, const std::vector<BestRow>& rows) {
  ItemMaker maker(wish);
  std::vector<RecheckItem> items;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const BestRow& row = rows[i];
    const bool is_meant = wish.operation.empty() || row.problem.operation == wish.operation;
    if (!is_meant || !matches(wish, row) || !maker.present().has_other_source(row)) continue;
    items.push_back(maker.make(row));
    items.back().row.trial_id = static_cast<std::int64_t>(i);
  }
  return items;
}

}  // namespace tilewright::tools
