#include "bench/ladder/leave_one_out_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <ostream>
#include <utility>

#include "definition/json/json.hpp"
#include "tools/print/text.hpp"

namespace tilewright::bench {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();
constexpr std::array kCutOffs = {0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, kUnlimited};

using Guess = std::optional<GuessedAnswer>;
using Way = std::function<const Guess&(const LeftOut&)>;

// How far the answers of one way are from the best.
struct WayFigures {
  std::size_t answered = 0;
  std::size_t known = 0;  // answers whose time is on record
  double mean = 0;        // geometric mean of time / best time
  double worst = 0;
  std::size_t beside = 0;  // answers for which the default's time is known, too
  double of_default = 0;   // geometric mean over these of time / default's time
};

WayFigures figures_of(const std::vector<LeftOut>& problems, const Way& way) {
  WayFigures figures;
  double sum = 0;
  double against = 0;
  for (const LeftOut& left : problems) {
    const Guess& guess = way(left);
    if (!guess) continue;
    ++figures.answered;
    if (!guess->ratio) continue;
    ++figures.known;
    sum += std::log(*guess->ratio);
    figures.worst = std::max(figures.worst, *guess->ratio);
    if (!left.standard || !left.standard->ratio) continue;
    ++figures.beside;
    against += std::log(*guess->ratio / *left.standard->ratio);
  }
  if (figures.known > 0) figures.mean = std::exp(sum / static_cast<double>(figures.known));
  if (figures.beside > 0)
    figures.of_default = std::exp(against / static_cast<double>(figures.beside));
  return figures;
}

// The ladder's answer if near answers beyond that distance are not used.
Way ladder_at(double farthest) {
  return [farthest](const LeftOut& left) -> const Guess& {
    if (left.near_problem && left.near_problem->distance <= farthest) return left.near_problem;
    if (left.near_device && left.near_device->distance <= farthest) return left.near_device;
    if (left.portable) return left.portable;
    return left.portable_elsewhere ? left.portable_elsewhere : left.standard;
  };
}

std::vector<std::pair<std::string, Way>> ways() {
  std::vector<std::pair<std::string, Way>> all = {
      {"near problem, however far",
       [](const LeftOut& left) -> const Guess& { return left.near_problem; }},
      {"near device, however far",
       [](const LeftOut& left) -> const Guess& { return left.near_device; }},
      {"portable", [](const LeftOut& left) -> const Guess& { return left.portable; }},
      {"portable, of other devices",
       [](const LeftOut& left) -> const Guess& { return left.portable_elsewhere; }},
      {"default", [](const LeftOut& left) -> const Guess& { return left.standard; }},
      {"nearest by volume", [](const LeftOut& left) -> const Guess& { return left.by_volume; }},
      {"a look-up", [](const LeftOut& left) -> const Guess& { return left.served; }}};
  for (const double farthest : kCutOffs)
    all.emplace_back(farthest == kUnlimited ? "the ladder without a cut-off"
                                            : fmt::format("the ladder, cut-off {}", farthest),
                     ladder_at(farthest));
  return all;
}

std::string times_text(double ratio, std::size_t count) {
  return count == 0 ? "–" : fmt::format("{:.3f}", ratio);
}

std::string guess_text(const Guess& guess) {
  if (!guess) return "–";
  return guess->ratio ? fmt::format("{:.3f}", *guess->ratio) : "?";
}

nlohmann::json json_of(const Guess& guess) {
  if (!guess) return nullptr;
  nlohmann::json json = {{"implementation", guess->implementation},
                         {"configuration", to_json(guess->configuration.values)},
                         {"distance", guess->distance}};
  if (guess->ratio) json["ratio"] = *guess->ratio;
  return json;
}

nlohmann::json json_of(const WayFigures& figures) {
  return {{"answered", figures.answered},     {"known", figures.known},
          {"mean_ratio", figures.mean},       {"worst_ratio", figures.worst},
          {"beside_default", figures.beside}, {"of_default", figures.of_default}};
}

}  // namespace

void print_study(std::ostream& out, const LadderStudy& study) {
  out << fmt::format("## {} on {}: {} problems, each left out in turn\n\n", study.operation->name,
                     study.device.name, study.problems.size());
  out << "| answer | answered | time known | geometric mean of time / best | worst | of the "
         "default's time | over |\n|---|---|---|---|---|---|---|\n";
  for (const auto& [name, way] : ways()) {
    const WayFigures figures = figures_of(study.problems, way);
    if (figures.answered == 0) continue;
    out << fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", name, figures.answered,
                       figures.known, times_text(figures.mean, figures.known),
                       times_text(figures.worst, figures.known),
                       times_text(figures.of_default, figures.beside), figures.beside);
  }
  out << "\nTime / best of each; ? was not measured, – is no answer:\n\n"
         "| problem | best | near problem | at distance | near device | portable | default | by "
         "volume | a look-up |\n|---|---|---|---|---|---|---|---|---|\n";
  for (const LeftOut& left : study.problems)
    out << fmt::format(
        "| {} ({}) | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        tools::problem_text(*study.operation, left.tuned.problem), to_text(left.tuned.policy),
        tools::time_text(left.tuned.best_us), guess_text(left.near_problem),
        left.near_problem ? fmt::format("{:.2f}", left.near_problem->distance) : "–",
        guess_text(left.near_device), guess_text(left.portable), guess_text(left.standard),
        guess_text(left.by_volume), guess_text(left.served));
  out << '\n';
}

nlohmann::json json_of(const LadderStudy& study) {
  nlohmann::json json = {{"operation", study.operation->name},
                         {"device", tools::device_summary(study.device)},
                         {"ways", nlohmann::json::object()},
                         {"problems", nlohmann::json::array()}};
  for (const auto& [name, way] : ways())
    json["ways"][name] = json_of(figures_of(study.problems, way));
  for (const LeftOut& left : study.problems)
    json["problems"].push_back({{"problem", to_json(left.tuned.problem.values)},
                                {"policy", to_text(left.tuned.policy)},
                                {"best_us", left.tuned.best_us},
                                {"near_problem", json_of(left.near_problem)},
                                {"near_device", json_of(left.near_device)},
                                {"portable", json_of(left.portable)},
                                {"portable_elsewhere", json_of(left.portable_elsewhere)},
                                {"default", json_of(left.standard)},
                                {"by_volume", json_of(left.by_volume)},
                                {"served", json_of(left.served)}});
  return json;
}

}  // namespace tilewright::bench
