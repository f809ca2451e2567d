#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "campaign/texts.hpp"
#include "definition/text/escape.hpp"
#include "tools/report/report.hpp"

namespace tilewright::tools {
namespace {

constexpr std::size_t kLongestText = 300;

using Number = std::optional<double>;

// Negative: not known.
Number if_known(double value) {
  return value < 0 ? Number{} : Number(value);
}

// Adds a column unless it is empty.
template <class Figure>
void add_numbers(nlohmann::json& columns, const char* name, const std::vector<Trial>& trials,
                 const Figure& figure) {
  nlohmann::json column = nlohmann::json::array();
  bool is_empty = true;
  for (const Trial& trial : trials) {
    const Number value = figure(trial);
    is_empty = is_empty && !value;
    column.push_back(value ? short_number(*value) : nlohmann::json());
  }
  if (!is_empty) columns[name] = std::move(column);
}

template <class Text>
void add_names(nlohmann::json& columns, const char* name, const std::vector<Trial>& trials,
               const Text& text) {
  std::map<std::string, std::size_t> known;
  nlohmann::json names = nlohmann::json::array();
  nlohmann::json indices = nlohmann::json::array();
  for (const Trial& trial : trials) {
    const auto [place, is_new] = known.emplace(short_text(std::string(text(trial))), known.size());
    if (is_new) names.push_back(place->first);
    indices.push_back(place->second);
  }
  columns[name] = {{"names", std::move(names)}};
  if (known.size() > 1) columns[name]["indices"] = std::move(indices);
}

void add_resources(nlohmann::json& columns, const std::vector<Trial>& trials) {
  const auto add = [&](const char* name, auto member) {
    add_numbers(columns, name, trials, [member](const Trial& trial) {
      return trial.resources ? if_known(static_cast<double>(std::invoke(member, *trial.resources)))
                             : Number{};
    });
  };
  add("registers", &Resources::registers);
  add("shared_bytes", &Resources::shared_bytes);
  add("spill_bytes", &Resources::spill_bytes);
  add("threads", &Resources::threads);
  add("blocks_per_sm", &Resources::blocks_per_sm);
  add("occupancy", &Resources::occupancy);
}

void add_timing(nlohmann::json& columns, const std::vector<Trial>& trials) {
  add_numbers(columns, "time_us", trials, [](const Trial& trial) {
    return trial.timing ? Number(trial.timing->median_us) : Number{};
  });
  add_numbers(columns, "warm_us", trials, [](const Trial& trial) {
    return trial.warm_timing ? Number(trial.warm_timing->median_us) : Number{};
  });
  add_numbers(columns, "power_w", trials,
              [](const Trial& trial) { return trial.timing ? trial.timing->power_w : Number{}; });
  add_numbers(columns, "sm_mhz", trials, [](const Trial& trial) {
    return trial.timing && trial.timing->sm_mhz > 0 ? Number(trial.timing->sm_mhz) : Number{};
  });
}

nlohmann::json parameter_column(const std::string& name, const std::set<Value>& values,
                                const std::vector<Trial>& trials) {
  std::map<Value, int> places;
  nlohmann::json shown = nlohmann::json::array();
  for (const Value& value : values) {
    places.emplace(value, static_cast<int>(places.size()));
    if (const auto* number = std::get_if<std::int64_t>(&value))
      shown.push_back(*number);
    else
      shown.push_back(short_text(std::get<std::string>(value)));
  }
  nlohmann::json indices = nlohmann::json::array();
  bool is_constant = values.size() == 1;
  for (const Trial& trial : trials) {
    const auto found = trial.configuration.values.find(name);
    const bool has_value = found != trial.configuration.values.end();
    indices.push_back(has_value ? places.at(found->second) : -1);
    is_constant = is_constant && has_value;
  }
  nlohmann::json column = {{"name", short_text(name)}, {"values", std::move(shown)}};
  if (!is_constant) column["indices"] = std::move(indices);
  return column;
}

nlohmann::json parameter_columns(const std::vector<Trial>& trials) {
  std::map<std::string, std::set<Value>> values;  // numbers sort before labels, and by size
  for (const Trial& trial : trials)
    for (const auto& [name, value] : trial.configuration.values) values[name].insert(value);
  nlohmann::json columns = nlohmann::json::array();
  for (const auto& [name, known] : values) columns.push_back(parameter_column(name, known, trials));
  return columns;
}

double timed_seconds(const std::optional<Timing>& timing) {
  if (!timing) return 0;
  const double sum = std::accumulate(timing->samples_us.begin(), timing->samples_us.end(), 0.0);
  return sum * std::max(timing->calls_per_sample, 1) / 1e6;
}

double known_seconds(const Trial& trial, int compile_processes) {
  return trial.compile_ms / 1e3 / std::max(compile_processes, 1) + timed_seconds(trial.timing) +
         timed_seconds(trial.warm_timing);
}

}  // namespace

nlohmann::json short_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
  return std::stod(fmt::format("{:.6g}", value));
}

std::string short_text(const std::string& text) {
  std::string shown = visible_line(text);
  if (shown.size() <= kLongestText) return shown;
  std::size_t end = kLongestText;  // not within a character
  while ((static_cast<unsigned char>(shown[end]) & 0xC0) == 0x80) --end;
  return shown.substr(0, end) + "...";
}

nlohmann::json settings_pairs(const Settings& settings) {
  return json_list(settings, [](const auto& one) {
    return nlohmann::json::array({short_text(one.first), short_text(to_text(one.second))});
  });
}

nlohmann::json trial_columns(const std::vector<Trial>& trials) {
  nlohmann::json columns = {{"count", trials.size()}, {"parameters", parameter_columns(trials)}};
  add_names(columns, "implementation", trials,
            [](const Trial& trial) { return trial.implementation; });
  add_names(columns, "outcome", trials, [](const Trial& trial) { return to_text(trial.outcome); });
  add_names(columns, "stage", trials, [](const Trial& trial) { return to_text(trial.stage); });
  add_names(columns, "rule", trials, [](const Trial& trial) { return trial.rule; });
  add_names(columns, "message", trials,
            [](const Trial& trial) { return trial.message.substr(0, trial.message.find('\n')); });
  add_timing(columns, trials);
  add_resources(columns, trials);
  add_numbers(columns, "compile_ms", trials, [](const Trial& trial) {
    return trial.compile_ms > 0 ? Number(trial.compile_ms) : Number{};
  });
  return columns;
}

TrialEnds ends_of(const std::vector<Trial>& trials, const SweepDuration& duration) {
  TrialEnds ends;
  double sum = 0;
  for (const Trial& trial : trials) {
    if (trial.stage == Stage::screen) sum += known_seconds(trial, duration.compile_processes);
    ends.seconds.push_back(sum);
  }
  const double screening = duration.seconds - duration.final_seconds;
  const double scale = duration.seconds > 0 && screening > 0 && sum > 0 ? screening / sum : 1;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    double& end = ends.seconds[i];
    const bool ends_with_sweep = trials[i].stage == Stage::final && duration.seconds > 0;
    end = trials[i].ended_s.value_or(ends_with_sweep ? duration.seconds : end * scale);
    if (!trials[i].ended_s) ++ends.estimated;
  }
  return ends;
}

}  // namespace tilewright::tools
