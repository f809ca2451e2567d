#include "tools/run/recheck.hpp"

#include <algorithm>
#include <utility>

#include "campaign/prepared_sweep.hpp"
#include "db/ladder/ladder.hpp"
#include "db/ladder/present.hpp"
#include "db/records/device_name.hpp"
#include "db/records/staleness.hpp"
#include "definition/problem.hpp"
#include "tilewright/version.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/target.hpp"
#include "tools/print/names.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/prepare/inspector.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"
#include "tuner/sweep/run/sweep.hpp"

namespace tilewright::tools {
namespace {

bool matches(const RecheckWish& wish, const BestRow& row) {
  const auto& names = wish.implementations;
  if (!names.empty() && std::find(names.begin(), names.end(), row.implementation) == names.end())
    return false;
  if (!wish.device_name.empty() && !is_named(row.device, wish.device_name)) return false;
  const auto family = wish.families.find(row.problem.operation);
  if (family == wish.families.end()) return wish.problem.empty();
  return std::ranges::all_of(wish.problem, [&](const auto& wanted) {
    return find_value(family->second->operation, row.problem, wanted.first) == wanted.second;
  });
}

// The family with the snippets of the row's problem. Throws InputError if one is missing.
std::shared_ptr<const Family> family_of(const RecheckWish& wish, const BestRow& row) {
  const auto known = wish.families.find(row.problem.operation);
  return known == wish.families.end()
             ? nullptr
             : family_with(known->second, row.problem.values, wish.snippets);
}

// Why the known definitions cannot be used for this row; empty if they can.
std::string why_not(const Family* family, const BestRow& row) {
  const Implementation* implementation =
      family == nullptr ? nullptr : implementation_named(*family, row.implementation);
  if (implementation == nullptr)
    return fmt::format("{} is not defined; name its folder with --kernels", row.implementation);
  if (implementation->is_evaluator())
    return "it is an evaluator; `tilewright sweep --fresh` measures it again";
  if (implementation->epoch != row.epoch)
    return fmt::format("the stored result is of epoch {}, the definition of epoch {}", row.epoch,
                       implementation->epoch);
  try {
    if (make_problem(family->operation, row.problem.values, row.device) != row.problem)
      return "the operation has other dimensions now";
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
  item.request.implementations = {implementation_named(family, row.implementation)};
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
    for (const auto& [name, family] : wish.families) present_.add(*family);
    present_.know_libraries(library_here);
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
    if (item.no_definition.empty())
      item.no_definition =
          present_.why_no_library(*implementation_named(*item.family, row.implementation));
    item.row = std::move(row);
    if (item.no_definition.empty()) set_request(item, *item.family);
    return item;
  }

 private:
  const RecheckWish& wish_;
  PresentDefinitions present_;
  std::vector<std::pair<Device, Environment>> software_;  // is determined once for each device
};

// How often the loop checks for a stop.
constexpr std::chrono::milliseconds kPatience(100);

// `finding` has a verdict and a message.
Rechecked conclude(RecheckItem item, Confirmation finding, Contenders now = {}) {
  finding.trial = item.row.trial_id;
  finding.environment = item.environment;
  finding.source_hash = item.source_hash;
  finding.code_hash = now.winner.code_hash;
  if (const auto& timing = now.winner.timing)
    finding.time = ConfirmedTime{timing->median_us, timing->interval_low_us,
                                 timing->interval_high_us, timing->sm_mhz};
  return {std::move(item), std::move(finding), std::move(now)};
}

// The winner first, then its rivals without duplicates.
std::vector<Candidate> contestants_of(const RecheckItem& item) {
  const Implementation& implementation = *item.request.implementations.front();
  std::vector<Candidate> list = {{&implementation, item.row.configuration}};
  for (const auto& rival : {item.row.runner_up, item.row.default_configuration}) {
    if (!rival || !fits(implementation, *rival, item.row.problem, item.row.device)) continue;
    const bool is_known = std::ranges::any_of(
        list, [&rival](const Candidate& other) { return other.configuration == *rival; });
    if (!is_known) list.push_back({&implementation, *rival});
  }
  return list;
}

std::optional<Trial> trial_of(const std::optional<Configuration>& configuration,
                              const std::vector<Trial>& rivals) {
  for (const Trial& trial : rivals)
    if (trial.configuration == configuration) return trial;
  return std::nullopt;
}

Rechecked measure_item(RecheckItem item, std::vector<Trial> trials) {
  Contenders now;
  now.winner = std::move(trials.front());
  trials.erase(trials.begin());
  now.rivals.runner_up = trial_of(item.row.runner_up, trials);
  now.rivals.standard = trial_of(item.row.default_configuration, trials);
  Confirmation finding = judge({item.row.trial, item.rivals}, now);
  return conclude(std::move(item), std::move(finding), std::move(now));
}

// Submits the item, or returns its verdict if there is nothing to compile.
std::optional<Confirmation> submit(std::size_t ticket, const RecheckItem& item,
                                   CompileAhead& queue) {
  if (!item.no_definition.empty()) return found(Verdict::failed, item.no_definition);
  const Implementation& implementation = *item.request.implementations.front();
  if (implementation.is_routine())  // its library's version stands for its code
    return item.source_hash == item.row.source_hash
               ? found(Verdict::same_code, "")
               : found(Verdict::code_changed, other_source_text(implementation, item.row));
  const Candidate winner{&implementation, item.row.configuration};
  if (!has_architecture(item.request, implementation))
    return found(Verdict::failed, unsupported_trial(item.request, winner).message);
  try {
    queue.submit(ticket, compile_request(item.request, read_source(implementation), winner));
    return std::nullopt;
  } catch (const InputError& error) {
    return found(Verdict::failed, error.what());
  }
}

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
      wish.families.emplace(operation, std::make_shared<const Family>(family));
    return wish;
  }
  const Target target = read_target(words, measuring.places);
  wish.families = {{target.operation().name, target.family}};
  wish.snippets = target.snippets;
  wish.operation = target.operation().name;
  wish.problem = given_values(target.operation(), target.assignments);
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

void measure_items(std::vector<RecheckItem> items, CompileQueue& compilers, Evaluator& evaluator,
                   const std::atomic<bool>& stop, const OnRechecked& done) {
  for (RecheckItem& item : items) {
    if (stop) return;
    if (!item.no_definition.empty()) {
      Confirmation finding = found(Verdict::failed, item.no_definition);
      done(conclude(std::move(item), std::move(finding)));
      continue;
    }
    std::vector<Trial> trials;
    try {
      trials = remeasure(item.request, contestants_of(item), compilers, evaluator, stop);
    } catch (const InputError& error) {
      done(conclude(std::move(item), found(Verdict::failed, error.what())));
      continue;
    }
    if (trials.empty()) return;  // stopped
    done(measure_item(std::move(item), std::move(trials)));
  }
}

void compile_items(std::vector<RecheckItem> items, CompileQueue& compilers,
                   const std::atomic<bool>& stop, const OnRechecked& done) {
  CompileAhead queue(compilers);
  std::size_t next = 0;
  while (!stop && (next < items.size() || queue.in_flight() > 0)) {
    for (; next < items.size() && queue.in_flight() < queue.depth(); ++next)
      if (const auto finding = submit(next, items[next], queue))
        done(conclude(std::move(items[next]), *finding));
    const auto compiled = queue.next(kPatience);
    if (!compiled) continue;
    RecheckItem& item = items[compiled->ticket];
    const Confirmation finding = judge_code(item.row, compiled->result);
    Contenders now;
    now.winner.code_hash = compiled->result.code_hash;
    done(conclude(std::move(item), finding, std::move(now)));
  }
}

}  // namespace tilewright::tools
