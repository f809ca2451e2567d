#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "db/exchange/exchange.hpp"
#include "definition/text/escape.hpp"

namespace tilewright {

namespace {

constexpr const char* kHeader =
    "operation,problem,device_kind,device,compute_capability,partition,sm_count,policy,"
    "implementation,configuration,median_us,lower_us,upper_us,minimum_us,default_median_us,"
    "runner_up_median_us,measured,tie,registers,shared_bytes,spill_bytes,occupancy,sm_mhz,"
    "worst_ratio,code_hash,driver,runtime,compiler,tool,epoch,sweep,finished,imported\n";

std::string line(std::initializer_list<std::string> fields) {
  std::string result;
  for (const std::string& text : fields) result += csv_field(text) + ',';
  result.back() = '\n';
  return result;
}

template <class Number>
std::string number(Number value) {
  return fmt::format("{}", value);
}

std::string line(const BestRow& row) {
  const Timing timing = row.trial.timing.value_or(Timing{});
  const Resources resources = row.trial.resources.value_or(Resources{});
  return line({row.problem.operation,
               to_text(row.problem.values),
               std::string(to_text(row.device.kind)),
               row.device.name,
               number(row.device.compute_capability),
               row.device.partition,
               number(row.device.sm_count),
               to_text(row.policy),
               row.implementation,
               to_text(row.configuration.values),
               number(timing.median_us),
               number(timing.lower_us),
               number(timing.upper_us),
               number(timing.minimum_us),
               number(row.default_median_us),
               number(row.runner_up_median_us),
               number(row.measured),
               row.tie ? "1" : "0",
               number(resources.registers),
               number(resources.shared_bytes),
               number(resources.spill_bytes),
               number(resources.occupancy),
               number(timing.sm_mhz),
               row.trial.verification ? number(row.trial.verification->worst_ratio) : "",
               row.trial.code_hash,
               row.environment.driver,
               row.environment.runtime,
               row.environment.compiler,
               row.environment.tool,
               number(row.epoch),
               row.sweep_uuid,
               number(row.finished),
               row.imported ? "1" : "0"});
}

const std::optional<int>& limit_of(const BestRow& row) {
  return row.environment.power_limit_w;
}

}  // namespace

std::string export_csv(const std::vector<BestRow>& rows, std::vector<CsvColumn> columns) {
  if (std::ranges::any_of(rows, [](const BestRow& row) { return limit_of(row).has_value(); }))
    columns.insert(columns.begin(), {"power_limit_w", [](const BestRow& row) {
                                       return limit_of(row) ? number(*limit_of(row)) : "";
                                     }});
  std::string text = kHeader;
  const auto append = [&](const std::string& cell) {
    text.back() = ',';  // in place of the line's end
    text += csv_field(cell) + '\n';
  };
  for (const CsvColumn& column : columns) append(column.name);
  for (const BestRow& row : rows) {
    text += line(row);
    for (const CsvColumn& column : columns) append(column.cell(row));
  }
  return text;
}

}  // namespace tilewright
