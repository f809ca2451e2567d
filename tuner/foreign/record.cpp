#include "tuner/foreign/record.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "definition/json/codec.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

constexpr const char* kAccepted =
    "replay reads Kernel Tuner's cache files, T4 results and tilewright's databases and exports";

// Parses a document whose writer was killed. The writer appends, so the end is missing. Cuts the
// text after the last complete entry, which has at most two brackets around it, and closes those.
std::optional<nlohmann::json> parse_what_is_whole(const std::string& text) {
  constexpr std::size_t around = 2;
  std::string open;  // for each open bracket, what closes it
  std::string whole;
  std::size_t end = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        if (text[i] == '\\') ++i;
    } else if (c == '{' || c == '[') {
      open += c == '{' ? '}' : ']';
    } else if (c == '}' || c == ']') {
      if (open.empty() || open.back() != c) return std::nullopt;
      open.pop_back();
      if (c == '}' && open.size() <= around) {
        end = i + 1;
        whole.assign(open.rbegin(), open.rend());
      }
    }
  }
  if (open.empty()) return std::nullopt;  // it does not end early
  nlohmann::json document = parse_sorted(text.substr(0, end) + whole);
  return document.is_discarded() ? std::nullopt : std::optional(std::move(document));
}

Value value_of(const nlohmann::json& json) {
  if (json.is_boolean()) return std::int64_t{json.get<bool>()};
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_string()) return json.get<std::string>();
  return json_text(json);
}

std::optional<double> time_in(const nlohmann::json& json) {
  if (!json.is_number() || !(json.get<double>() > 0)) return std::nullopt;
  return json.get<double>();
}

// `time` is in milliseconds; none: the configuration failed.
void add(Record& record, std::set<Configuration>& seen, Configuration configuration,
         std::optional<double> time_ms, const std::string& why) {
  if (!seen.insert(configuration).second) return;
  Trial trial;
  trial.implementation = record.kernel;
  trial.configuration = std::move(configuration);
  trial.outcome = time_ms ? Outcome::measured : Outcome::launch_failed;
  trial.message = why;
  if (time_ms) {
    trial.timing.emplace();
    trial.timing->median_us = *time_ms * 1000;
  } else if (why == "CompilationFailedConfig" || why == "compile") {
    trial.outcome = Outcome::compile_failed;
  }
  record.trials.push_back(std::move(trial));
}

std::string text_at(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// A failure is in `__error__` (new files) or in place of the time (old files).
void read_cache(const nlohmann::json& document, Record& record) {
  std::set<Configuration> seen;
  const nlohmann::json& names = document.at("tune_params_keys");
  for (const auto& [key, entry] : document.at("cache").items()) {
    Configuration configuration;
    for (const nlohmann::json& name : names)
      configuration.values[name.get<std::string>()] = value_of(entry.at(name.get<std::string>()));
    std::string why = text_at(entry, "__error__");
    const auto found = entry.find("time");
    const bool has_time = why.empty() && found != entry.end();
    if (has_time && found->is_string()) why = found->get<std::string>();
    add(record, seen, std::move(configuration), has_time ? time_in(*found) : std::nullopt, why);
  }
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

// The unit in the file's metadata, or milliseconds if it names none.
double usual_unit_ms(const nlohmann::json& document) {
  const std::string name =
      text_at(document.value("metadata", nlohmann::json::object()), "timeunit");
  if (const auto unit = unit_ms(name.empty() ? "ms" : name)) return *unit;
  throw InputError(
      fmt::format("'metadata.timeunit' is '{}', not a unit of time; {}", name, kUnits));
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
  double total = 0;
  for (const nlohmann::json& runtime : runtimes)
    total += runtime.is_number() ? runtime.get<double>() : 0;
  if (total <= 0) return std::nullopt;
  return total / static_cast<double>(runtimes.size());
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
  const double usual_ms = usual_unit_ms(document);
  std::set<Configuration> seen;
  std::size_t number = 0;
  for (const nlohmann::json& result : document.at("results")) {
    Configuration configuration;
    for (const auto& [name, value] : result.at("configuration").items())
      configuration.values[name] = value_of(value);
    const auto time_ms =
        at_place(fmt::format("result {}", ++number), [&] { return time_of(result, usual_ms); });
    add(record, seen, std::move(configuration), time_ms, text_at(result, "invalidity"));
  }
}

void read_document(const nlohmann::json& document, Record& record) {
  try {
    record.kernel = text_at(document, "kernel_name");
    record.device = text_at(document, "device_name");
    if (document.contains("cache")) return read_cache(document, record);
    if (document.contains("results")) return read_results(document, record);
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}; {}", error.what(), kAccepted));
  }
  throw InputError(fmt::format("neither \"cache\" nor \"results\" in it; {}", kAccepted));
}

// zlib gets input and gives output in pieces of this size, because it counts in 32 bits.
constexpr std::size_t kPiece = 1 << 20;

}  // namespace

double best_time_us(const Record& record) {
  double best = std::numeric_limits<double>::infinity();
  for (const Trial& trial : record.trials)
    if (trial.timing) best = std::min(best, trial.timing->median_us);
  if (best < std::numeric_limits<double>::infinity()) return best;
  throw InputError(
      fmt::format("{}: {}none of its {} configurations has a time; a record with measured "
                  "ones is needed",
                  record.name, record.is_complete ? "" : "ends early: ", record.trials.size()));
}

SearchGrid grid_of(const Record& record) {
  std::vector<GridPoint> points;
  points.reserve(record.trials.size());
  for (const Trial& trial : record.trials)
    points.push_back({trial.implementation, &trial.configuration.values});
  return make_grid(points);
}

Record read_record(std::string_view bytes, const std::string& name) {
  const Unpacked unpacked = at_place(name, [&] { return gunzip(bytes); });
  Record record;
  record.name = name;
  record.is_complete = unpacked.is_complete;
  nlohmann::json document = parse_sorted(unpacked.text);
  if (document.is_discarded()) {
    auto whole = parse_what_is_whole(unpacked.text);
    if (!whole) at_place(name, [&] { parse_document(unpacked.text); });  // throws
    document = std::move(whole.value());
    record.is_complete = false;
  }
  at_place(record.is_complete ? name : name + ": ends early",
           [&] { read_document(document, record); });
  best_time_us(record);
  return record;
}

Unpacked gunzip(std::string_view bytes, std::size_t most) {
  if (!bytes.starts_with("\x1f\x8b")) return {std::string(bytes), true};
  z_stream stream{};
  constexpr int gzip_window = 16 + MAX_WBITS;
  if (inflateInit2(&stream, gzip_window) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, inflateEnd);
  Unpacked result;
  std::vector<char> out(kPiece);
  int status = Z_OK;
  while (!bytes.empty() || stream.avail_in > 0 || stream.avail_out == 0) {
    if (stream.avail_in == 0 && !bytes.empty()) {
      // zlib's interface predates const; it does not write here.
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream.avail_in = static_cast<uInt>(std::min(kPiece, bytes.size()));
      bytes.remove_prefix(stream.avail_in);
    }
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    status = inflate(&stream, Z_NO_FLUSH);
    result.text.append(out.data(), out.size() - stream.avail_out);
    if (result.text.size() > most)
      throw InputError(fmt::format("unpacks to more than {} MiB", most >> 20));
    if (status == Z_STREAM_END) {
      if (bytes.empty() && stream.avail_in == 0) break;
      status = inflateReset(&stream);  // a file may have several members
    }
    if (status != Z_OK && status != Z_BUF_ERROR) break;
  }
  result.is_complete = status == Z_STREAM_END;
  return result;
}

}  // namespace tilewright
