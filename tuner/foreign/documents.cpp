#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "definition/json/codec.hpp"
#include "definition/text/errors.hpp"
#include "tuner/foreign/formats.hpp"

namespace tilewright {
namespace {

constexpr const char* kAccepted =
    "accepted are Kernel Tuner's cache files, T4 results, KTT's JSON results and Kernel Launcher's "
    "wisdom files";

// A failure is in `__error__` (new files) or in place of the time (old files).
void read_cache(const nlohmann::json& document, Record& record) {
  TrialCollector trials(record);
  record.problem_size = sizes_in(document.value("problem_size", nlohmann::json()));
  const nlohmann::json& names = document.at("tune_params_keys");
  std::vector<double> expected;
  for (const auto& [key, entry] : document.at("cache").items()) {
    Configuration configuration;
    for (const nlohmann::json& name : names)
      configuration.values[name.get<std::string>()] = value_of(entry.at(name.get<std::string>()));
    std::string why = text_at(entry, "__error__");
    const auto found = entry.find("time");
    const bool has_time = why.empty() && found != entry.end();
    if (has_time && found->is_string()) why = found->get<std::string>();
    trials.add(std::move(configuration), has_time ? time_in(*found) : std::nullopt, why);
    if (expected.size() == record.trials.size()) continue;  // it was there before
    const auto cost = entry.find("expected");
    expected.push_back(cost == entry.end() ? 0 : time_in(*cost).value_or(0));
  }
  if (std::ranges::any_of(expected, [](double one) { return one > 0; }))
    record.expected = std::move(expected);
}

constexpr const char* kUnits =
    "s, ms, us (or µs) and ns are accepted, also as words such as milliseconds";

// Milliseconds of a unit of time, in any spelling that files use; nothing for another word.
std::optional<double> unit_ms(std::string name) {
  constexpr std::array<std::pair<double, std::string_view>, 4> kUnitWords = {
      {{1000, " s sec second "},
       {1, " ms msec millisecond milisecond "},
       {0.001, " us usec microsecond "},
       {0.000001, " ns nsec nanosecond "}}};
  for (const std::string micro : {"\u00B5", "\u03BC"})  // the sign and the Greek letter
    if (name.starts_with(micro)) name.replace(0, micro.size(), "u");
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (name.ends_with("secs") || name.ends_with("seconds")) name.pop_back();
  for (const auto& [unit, words] : kUnitWords)
    if (name.find(' ') == std::string::npos && words.find(' ' + name + ' ') != words.npos)
      return unit;
  return std::nullopt;
}

// The unit that a file's metadata name under this key, or milliseconds if they name none.
double usual_unit_ms(const nlohmann::json& document, const char* metadata, const char* key) {
  const std::string name = text_at(document.value(metadata, nlohmann::json::object()), key);
  if (const auto unit = unit_ms(name.empty() ? "ms" : name)) return *unit;
  throw bad_input("'{}.{}' is '{}', not a unit of time; {}", metadata, key, name, kUnits);
}

// What the tuner looked for, in its order, then the time that most files have besides.
std::vector<std::string> objectives_of(const nlohmann::json& result) {
  std::vector<std::string> names;
  for (const nlohmann::json& name : result.value("objectives", nlohmann::json::array()))
    if (name.is_string()) names.push_back(name.get<std::string>());
  names.emplace_back("time");
  return names;
}

std::optional<double> mean_runtime(const nlohmann::json& result) {
  const nlohmann::json runtimes =
      result.value("times", nlohmann::json::object()).value("runtimes", nlohmann::json::array());
  double total = 0, count = 0;  // NaN is no number
  for (const nlohmann::json& runtime : runtimes) {
    if (!runtime.is_number()) continue;
    total += runtime.get<double>();
    ++count;
  }
  return total > 0 ? std::optional(total / count) : std::nullopt;
}

// The first objective that is a time, in milliseconds, else the mean of the runtimes. A measurement
// without a unit is a time only if its name is `time`.
std::optional<double> time_of(const nlohmann::json& result, double usual_ms) {
  if (text_at(result, "invalidity") != "correct") return std::nullopt;
  const nlohmann::json measurements = result.value("measurements", nlohmann::json::array());
  std::string unknown;
  for (const std::string& objective : objectives_of(result))
    for (const nlohmann::json& measurement : measurements) {
      if (text_at(measurement, "name") != objective) continue;
      const std::string unit = text_at(measurement, "unit");
      if (unit.empty() && objective != "time") continue;
      const auto scale = unit.empty() ? std::optional(usual_ms) : unit_ms(unit);
      const auto time = time_in(measurement.value("value", nlohmann::json()));
      if (scale) return time ? std::optional(*time * *scale) : std::nullopt;
      unknown = fmt::format("the unit of the measurement '{}' is '{}', not one of time; {}",
                            objective, unit, kUnits);
    }
  if (!unknown.empty()) throw InputError(unknown);
  const auto runtime = mean_runtime(result);
  return runtime ? std::optional(*runtime * usual_ms) : std::nullopt;
}

void read_results(const nlohmann::json& document, Record& record) {
  const double usual_ms = usual_unit_ms(document, "metadata", "timeunit");
  TrialCollector trials(record);
  std::size_t number = 0;
  for (const nlohmann::json& result : document.at("results")) {
    Configuration configuration;
    for (const auto& [name, value] : result.at("configuration").items())
      configuration.values[name] = value_of(value);
    const auto time_ms =
        at_place(fmt::format("result {}", ++number), [&] { return time_of(result, usual_ms); });
    trials.add(std::move(configuration), time_ms, text_at(result, "invalidity"));
  }
}

void read_ktt(const nlohmann::json& document, Record& record) {
  const double unit = usual_unit_ms(document, "Metadata", "TimeUnit");
  record.device = text_at(document.value("Metadata", nlohmann::json::object()), "Device");
  const nlohmann::json& results = document.at("Results");
  if (!results.empty()) record.kernel = text_at(results.at(0), "KernelName");
  TrialCollector trials(record);
  for (const nlohmann::json& result : results) {
    Configuration configuration;
    for (const nlohmann::json& pair : result.at("Configuration"))
      configuration.values[pair.at("Name").get<std::string>()] = value_of(pair.at("Value"));
    const std::string status = text_at(result, "Status");
    auto time = status == "Ok" ? time_in(result.at("TotalDuration")) : std::nullopt;
    if (time) *time *= unit;
    trials.add(std::move(configuration), time, status);
  }
}

// A document that has the key is read as this format. A text with the mark is of this format, also
// if it ends early.
struct Format {
  const char* key;
  const char* mark;
  const char* name;
  void (*read)(const nlohmann::json& document, Record& record);
};

constexpr std::array<Format, 4> kFormats = {{
    {"cache", "\"tune_params_keys\"", "a cache of Kernel Tuner", read_cache},
    {"results", "\"invalidity\"", "a file of T4 results", read_results},
    {"Results", "\"KttVersion\"", "a file of KTT's results", read_ktt},
    {nullptr, "\"tunable_parameters\"", "a wisdom file of Kernel Launcher", nullptr},
}};

std::int64_t size_in(const nlohmann::json& json) {
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (!json.is_string()) return 0;
  const std::string& text = json.get_ref<const std::string&>();
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  return error == std::errc() && end == text.data() + text.size() ? size : 0;
}

}  // namespace

void TrialCollector::add(Configuration configuration, std::optional<double> time_ms,
                         const std::string& why) {
  if (!seen_.insert(configuration).second) return;
  Trial trial;
  trial.implementation = record_.kernel;
  trial.configuration = std::move(configuration);
  trial.outcome = time_ms ? Outcome::measured : Outcome::launch_failed;
  trial.message = why;
  if (time_ms) {
    trial.timing.emplace();
    trial.timing->median_us = *time_ms * 1000;
  } else if (why == "CompilationFailedConfig" || why == "compile" || why == "CompilationFailed") {
    trial.outcome = Outcome::compile_failed;
  }
  record_.trials.push_back(std::move(trial));
}

Value value_of(const nlohmann::json& json) {
  constexpr double exact = 9007199254740992.0;  // 2^53: whole numbers up to here are exact
  if (json.is_boolean()) return std::int64_t{json.get<bool>()};
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_string()) return json.get<std::string>();
  const double number = json.is_number() ? json.get<double>() : std::nan("");
  if (std::abs(number) <= exact && std::abs(std::trunc(number) - number) <= 0)
    return static_cast<std::int64_t>(number);
  return json_text(json);
}

std::optional<double> time_in(const nlohmann::json& json) {
  if (!json.is_number() || !(json.get<double>() > 0)) return std::nullopt;
  return json.get<double>();
}

std::string text_at(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<std::int64_t> sizes_in(const nlohmann::json& json) {
  if (!json.is_array())
    return json.is_null() ? std::vector<std::int64_t>() : sizes_in(nlohmann::json::array({json}));
  std::vector<std::int64_t> sizes;
  for (const nlohmann::json& one : json)
    if (sizes.emplace_back(size_in(one)) <= 0) return {};
  return sizes;
}

Record read_document(const nlohmann::json& document) {
  Record record;
  try {
    record.kernel = text_at(document, "kernel_name");
    record.device = text_at(document, "device_name");
    for (const Format& format : kFormats)
      if (format.key != nullptr && document.contains(format.key)) {
        format.read(document, record);
        return record;
      }
  } catch (const nlohmann::json::exception& error) {
    throw bad_input("{}; {}", error.what(), kAccepted);
  }
  throw bad_input("no results in it, which are under \"cache\", \"results\" or \"Results\"; {}",
                  kAccepted);
}

std::string foreign_format(std::string_view text) {
  for (const Format& format : kFormats)
    if (text.find(format.mark) != std::string_view::npos) return format.name;
  return {};
}

}  // namespace tilewright
