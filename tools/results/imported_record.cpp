#include "tools/results/imported_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "db/ladder/ladder.hpp"
#include "definition/json/border.hpp"
#include "definition/json/json.hpp"
#include "definition/text/hash.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"

namespace tilewright::tools {
namespace {

// Their name → ours, without the names to ignore.
using Names = std::map<std::string, std::string>;

std::set<std::string> names_that_vary(const Record& record) {
  std::map<std::string, std::set<Value>> values;
  for (const Trial& trial : record.trials)
    for (const auto& [name, value] : trial.configuration.values) values[name].insert(value);
  std::set<std::string> varying;
  for (const auto& [name, known] : values)
    if (known.size() > 1) varying.insert(name);
  return varying;
}

Names names_of(const Record& record, const RecordMeaning& meaning) {
  const std::vector<std::string> ours =
      tilewright::names_of(meaning.implementation->parameters, &Parameter::name);
  const std::string name = meaning.implementation->full_name();
  const std::set<std::string> varying = names_that_vary(record);
  Names names;
  std::set<std::string> found;
  for (const auto& [theirs, value] : record.trials.front().configuration.values) {
    const auto renamed = meaning.renamed.find(theirs);
    const std::string wanted = renamed == meaning.renamed.end() ? theirs : renamed->second;
    if (std::find(ours.begin(), ours.end(), wanted) != ours.end()) {
      names[theirs] = wanted;
      found.insert(wanted);
    } else if (varying.contains(theirs)) {
      throw InputError(
          fmt::format("{}: its parameter '{}' is none of {}{}; name ours with --rename {}=NAME",
                      record.name, theirs, name, suggestion(wanted, ours), theirs));
    }
  }
  for (const Parameter& parameter : meaning.implementation->parameters)
    if (!found.contains(parameter.name) && !parameter.absent)
      throw InputError(fmt::format(
          "{}: no value for the parameter '{}' of {}; name theirs with --rename THEIRS={}",
          record.name, parameter.name, name, parameter.name));
  return names;
}

Configuration renamed(const Configuration& theirs, const Names& names) {
  Configuration ours;
  for (const auto& [name, value] : theirs.values)
    if (const auto known = names.find(name); known != names.end())
      ours.values[known->second] = value;
  return ours;
}

// The one time on record stands for all samples, because their spread is not known.
Timing timing_of(double median_us) {
  Timing timing;
  timing.samples_us = {median_us};
  timing.median_us = timing.interval_low_us = timing.interval_high_us = median_us;
  timing.lower_us = timing.upper_us = timing.minimum_us = median_us;
  timing.calls_per_sample = 1;
  timing.rounds = 1;
  return timing;
}

Trial trial_of(const Trial& theirs, Configuration configuration, const std::string& name) {
  Trial trial;
  trial.implementation = name;
  trial.configuration = std::move(configuration);
  trial.outcome = theirs.outcome;
  trial.stage = Stage::screen;
  trial.message = theirs.message;
  if (theirs.timing) trial.timing = timing_of(theirs.timing->median_us);
  return trial;
}

// Seconds since 1970 of "2022-12-06 14:23:17.12+00:00" or the same with 'T'; 0 for any other text.
std::int64_t moment_of(std::string text) {
  std::replace(text.begin(), text.end(), 'T', ' ');
  std::tm parts{};
  if (strptime(text.c_str(), "%Y-%m-%d %H:%M:%S", &parts) == nullptr) return 0;
  return timegm(&parts);
}

// `key` is in quotes, as in JSON.
std::int64_t newest_moment(std::string_view text, std::string_view key) {
  std::int64_t newest = 1;
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at)) {
    at += key.size();
    const std::size_t begin = text.find('"', at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = text.find('"', begin + 1);
    if (end == std::string_view::npos) break;
    newest = std::max(newest, moment_of(std::string(text.substr(begin + 1, end - begin - 1))));
  }
  return newest;
}

// As Kernel Tuner, KTT and Kernel Launcher date results.
std::int64_t newest_moment(std::string_view text) {
  return std::max({newest_moment(text, "\"timestamp\""), newest_moment(text, "\"Timestamp\""),
                   newest_moment(text, "\"date\"")});
}

std::string uuid_of(std::string_view bytes, const SweepKey& key) {
  const std::string all = fmt::format("{} {} {} {} {}\n{}", key.implementations.front().name,
                                      canonical_json(key.problem.values), key.device.name,
                                      key.device.sm_count, to_text(key.policy), bytes);
  return hex_hash(all);
}

SweepKey key_of(const RecordMeaning& meaning) {
  SweepKey key;
  key.operation = meaning.problem.operation;
  key.problem = meaning.problem;
  key.device = meaning.device;
  key.policy = {meaning.cache, "call"};
  key.implementations = {{meaning.implementation->full_name(), meaning.implementation->epoch, "",
                          "", default_configuration(*meaning.implementation)}};
  key.strategy = "recorded";
  return key;
}

void require_problem(const Record& record, const Problem& problem) {
  if (is_for(record, problem)) return;
  throw InputError(fmt::format(
      "{}: its 'problem_size' {} contradicts {}: each of its sizes must be one of these or a "
      "product of "
      "them; name the problem that was measured, or delete the key if it counts something else",
      record.name, fmt::join(record.problem_size, ", "), to_text(problem.values)));
}

}  // namespace

bool is_for(const Record& record, const Problem& problem) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::set<std::int64_t> products = {1};
  for (const auto& [name, value] : problem.values) {
    const auto* size = std::get_if<std::int64_t>(&value);
    if (size == nullptr || *size < 2) continue;
    for (const std::int64_t product : std::vector(products.begin(), products.end()))
      if (product <= most / *size) products.insert(product * *size);
  }
  return std::ranges::all_of(record.problem_size,
                             [&](std::int64_t size) { return products.contains(size); });
}

ImportedRecord import_record(const Record& record, std::string_view bytes,
                             const RecordMeaning& meaning) {
  require_problem(record, meaning.problem);
  const Names names = names_of(record, meaning);
  const std::string name = meaning.implementation->full_name();
  ImportedRecord result;
  SweepRecord& sweep = result.imported.sweep;
  sweep.key = key_of(meaning);
  sweep.environment.tool = "another tuner";
  sweep.report = fmt::format("recorded by another tuner: {}", record.kernel);
  sweep.imported = true;
  for (const Trial& theirs : record.trials) {
    Configuration configuration = renamed(theirs.configuration, names);
    if (fits(*meaning.implementation, configuration, meaning.problem, meaning.device))
      result.imported.trials.push_back(trial_of(theirs, std::move(configuration), name));
    else
      ++result.outside;
  }
  if (result.imported.trials.empty())
    throw InputError(fmt::format("{}: none of its {} configurations is one of {} for this problem",
                                 record.name, record.trials.size(), name));
  for (const Trial& trial : result.imported.trials)
    at_place(record.name, [&] { require_possible(trial); });
  if (record.is_complete) sweep.key.budget = result.imported.trials.size();
  sweep.uuid = uuid_of(bytes, sweep.key);
  sweep.started = newest_moment(bytes);
  if (record.is_complete) sweep.finished = sweep.started;
  return result;
}

}  // namespace tilewright::tools
