#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tilewright/error.hpp"
#include "tools/input/command.hpp"
#include "tools/print/report.hpp"
#include "tools/work/result_files.hpp"
#include "tuner/replay/replay.hpp"
#include "tuner/search/strategy.hpp"

namespace tilewright::tools {
namespace {

constexpr double kMedian = 0.5;
constexpr double kUnlucky = 0.1;

struct Request {
  std::vector<std::string> strategies;
  ReplayOptions options;
  std::vector<std::size_t> marks;  // report after these numbers of trials
};

std::vector<std::string> read_strategies(const Arguments& arguments) {
  std::vector<std::string> strategies;
  std::istringstream list(arguments.text("strategy").value_or("model"));
  for (std::string name; std::getline(list, name, ',');) {
    make_strategy(name, {});  // throws InputError for an unknown name
    strategies.push_back(name);
  }
  if (strategies.empty())
    throw InputError("--strategy '': give one or more names with commas between them");
  return strategies;
}

std::size_t at_least_one(const Arguments& arguments, const std::string& name,
                         std::size_t otherwise) {
  const std::size_t number = arguments.number(name).value_or(otherwise);
  if (number == 0) throw InputError(fmt::format("--{} '0': give a number from 1", name));
  return number;
}

Request read_replay_request(const Arguments& arguments) {
  Request request;
  request.strategies = read_strategies(arguments);
  ReplayOptions& options = request.options;
  options.budget = at_least_one(arguments, "budget", options.budget);
  options.seeds = at_least_one(arguments, "seeds", options.seeds);
  options.batch = at_least_one(arguments, "batch", options.batch);
  options.first_seed = arguments.number("seed").value_or(options.first_seed);
  options.threads =
      at_least_one(arguments, "jobs", std::max(1U, std::thread::hardware_concurrency()));
  for (const std::size_t mark : {20U, 50U, 100U, 200U, 500U, 1000U})
    if (mark < options.budget) request.marks.push_back(mark);
  request.marks.push_back(options.budget);
  return request;
}

// What one strategy reached in one record, for each mark.
struct Reached {
  std::string strategy;
  std::vector<double> median;
  std::vector<double> unlucky;
  double seconds = 0;
};

Reached reached_by(const std::string& strategy, const Record& record, const Request& request) {
  ReplayOptions options = request.options;
  options.strategy = strategy;
  const Replay result = replay(record, options);
  Reached reached{strategy, {}, {}, result.seconds};
  for (const std::size_t mark : request.marks) {
    reached.median.push_back(result.fraction(mark, kMedian));
    reached.unlucky.push_back(result.fraction(mark, kUnlucky));
  }
  return reached;
}

struct Expected {
  Reached reached;  // by random search, computed exactly
  std::vector<RandomSearch::Interval> median_of_seeds;
};

Expected expected_at_random(const Record& record, const Request& request) {
  const RandomSearch random(record);
  Expected expected;
  expected.reached.strategy = "at random, exactly";
  for (const std::size_t mark : request.marks) {
    expected.reached.median.push_back(random.fraction(mark, kMedian));
    expected.reached.unlucky.push_back(random.fraction(mark, kUnlucky));
    expected.median_of_seeds.push_back(random.median_of(mark, request.options.seeds));
  }
  return expected;
}

Table table_for(const Request& request) {
  std::vector<std::string> headings = {"strategy", "of the optimum after"};
  for (const std::size_t mark : request.marks) headings.push_back(std::to_string(mark));
  return Table(headings);
}

void add_lines(Table& table, const Reached& reached) {
  std::vector<std::string> median = {reached.strategy, "median"};
  std::vector<std::string> unlucky = {"", "10th percentile"};
  for (const double value : reached.median) median.push_back(fmt::format("{:.3f}", value));
  for (const double value : reached.unlucky) unlucky.push_back(fmt::format("{:.3f}", value));
  table.add(median);
  table.add(unlucky);
}

void print_record(const Record& record) {
  const auto failed = std::count_if(record.trials.begin(), record.trials.end(), [](const Trial& t) {
    return !t.timing && t.outcome != Outcome::duplicate;
  });
  std::cout << fmt::format(
      "{}: {}, {}\n  {} configurations, {} failed, optimum {}{}\n", record.name, record.kernel,
      record.device.empty() ? "no device" : record.device,
      count_text(static_cast<std::int64_t>(record.trials.size())), failed,
      time_text(best_time_us(record)), record.is_complete ? "" : "; the file ends early");
}

void print_text(const Record& record, const Request& request, const std::vector<Reached>& all,
                const Expected& expected) {
  print_record(record);
  Table table = table_for(request);
  for (const Reached& reached : all) add_lines(table, reached);
  add_lines(table, expected.reached);
  std::vector<std::string> interval = {"",
                                       fmt::format("95 % of medians of {}", request.options.seeds)};
  for (const auto& [low, high] : expected.median_of_seeds)
    interval.push_back(fmt::format("{:.3f}–{:.3f}", low, high));
  table.add(interval);
  table.print(std::cout, "  ");
}

nlohmann::json json_of(const Reached& reached, const Request& request) {
  nlohmann::json marks = nlohmann::json::array();
  for (std::size_t i = 0; i < request.marks.size(); ++i)
    marks.push_back({{"trials", request.marks[i]},
                     {"median", reached.median[i]},
                     {"percentile_10", reached.unlucky[i]}});
  return {{"strategy", reached.strategy}, {"seconds", reached.seconds}, {"marks", marks}};
}

nlohmann::json json_of(const Record& record, const Request& request,
                       const std::vector<Reached>& all, const Expected& expected) {
  nlohmann::json random = json_of(expected.reached, request);
  for (std::size_t i = 0; i < request.marks.size(); ++i) {
    random["marks"][i]["median_low"] = expected.median_of_seeds[i].low;
    random["marks"][i]["median_high"] = expected.median_of_seeds[i].high;
  }
  random.erase("seconds");
  nlohmann::json strategies = nlohmann::json::array();
  for (const Reached& reached : all) strategies.push_back(json_of(reached, request));
  return {{"record", record.name},          {"kernel", record.kernel},
          {"device", record.device},        {"configurations", record.trials.size()},
          {"complete", record.is_complete}, {"optimum_us", best_time_us(record)},
          {"strategies", strategies},       {"random", random}};
}

// The mean over records of what a strategy reached.
Reached mean_of(const std::vector<std::vector<Reached>>& records, std::size_t strategy) {
  Reached mean = records.front()[strategy];
  for (std::size_t mark = 0; mark < mean.median.size(); ++mark) {
    mean.median[mark] = mean.unlucky[mark] = 0;
    for (const std::vector<Reached>& record : records) {
      const auto share = static_cast<double>(records.size());
      mean.median[mark] += record[strategy].median[mark] / share;
      mean.unlucky[mark] += record[strategy].unlucky[mark] / share;
    }
  }
  return mean;
}

void print_means(const std::vector<std::vector<Reached>>& records, const Request& request) {
  std::cout << "mean over " << records.size() << " records\n";
  Table table = table_for(request);
  for (std::size_t i = 0; i < request.strategies.size(); ++i) add_lines(table, mean_of(records, i));
  table.print(std::cout, "  ");
}

int run_replay(const Arguments& arguments) {
  if (arguments.words().empty()) throw InputError("name at least one file with a recorded space");
  const Request request = read_replay_request(arguments);
  std::vector<std::vector<Reached>> records;
  nlohmann::json json = {{"seeds", request.options.seeds},
                         {"first_seed", request.options.first_seed},
                         {"budget", request.options.budget},
                         {"batch", request.options.batch},
                         {"records", nlohmann::json::array()}};
  for (const std::string& file : arguments.words())
    for (const Record& record : read_records(file)) {
      std::vector<Reached>& all = records.emplace_back();
      for (const std::string& strategy : request.strategies)
        all.push_back(reached_by(strategy, record, request));
      const Expected expected = expected_at_random(record, request);
      json["records"].push_back(json_of(record, request, all, expected));
      if (!arguments.has("json")) print_text(record, request, all, expected);
    }
  if (arguments.has("json")) {
    print_json(std::cout, json);
  } else if (records.size() > 1) {
    print_means(records, request);
  }
  return kDone;
}

std::vector<OptionSpec> replay_options() {
  return {{"strategy", "NAME[,NAME…]",
           fmt::format("Strategies to judge, of {}; by default model.",
                       fmt::join(strategy_names(), ", "))},
          {"budget", "N", "Trials of a run, including failed ones; by default 1000."},
          {"seeds", "K", "Runs of each strategy; by default 100."},
          {"batch", "N",
           "Number of proposals in flight at a time, as with several compilers; by default 1."},
          kSeedOption,
          {"jobs", "N", "Number of runs at a time; by default one for each core."},
          kJsonOption};
}

}  // namespace

Command replay_command() {
  return {"replay",
          "Judge search strategies on recorded spaces, without a device.",
          "FILE… [--strategy NAME[,NAME…]] [--budget N] [--seeds K]",
          "  tilewright replay gemm_RTX3090.json.gz --strategy model,genetic --budget 200\n",
          replay_options(),
          run_replay};
}

}  // namespace tilewright::tools
