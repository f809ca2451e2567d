#include <algorithm>
#include <sstream>
#include <thread>

#include "tools/input/command.hpp"
#include "tools/print/terminal.hpp"
#include "tools/results/result_files.hpp"
#include "tuner/replay/replay.hpp"
#include "tuner/search/strategy.hpp"

namespace tilewright::tools {
namespace {

constexpr double kMedian = 0.5;
constexpr double kUnlucky = 0.1;

std::vector<std::string> read_strategies(const std::string& text) {
  std::vector<std::string> strategies;
  std::istringstream list(text);
  for (std::string name; std::getline(list, name, ',');) {
    make_strategy(name, {});  // throws InputError for an unknown name
    strategies.push_back(name);
  }
  return strategies;
}

struct ReplayGiven : GivenWords {
  std::vector<std::string> strategies = {"model"};
  ReplayOptions options = {.threads = std::max(1U, std::thread::hardware_concurrency())};
  bool json = false;

  void declare(Options& all) {
    all.add({"strategy", "NAME[,NAME…]",
             fmt::format("Strategies to judge, of {}; by default model.",
                         fmt::join(strategy_names(), ", "))},
            [this](const std::string& text) { strategies = read_strategies(text); });
    all.number(options.budget, {.least = 1},
               {"budget", "N", "Trials of a run, including failed ones; by default 1000."});
    all.number(options.seeds, {.least = 1},
               {"seeds", "K", "Runs of each strategy; by default 100."});
    all.number(
        options.batch, {.least = 1},
        {"batch", "N",
         "Number of proposals in flight at a time, as with several compilers; by default 1."});
    all.number(options.first_seed, kSeedOption);
    all.number(options.threads, {.least = 1},
               {"jobs", "N", "Number of runs at a time; by default one for each core."});
    all.flag(json, kJsonOption);
  }
  // After which numbers of trials to report.
  std::vector<std::size_t> marks() const {
    std::vector<std::size_t> all = {20, 50, 100, 200, 500, 1000};
    std::erase_if(all, [this](std::size_t mark) { return mark >= options.budget; });
    all.push_back(options.budget);
    return all;
  }
};

// What one strategy reached in one record after each number of trials, as a fraction of the
// optimum.
nlohmann::json reached_by(const std::string& strategy, const Record& record,
                          const ReplayGiven& request) {
  ReplayOptions options = request.options;
  options.strategy = strategy;
  const Replay result = replay(record, options);
  const auto at = [&](std::size_t mark) -> nlohmann::json {
    return {{"trials", mark},
            {"median", result.fraction(mark, kMedian)},
            {"percentile_10", result.fraction(mark, kUnlucky)}};
  };
  return {{"strategy", strategy},
          {"seconds", result.seconds},
          {"marks", json_list(request.marks(), at)}};
}

// The same for random search, computed exactly, and the interval in which 95 % of medians lie.
nlohmann::json expected_at_random(const Record& record, const ReplayGiven& request) {
  const RandomSearch random(record);
  const auto at = [&](std::size_t mark) -> nlohmann::json {
    const auto [low, high] = random.median_of(mark, request.options.seeds);
    return {{"trials", mark},
            {"median", random.fraction(mark, kMedian)},
            {"percentile_10", random.fraction(mark, kUnlucky)},
            {"median_low", low},
            {"median_high", high}};
  };
  return {{"strategy", "at random, exactly"}, {"marks", json_list(request.marks(), at)}};
}

nlohmann::json json_of(const Record& record, const ReplayGiven& request) {
  const auto by = [&](const std::string& name) { return reached_by(name, record, request); };
  return {{"record", record.name},
          {"kernel", record.kernel},
          {"device", record.device},
          {"configurations", record.trials.size()},
          {"complete", record.is_complete},
          {"optimum_us", best_time_us(record)},
          {"strategies", json_list(request.strategies, by)},
          {"random", expected_at_random(record, request)}};
}

Table table_for(const ReplayGiven& request) {
  std::vector<std::string> headings = {"strategy", "of the optimum after"};
  for (const std::size_t mark : request.marks()) headings.push_back(std::to_string(mark));
  return Table(headings);
}

void add_lines(Table& table, const nlohmann::json& reached) {
  std::vector<std::string> median = {reached["strategy"].get<std::string>(), "median"};
  std::vector<std::string> unlucky = {"", "10th percentile"};
  for (const nlohmann::json& mark : reached["marks"]) {
    median.push_back(fmt::format("{:.3f}", mark["median"].get<double>()));
    unlucky.push_back(fmt::format("{:.3f}", mark["percentile_10"].get<double>()));
  }
  table.add(median);
  table.add(unlucky);
}

void print_text(const Record& record, const ReplayGiven& request, const nlohmann::json& json) {
  const auto failed = std::count_if(record.trials.begin(), record.trials.end(), [](const Trial& t) {
    return !t.timing && t.outcome != Outcome::duplicate;
  });
  std::cout << fmt::format(
      "{}: {}, {}\n  {} configurations, {} failed, optimum {}{}\n", record.name, record.kernel,
      record.device.empty() ? "no device" : record.device,
      count_text(static_cast<std::int64_t>(record.trials.size())), failed,
      time_text(best_time_us(record)), record.is_complete ? "" : "; the file ends early");
  Table table = table_for(request);
  for (const nlohmann::json& reached : json["strategies"]) add_lines(table, reached);
  add_lines(table, json["random"]);
  std::vector<std::string> interval = {"",
                                       fmt::format("95 % of medians of {}", request.options.seeds)};
  for (const nlohmann::json& mark : json["random"]["marks"])
    interval.push_back(fmt::format("{:.3f}–{:.3f}", mark["median_low"].get<double>(),
                                   mark["median_high"].get<double>()));
  table.add(interval);
  table.print(std::cout, "  ");
}

// The mean over records of what a strategy reached.
nlohmann::json mean_of(const nlohmann::json& records, std::size_t strategy) {
  nlohmann::json mean = records.front()["strategies"][strategy];
  for (std::size_t mark = 0; mark < mean["marks"].size(); ++mark)
    for (const char* what : {"median", "percentile_10"}) {
      double sum = 0;
      for (const nlohmann::json& record : records)
        sum += record["strategies"][strategy]["marks"][mark][what].get<double>() /
               static_cast<double>(records.size());
      mean["marks"][mark][what] = sum;
    }
  return mean;
}

void print_means(const nlohmann::json& records, const ReplayGiven& request) {
  std::cout << "mean over " << records.size() << " records\n";
  Table table = table_for(request);
  for (std::size_t i = 0; i < request.strategies.size(); ++i) add_lines(table, mean_of(records, i));
  table.print(std::cout, "  ");
}

int run_replay(const ReplayGiven& given) {
  if (given.words.empty()) throw InputError("name at least one file with a recorded space");
  nlohmann::json json = {{"seeds", given.options.seeds},
                         {"first_seed", given.options.first_seed},
                         {"budget", given.options.budget},
                         {"batch", given.options.batch},
                         {"records", nlohmann::json::array()}};
  nlohmann::json& records = json["records"];
  for (const std::string& file : given.words)
    for (const Record& record : read_records(file)) {
      records.push_back(json_of(record, given));
      if (!given.json) print_text(record, given, records.back());
    }
  if (given.json) {
    print_json(std::cout, json);
  } else if (records.size() > 1) {
    print_means(records, given);
  }
  return kDone;
}

}  // namespace

Command replay_command() {
  return make_command(
      {"replay", Purpose::tune, "Judge search strategies on recorded spaces, without a device.",
       "FILE… [--strategy NAME[,NAME…]] [--budget N] [--seeds K]",
       "  tilewright replay gemm_RTX3090.json.gz --strategy model,random --budget 200\n"},
      run_replay);
}

}  // namespace tilewright::tools
