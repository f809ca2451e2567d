#include <charconv>

#include "definition/json/json.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/worker_options.hpp"
#include "tools/print/names.hpp"
#include "tools/print/terminal.hpp"
#include "tools/results/portfolio.hpp"
#include "tools/run/pair_bench.hpp"

namespace tilewright::tools {
namespace {

// Over all problems, or over those that one configuration serves.
nlohmann::json losses_of(const ChosenPortfolio& chosen, std::optional<std::size_t> server) {
  std::vector<double> ratios;
  for (std::size_t p = 0; p < chosen.serving.size(); ++p)
    if (chosen.serving[p] && (!server || chosen.serving[p] == server))
      ratios.push_back(chosen.ratios[p]);
  const Losses losses = tools::losses_of(std::move(ratios));
  return {{"worst_loss", losses.worst}, {"mean_loss", losses.mean}};
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
double loss_of(const std::string& name, const std::string& text) {
  double percent = -1;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, percent);
  if (error != std::errc{} || std::string_view(last, end) != "%" || !(percent >= 0))
    throw bad_input("--{} '{}': give a loss from 0%, such as 3%", name, text);
  return percent / 100;
}

struct PortfolioGiven : GivenPrinting {
  double within = PortfolioWish().within;
  std::size_t at_most = PortfolioWish().at_most;
  bool measures = false;
  Measuring measuring;

  void declare(Options& all) {
    all.text(measuring.device, kStoredDeviceOption);
    all.value(within, loss_of,
              {"within", "N%",
               "The loss with which a problem still counts as served: how much longer it takes "
               "than with the best on record; 3% by default."});
    all.number(at_most, {.least = 1},
               {"at-most", "N",
                "Largest number of configurations; 8 by default. Problems that are not served are "
                "listed, and the status is 1."});
    all.flag(measures,
             {"measure", "",
              "First measure the portfolio's configurations, and the fastest of each problem, on "
              "the problems where they have no time."});
    measuring.declare_no_wait(all);
    measuring.declare_jobs(all);
    measuring.places.declare(all, {kDatabase, kCache, kKernels, kLibraries});
    GivenPrinting::declare(all);
  }
};

struct PortfolioAsked {
  const PortfolioGiven& given;
  Target target;
  Device device = {};
};

PortfolioView view_of(const PortfolioAsked& asked, const Store& store) {
  PortfolioView view = view_portfolio(asked.target, asked.device, store);
  view.wish.within = asked.given.within;
  view.wish.at_most = asked.given.at_most;
  return view;
}

// Returns false if it was interrupted.
bool measure_missing(const PortfolioAsked& asked) {
  const auto report = present_report(asked.device);
  if (!report)
    throw broken_machine("--measure: {} is not here; leave --measure out to use what is on record",
                         asked.device.name);
  Store store = store_for_writing(asked.given.measuring.places);
  const PortfolioView view = view_of(asked, store);
  const std::vector<MissingPairs> missing = missing_pairs(view, choose_portfolio(view.wish));
  if (missing.empty()) return true;
  return with_pair_bench(asked.given.measuring, *report, store, [&](const PairBench& bench) {
    return measure_missing(asked.target, view, missing, bench);
  });
}

int answer(const PortfolioAsked& asked, const Store& store) {
  const Operation& operation = asked.target.operation();
  const PortfolioView view = view_of(asked, store);
  if (view.wish.problems == 0)
    return tell_nothing(
        fmt::format("no tuned problem of {} on {}", operation.name, asked.device.name));
  const ChosenPortfolio chosen = choose_portfolio(view.wish);
  if (asked.given.json) {
    print_json(std::cout, json_of_portfolio(operation, view, chosen));
  } else {
    print_portfolio(std::cout, operation, view, chosen, asked.given.detail);
  }
  return chosen.served() == view.wish.problems ? kDone : kNothing;
}

int run_portfolio(const PortfolioGiven& given) {
  const Places& places = given.measuring.places;
  PortfolioAsked asked{given, read_target(given.words, places)};
  if (!asked.target.assignments.empty())
    throw bad_input("portfolio is for all tuned problems; '{}' is one too many",
                    asked.target.assignments.front());
  {
    const std::unique_ptr<Store> store = open_for_reading(places);
    if (!store) return tell_nothing(no_database_text(places));
    asked.device = wanted_device({given.measuring.device}, asked.target.operation().name,
                                 store.get(), nullptr);
    if (!given.measures) return answer(asked, *store);
  }
  const bool is_complete = measure_missing(asked);
  const int status = answer(asked, *open_for_reading(places));
  if (is_complete) return status;
  std::cerr << "interrupted; what was measured is kept\n";
  return kInterrupted;
}

}  // namespace

Command portfolio_command() {
  return make_command(
      {"portfolio", Purpose::ask,
       "Choose the fewest configurations that serve all tuned problems within a given loss.",
       "OPERATION[/IMPLEMENTATION]|FILE.toml [options]",
       "  tilewright portfolio gemm\n"
       "  tilewright portfolio gemm --within 5% --at-most 4 --measure\n"},
      run_portfolio);
}

}  // namespace tilewright::tools
