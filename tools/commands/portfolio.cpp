#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>

#include "definition/json/json.hpp"
#include "tilewright/error.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/paths.hpp"
#include "tools/input/worker_options.hpp"
#include "tools/print/names.hpp"
#include "tools/print/table.hpp"
#include "tools/print/text.hpp"
#include "tools/results/portfolio.hpp"
#include "tools/run/pair_bench.hpp"

namespace tilewright::tools {
namespace {

// Over all problems, or over those that one configuration serves. The mean is geometric, of the
// ratios.
nlohmann::json losses_of(const ChosenPortfolio& chosen, std::optional<std::size_t> server) {
  std::size_t count = 0;
  double worst = 0;
  double logarithms = 0;
  for (std::size_t p = 0; p < chosen.serving.size(); ++p) {
    if (!chosen.serving[p] || (server && chosen.serving[p] != server)) continue;
    ++count;
    worst = std::max(worst, chosen.ratios[p] - 1);
    logarithms += std::log(chosen.ratios[p]);
  }
  const double mean = count > 0 ? std::expm1(logarithms / static_cast<double>(count)) : 0;
  return {{"worst_loss", worst}, {"mean_loss", mean}};
}

std::string percent(double loss) {
  return fmt::format("{:.1f} %", 100 * loss);
}

std::string text_of(const Operation& operation, const TunedProblem& tuned) {
  return fmt::format("{} ({})", problem_text(operation, tuned.problem), policy_text(tuned.policy));
}

void print_served(std::ostream& out, const Operation& operation, const PortfolioView& view,
                  const ChosenPortfolio& chosen, std::size_t k, Detail detail) {
  const std::size_t configuration = chosen.configurations[k];
  const Implementation& implementation = *view.implementations[configuration];
  print_wrapped(
      out, "",
      fmt::format("{}. {} {}", k + 1, implementation.full_name(),
                  configuration_text(implementation, view.configurations[configuration], detail)));
  Table table({}, {1});
  for (std::size_t p = 0; p < chosen.serving.size(); ++p)
    if (chosen.serving[p] == k)
      table.add({text_of(operation, view.losses.problems[p]), percent(chosen.ratios[p] - 1)});
  table.print(out, "   ");
}

// Why no configuration of the portfolio serves the problem.
std::string why_not(const PortfolioView& view, std::size_t problem) {
  return fastest_for(view, problem) ? "more configurations would be needed"
                                    : "no configuration with a time fits it any more";
}

void print_portfolio(std::ostream& out, const Operation& operation, const PortfolioView& view,
                     const ChosenPortfolio& chosen, Detail detail) {
  out << fmt::format("{} on {}: {} of {} served within {} by {}\n", operation.name,
                     view.device.name, chosen.served(),
                     counted(view.wish.problems, "tuned problem"), percent(view.wish.within),
                     counted(chosen.configurations.size(), "configuration"));
  const nlohmann::json losses = losses_of(chosen, std::nullopt);
  if (chosen.served() > 0)
    out << fmt::format("worst loss {}, geometric mean {}\n", percent(losses["worst_loss"]),
                       percent(losses["mean_loss"]));
  if (chosen.needed > view.wish.at_most)
    out << fmt::format("{} would serve all that can be served\n", chosen.needed);
  if (!chosen.is_fewest) out << "fewer may be enough: not all choices were tried\n";
  for (std::size_t k = 0; k < chosen.configurations.size(); ++k)
    print_served(out, operation, view, chosen, k, detail);
  for (std::size_t p = 0; p < chosen.serving.size(); ++p)
    if (!chosen.serving[p])
      out << fmt::format("not served: {}: {}\n", text_of(operation, view.losses.problems[p]),
                         why_not(view, p));
}

nlohmann::json json_of_portfolio(const Operation& operation, const PortfolioView& view,
                                 const ChosenPortfolio& chosen) {
  nlohmann::json json = losses_of(chosen, std::nullopt);
  json.update({{"operation", operation.name},
               {"device", device_summary(view.device)},
               {"within", view.wish.within},
               {"at_most", view.wish.at_most},
               {"needed", chosen.needed},
               {"is_fewest", chosen.is_fewest},
               {"tuned", view.wish.problems},
               {"served", chosen.served()},
               {"portfolio", nlohmann::json::array()},
               {"unserved", nlohmann::json::array()}});
  for (std::size_t k = 0; k < chosen.configurations.size(); ++k) {
    const std::size_t configuration = chosen.configurations[k];
    nlohmann::json one = losses_of(chosen, k);
    one["implementation"] = view.implementations[configuration]->full_name();
    one["configuration"] = to_json(view.configurations[configuration].values);
    one["serves"] = nlohmann::json::array();
    json["portfolio"].push_back(std::move(one));
  }
  for (std::size_t p = 0; p < chosen.serving.size(); ++p) {
    const TunedProblem& tuned = view.losses.problems[p];
    nlohmann::json problem = {{"problem", to_json(tuned.problem.values)},
                              {"policy", tilewright::to_text(tuned.policy)}};
    if (chosen.serving[p]) {
      problem["loss"] = chosen.ratios[p] - 1;
      json["portfolio"][*chosen.serving[p]]["serves"].push_back(std::move(problem));
    } else {
      json["unserved"].push_back(std::move(problem));
    }
  }
  return json;
}

// "3%" as 0.03.
double loss_of(const Arguments& arguments) {
  const auto text = arguments.text("within");
  if (!text) return PortfolioWish().within;
  double percent = -1;
  const char* const end = text->data() + text->size();
  const auto [last, error] = std::from_chars(text->data(), end, percent);
  if (error != std::errc{} || std::string_view(last, end) != "%" || !(percent >= 0))
    throw InputError(fmt::format("--within '{}': give a loss from 0%, such as 3%", *text));
  return percent / 100;
}

struct PortfolioAsked {
  Target target;
  Device device;
  double within = 0;
  std::size_t at_most = 0;
};

PortfolioView view_of(const PortfolioAsked& asked, const Store& store) {
  PortfolioView view = view_portfolio(asked.target, asked.device, store);
  view.wish.within = asked.within;
  view.wish.at_most = asked.at_most;
  return view;
}

DeviceReport report_of(const Device& device) {
  for (const DeviceReport& report : devices_present())
    if (report.device == device) return report;
  throw MachineError(fmt::format(
      "--measure: {} is not here; leave --measure out to use what is on record", device.name));
}

// Returns false if it was interrupted.
bool measure_missing(const Arguments& arguments, const PortfolioAsked& asked) {
  const DeviceReport report = report_of(asked.device);
  Store store(database_file(arguments));
  store.tell_of_bad_rows(warn);
  const PortfolioView view = view_of(asked, store);
  const std::vector<MissingPairs> missing = missing_pairs(view, choose_portfolio(view.wish));
  if (missing.empty()) return true;
  return with_pair_bench(arguments, report, store, [&](const PairBench& bench) {
    return measure_missing(asked.target, view, missing, bench);
  });
}

int answer(const Arguments& arguments, const PortfolioAsked& asked, const Store& store) {
  const Operation& operation = asked.target.operation();
  const PortfolioView view = view_of(asked, store);
  if (view.wish.problems == 0) {
    std::cerr << fmt::format("no tuned problem of {} on {}\n", operation.name, asked.device.name);
    return kNothing;
  }
  const ChosenPortfolio chosen = choose_portfolio(view.wish);
  if (arguments.has("json")) {
    print_json(std::cout, json_of_portfolio(operation, view, chosen));
  } else {
    print_portfolio(std::cout, operation, view, chosen, detail_of(arguments));
  }
  return chosen.served() == view.wish.problems ? kDone : kNothing;
}

int run_portfolio(const Arguments& arguments) {
  PortfolioAsked asked;
  asked.within = loss_of(arguments);
  asked.at_most = arguments.positive("at-most").value_or(PortfolioWish().at_most);
  jobs_of(arguments);
  asked.target = read_target(arguments);
  if (!asked.target.assignments.empty())
    throw InputError(fmt::format("portfolio is for all tuned problems; '{}' is one too many",
                                 asked.target.assignments.front()));
  const std::string& name = asked.target.operation().name;
  {
    const std::unique_ptr<Store> store = open_for_reading(arguments);
    if (!store) {
      std::cerr << no_database_text(arguments) << '\n';
      return kNothing;
    }
    asked.device = wanted_device(arguments, name, store.get(), nullptr);
    if (!arguments.has("measure")) return answer(arguments, asked, *store);
  }
  const bool is_complete = measure_missing(arguments, asked);
  const int status = answer(arguments, asked, *open_for_reading(arguments));
  if (is_complete) return status;
  std::cerr << "interrupted; what was measured is kept\n";
  return kInterrupted;
}

}  // namespace

Command portfolio_command() {
  return {
      "portfolio",
      "Choose the fewest configurations that serve all tuned problems.",
      "OPERATION[/IMPLEMENTATION]|FILE.toml [options]",
      "  tilewright portfolio gemm\n"
      "  tilewright portfolio gemm --within 5% --at-most 4 --measure\n",
      {{"device", "DEVICE",
        "cuda:N, host, or a part of a stored device's name; by default the GPU present, else "
        "host or the only stored one."},
       {"within", "N%",
        "The loss with which a problem still counts as served: how much longer it takes than with "
        "the best on record; 3% by default."},
       {"at-most", "N",
        "Largest number of configurations; 8 by default. Problems that are not served are listed, "
        "and the status is 1."},
       {"measure", "",
        "First measure the portfolio's configurations, and the fastest of each problem, on the "
        "problems where they have no time."},
       kNoWaitOption,
       kJobsOption,
       kDatabaseOption,
       kCacheOption,
       kKernelsOption,
       kVerboseOption,
       kJsonOption},
      run_portfolio};
}

}  // namespace tilewright::tools
