// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/reports/portfolio_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "definition/json/json.hpp"
#include "tools/print/report.hpp"

namespace tilewright::tools {
namespace {

// The losses of some problems.
struct LossSummary {
  std::size_t count = 0;
  double worst = 0;
  double mean = 0;  // geometric, of the ratios
};

LossSummary summary_of(const ChosenPortfolio& chosen, std::optional<std::size_t> server) {
  LossSummary summary;
  double logarithms = 0;
  for (std::size_t p = 0; p < chosen.serving.size(); ++p) {
    if (!chosen.serving[p] || (server && chosen.serving[p] != server)) continue;
    ++summary.count;
    summary.worst = std::max(summary.worst, chosen.ratios[p] - 1);
    logarithms += std::log(chosen.ratios[p]);
  }
  if (summary.count > 0) summary.mean = std::expm1(logarithms / static_cast<double>(summary.count));
  return summary;
}

std::string percent(double loss) {
  return fmt::format("{:.1f} %", 100 * loss);
}

std::string text_of(const LossSummary& summary) {
  return fmt::format("worst loss {}, geometric mean {}", percent(summary.worst),
                     percent(summary.mean));
}

std::string text_of(const Operation& operation, const TunedProblem& tuned) {
  return fmt::format("{} ({})", problem_text(operation, tuned.problem),
                     tilewright::to_text(tuned.policy));
}

void print_served(std::ostream& out, const Operation& operation, const PortfolioView& view,
                  const ChosenPortfolio& chosen, std::size_t k) {
  const std::size_t configuration = chosen.configurations[k];
  out << fmt::format("{}. {} {}\n", k + 1, view.implementations[configuration]->full_name(),
                     tilewright::to_text(view.configurations[configuration].values));
  Table table({}, {Table::Align::left, Table::Align::right});
  for (std::size_t p = 0; p < chosen.serving.size(); ++p)
    if (chosen.serving[p] == k)
      table.add({text_of(operation, view.losses.problems[p]), percent(chosen.ratios[p] - 1)});
  table.print(out, "   ");
}

// Why nothing of the portfolio serves a problem.
std::string why_not(const PortfolioView& view, std::size_t problem) {
  return fastest_for(view, problem) ? "more configurations would be needed"
                                    : "no configuration with a time fits it any more";
}

nlohmann::json json_of_problem(const TunedProblem& tuned) {
  return {{"problem", to_json(tuned.problem.values)},
          {"policy", tilewright::to_text(tuned.policy)}};
}

nlohmann::json json_of(const LossSummary& summary) {
  return {{"worst_loss", summary.worst}, {"mean_loss", summary.mean}};
}

}  // namespace

void print_portfolio(std::ostream& out, const Operation& operation, const PortfolioView& view,
                     const ChosenPortfolio& chosen) {
  const LossSummary all = summary_of(chosen, std::nullopt);
  out << fmt::format(
      "{} on {}: {} of {} served within {} by {}\n", operation.name, view.device.name, all.count,
      counted(static_cast<std::int64_t>(view.wish.problems), "tuned problem", "tuned problems"),
      percent(view.wish.within),
      counted(static_cast<std::int64_t>(chosen.configurations.size()), "configuration",
              "configurations"));
  if (all.count > 0) out << text_of(all) << '\n';
  if (chosen.needed > view.wish.at_most)
    out << fmt::format("{} would serve all that can be served\n", chosen.needed);
  if (!chosen.is_fewest) out << "perhaps fewer would do: not all choices were tried\n";
  for (std::size_t k = 0; k < chosen.configurations.size(); ++k)
    print_served(out, operation, view, chosen, k);
  for (std::size_t p = 0; p < chosen.serving.size(); ++p)
    if (!chosen.serving[p])
      out << fmt::format("not served: {}: {}\n", text_of(operation, view.losses.problems[p]),
                         why_not(view, p));
}

nlohmann::json json_of(const Operation& operation, const PortfolioView& view,
                       const ChosenPortfolio& chosen) {
  nlohmann::json json = json_of(summary_of(chosen, std::nullopt));
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
    nlohmann::json one = json_of(summary_of(chosen, k));
    one["implementation"] = view.implementations[configuration]->full_name();
    one["configuration"] = to_json(view.configurations[configuration].values);
    one["serves"] = nlohmann::json::array();
    json["portfolio"].push_back(std::move(one));
  }
  for (std::size_t p = 0; p < chosen.serving.size(); ++p) {
    nlohmann::json problem = json_of_problem(view.losses.problems[p]);
    if (chosen.serving[p]) {
      problem["loss"] = chosen.ratios[p] - 1;
      json["portfolio"][*chosen.serving[p]]["serves"].push_back(std::move(problem));
    } else {
      json["unserved"].push_back(std::move(problem));
    }
  }
  return json;
}

}  // namespace tilewright::tools
