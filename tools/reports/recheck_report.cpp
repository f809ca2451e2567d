// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/reports/recheck_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "definition/json/json.hpp"
#include "tools/print/report.hpp"

namespace tilewright::tools {
namespace {

std::string timed(double median_us, double low_us, double high_us) {
  return fmt::format("{} ({} to {})", time_text(median_us), time_text(low_us), time_text(high_us));
}

std::string stored_text(const BestRow& row) {
  if (!row.trial.timing) return "";
  const Timing& timing = *row.trial.timing;
  return timed(timing.median_us, timing.interval_low_us, timing.interval_high_us);
}

std::vector<std::string> cells_of(const Rechecked& result) {
  const BestRow& row = result.item.row;
  std::vector<std::string> cells = {row.implementation, tilewright::to_text(row.problem.values),
                                    row.device.name, tilewright::to_text(row.policy),
                                    stored_text(row)};
  const auto& time = result.confirmation.time;
  cells.push_back(time ? timed(time->median_us, time->interval_low_us, time->interval_high_us)
                       : "");
  cells.push_back(time && time->sm_mhz > 0 ? fmt::format("{:.0f}", time->sm_mhz) : "");
  cells.emplace_back(to_text(result.confirmation.verdict));
  const std::string& message = result.confirmation.message;
  cells.push_back(message.substr(0, message.find('\n')));
  return cells;
}

nlohmann::json time_json(const Timing& timing) {
  return {{"median_us", timing.median_us},
          {"interval_low_us", timing.interval_low_us},
          {"interval_high_us", timing.interval_high_us},
          {"sm_mhz", timing.sm_mhz}};
}

nlohmann::json json_of_rival(const Trial& trial) {
  nlohmann::json json = {{"configuration", to_json(trial.configuration.values)},
                         {"outcome", to_text(trial.outcome)}};
  if (trial.timing) json["timing"] = time_json(*trial.timing);
  return json;
}

nlohmann::json json_of_one(const Rechecked& result) {
  const BestRow& row = result.item.row;
  const Confirmation& confirmation = result.confirmation;
  nlohmann::json json = {{"implementation", row.implementation},
                         {"configuration", to_json(row.configuration.values)},
                         {"problem", to_json(row.problem.values)},
                         {"device", device_summary(row.device)},
                         {"policy", tilewright::to_text(row.policy)},
                         {"sweep", row.sweep_uuid},
                         {"was_stale", result.item.was_stale},
                         {"environment", to_json(confirmation.environment)},
                         {"verdict", to_text(confirmation.verdict)},
                         {"message", confirmation.message},
                         {"code_hash", confirmation.code_hash},
                         {"stored_code_hash", row.trial.code_hash}};
  if (row.trial.timing) json["stored"] = time_json(*row.trial.timing);
  if (result.now.winner.timing) json["now"] = time_json(*result.now.winner.timing);
  if (result.now.runner_up) json["runner_up"] = json_of_rival(*result.now.runner_up);
  if (result.now.standard) json["default"] = json_of_rival(*result.now.standard);
  return json;
}

}  // namespace

void print_rechecked(std::ostream& out, const std::vector<Rechecked>& results) {
  using Align = Table::Align;
  Table table(
      {"implementation", "problem", "device", "policy", "stored", "now", "MHz", "verdict", ""},
      {Align::left, Align::left, Align::left, Align::left, Align::right, Align::right,
       Align::right});
  for (const Rechecked& result : results) table.add(cells_of(result));
  table.print(out);
}

nlohmann::json json_of(const std::vector<Rechecked>& results) {
  nlohmann::json json = {{"rechecked", nlohmann::json::array()},
                         {"verdicts", nlohmann::json::object()}};
  for (const Rechecked& result : results) {
    json["rechecked"].push_back(json_of_one(result));
    auto& count = json["verdicts"][std::string(to_text(result.confirmation.verdict))];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  }
  return json;
}

}  // namespace tilewright::tools
