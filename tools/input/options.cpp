#include "tools/input/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <cmath>
#include <limits>

#include "definition/text/suggest.hpp"
#include "tilewright/error.hpp"

namespace tilewright::tools {
namespace {

namespace po = boost::program_options;
using Texts = std::vector<std::string>;

po::options_description described(const std::vector<OptionSpec>& options) {
  po::options_description description("Options", 100, 60);
  for (const OptionSpec& option : options) {
    if (option.value.empty()) {
      description.add_options()(option.name.c_str(), option.about.c_str());
    } else {
      description.add_options()(option.name.c_str(),
                                po::value<Texts>()->value_name(option.value)->composing(),
                                option.about.c_str());
    }
  }
  description.add_options()("help,h", "Show this help.");
  return description;
}

[[noreturn]] void throw_unknown(const std::string& written,
                                const std::vector<OptionSpec>& options) {
  const std::size_t start = std::min(written.find_first_not_of('-'), written.size());
  Texts known = {"--help"};
  for (const OptionSpec& option : options) known.push_back("--" + option.name);
  throw InputError(fmt::format("unknown option '{}'{}", written,
                               suggestion("--" + written.substr(start), known)));
}

po::parsed_options parse_or_throw(const Texts& arguments, const po::options_description& all,
                                  const std::vector<OptionSpec>& options) {
  po::positional_options_description words;
  words.add("words", -1);
  const int style = po::command_line_style::unix_style &
                    ~static_cast<int>(po::command_line_style::allow_guessing);
  try {
    return po::command_line_parser(arguments).options(all).positional(words).style(style).run();
  } catch (const po::unknown_option& error) {
    throw_unknown(error.get_option_name(), options);
  } catch (const po::error& error) {
    throw InputError(error.what());
  }
}

template <class Number>
std::optional<Number> whole(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || last != end || text.empty()) return std::nullopt;
  return number;
}

[[noreturn]] void throw_value(const std::string& name, const std::string& text,
                              const std::string& accepted) {
  throw InputError(fmt::format("--{} '{}': give {}", name, text, accepted));
}

}  // namespace

Arguments Arguments::parse(const Texts& arguments, const std::vector<OptionSpec>& options) {
  po::options_description all = described(options);
  all.add_options()("words", po::value<Texts>(), "");
  const po::parsed_options parsed = parse_or_throw(arguments, all, options);
  Arguments result;
  for (const auto& option : parsed.options) {
    if (option.string_key == "words") {
      result.words_.insert(result.words_.end(), option.value.begin(), option.value.end());
      continue;
    }
    Texts& values = result.values_[option.string_key];
    values.insert(values.end(), option.value.begin(), option.value.end());
  }
  for (const OptionSpec& option : options) {
    const auto given = result.values_.find(option.name);
    if (given == result.values_.end() || option.times == OptionSpec::Times::many) continue;
    if (given->second.size() > 1)
      throw InputError(
          fmt::format("--{} is given {} times; give it once", option.name, given->second.size()));
  }
  return result;
}

std::optional<std::string> Arguments::text(const std::string& name) const {
  const auto given = values_.find(name);
  if (given == values_.end() || given->second.empty()) return std::nullopt;
  return given->second.back();
}

Texts Arguments::texts(const std::string& name) const {
  const auto given = values_.find(name);
  return given == values_.end() ? Texts{} : given->second;
}

std::optional<std::uint64_t> Arguments::number(const std::string& name) const {
  const auto given = text(name);
  if (!given) return std::nullopt;
  const auto value = whole<std::uint64_t>(*given);
  if (!value) throw_value(name, *given, "a whole number");
  return value;
}

std::optional<std::int64_t> Arguments::bytes(const std::string& name) const {
  const auto given = text(name);
  if (!given) return std::nullopt;
  std::string digits = *given;
  int shift = 0;
  if (!digits.empty()) {
    const std::size_t unit = std::string("KMG").find(digits.back());
    if (unit != std::string::npos) digits.pop_back();
    if (unit != std::string::npos) shift = 10 * (static_cast<int>(unit) + 1);
  }
  const auto value = whole<std::int64_t>(digits);
  if (!value || *value < 0 || *value > std::numeric_limits<std::int64_t>::max() >> shift)
    throw_value(name, *given, "a number of bytes such as 512, 64K, 512M or 8G");
  return *value << shift;
}

std::optional<double> Arguments::seconds(const std::string& name) const {
  const auto given = text(name);
  if (!given) return std::nullopt;
  std::string digits = *given;
  double unit = 1;
  if (!digits.empty()) {
    const char last = digits.back();
    if (last == 'm') unit = 60;
    if (last == 'h') unit = 3600;
    if (last == 's' || last == 'm' || last == 'h') digits.pop_back();
  }
  const auto value = whole<std::uint32_t>(digits);
  if (!value || *value == 0) throw_value(name, *given, "a time such as 90s, 5m or 1h");
  return *value * unit;
}

std::optional<std::chrono::milliseconds> Arguments::milliseconds(const std::string& name) const {
  const auto given = seconds(name);
  if (!given) return std::nullopt;
  return std::chrono::milliseconds(std::llround(*given * 1000));
}

std::optional<double> Arguments::fraction(const std::string& name) const {
  const auto given = text(name);
  if (!given) return std::nullopt;
  const auto value = whole<double>(*given);
  if (!value || !std::isfinite(*value) || *value < 0 || *value > 1)
    throw_value(name, *given, "a number from 0 to 1");
  return value;
}

std::string Arguments::choice(const std::string& name, const Texts& accepted) const {
  const auto given = text(name);
  if (!given) return accepted.front();
  if (std::find(accepted.begin(), accepted.end(), *given) == accepted.end())
    throw InputError(
        fmt::format("--{} '{}' is not known{}", name, *given, suggestion(*given, accepted)));
  return *given;
}

std::optional<CachePolicy> cache_policy(const Arguments& arguments) {
  if (!arguments.has("policy")) return std::nullopt;
  const bool is_warm = arguments.choice("policy", {"warm", "cold"}) == "warm";
  return is_warm ? CachePolicy::warm : CachePolicy::cold;
}

std::string describe(const std::vector<OptionSpec>& options) {
  std::ostringstream text;
  text << described(options);
  return text.str();
}

OptionSpec database_option() {
  return {"db", "FILE", "Database file. Default: TILEWRIGHT_DB, else a file in your data folder."};
}
OptionSpec kernels_option() {
  return {"kernels", "FOLDER",
          "Folder of kernel definitions; may be repeated. Default: TILEWRIGHT_KERNELS, "
          "else the built-in ones.",
          OptionSpec::Times::many};
}
OptionSpec shipped_option() {
  return {"shipped", "PLACE",
          "Shipped results: a file, a folder, or none; may be repeated. Default: those that came "
          "with tilewright.",
          OptionSpec::Times::many};
}
OptionSpec cache_option() {
  return {
      "cache", "FOLDER",
      "Folder for compiled code. Default: TILEWRIGHT_CACHE, else a folder in your cache folder."};
}
OptionSpec jobs_option() {
  return {"jobs", "N", "Number of compile processes; by default one for each core."};
}
OptionSpec compile_limit_option() {
  return {"compile-limit", "TIME", "Time limit of one compile; 60s by default."};
}
OptionSpec compile_memory_option() {
  return {"compile-memory", "BYTES",
          "Memory limit of one compile process; 8G by default, 0 means no limit."};
}
OptionSpec json_option() {
  return {"json", "", "Print JSON."};
}
OptionSpec seed_option() {
  return {"seed", "N", "Seed of every random choice; 1 by default."};
}
OptionSpec where_option() {
  return {"where", "EXPR", "Only configurations for which this is true: 'BLOCK_X >= 16'."};
}
OptionSpec occupancy_floor_option() {
  return {"occupancy-floor", "F", "Skip configurations with lower occupancy than this, 0 to 1."};
}
OptionSpec max_spill_option() {
  return {"max-spill", "BYTES", "Skip code that spills more bytes per thread than this."};
}

}  // namespace tilewright::tools
