#include "tools/input/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <cmath>
#include <sstream>
#include <string_view>

#include "definition/text/suggest.hpp"

namespace tilewright::tools {
namespace {

namespace po = boost::program_options;
using Texts = std::vector<std::string>;

po::options_description described(const std::vector<OptionSpec>& options) {
  po::options_description description("Options", 100, 60);
  for (const OptionSpec& option : options) {
    const std::string names = option.letter == 0 ? option.name : option.name + ',' + option.letter;
    if (option.value.empty()) {
      description.add_options()(names.c_str(), option.about.c_str());
    } else {
      description.add_options()(names.c_str(),
                                po::value<Texts>()->value_name(option.value)->composing(),
                                option.about.c_str());
    }
  }
  description.add_options()("help,h", kHelpOption.about.c_str());
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

void refuse_texts(const OptionSpec& option, const Texts& given) {
  const auto is_blank = [](const std::string& text) {
    return text.find_first_not_of(" \t\n") == std::string::npos;
  };
  if (!option.value.empty() && std::ranges::any_of(given, is_blank))
    throw InputError(fmt::format("--{} has an empty value; give {}", option.name, option.value));
  if (option.times == OptionSpec::Times::once && given.size() > 1)
    throw InputError(
        fmt::format("--{} is given {} times; give it once", option.name, given.size()));
}

template <class Number>
std::optional<Number> whole(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || last != end || text.empty()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> bytes_of(std::string text) {
  const char unit = text.empty() ? ' ' : text.back();
  const int shift = unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0;
  if (shift > 0) text.pop_back();
  const auto value = whole<std::int64_t>(text);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() >> shift;
  if (!value || *value < 0 || *value > most) return std::nullopt;
  return *value << shift;
}

// A decimal number and one of the units; the first may be left out. Nothing unless it is above 0.
using Units = std::vector<std::pair<std::string_view, double>>;
std::optional<double> time_of(const std::string& text, const Units& units) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  const std::string_view unit(last, static_cast<std::size_t>(end - last));
  const auto known =
      unit.empty() ? units.begin() : std::ranges::find(units, unit, &Units::value_type::first);
  if (error != std::errc{} || known == units.end()) return std::nullopt;
  const double time = number * known->second;
  return std::isfinite(time) && time > 0 ? std::optional(time) : std::nullopt;
}

// Limits are kept in milliseconds.
std::optional<double> seconds_of(const std::string& text) {
  constexpr double kLeast = 1e-3, kMost = 1e13;
  const auto seconds = time_of(text, {{"s", 1}, {"m", 60}, {"h", 3600}});
  return seconds && *seconds >= kLeast && *seconds <= kMost ? seconds : std::nullopt;
}

std::optional<double> microseconds_of(const std::string& text) {
  return time_of(text, {{"us", 1}, {"ms", 1e3}, {"s", 1e6}});
}

std::optional<double> fraction_of(const std::string& text) {
  const auto value = whole<double>(text);
  return value && *value >= 0 && *value <= 1 ? value : std::nullopt;
}

// What `parse` makes of the text.
template <class Parse>
auto read_as(const std::string& name, const std::string& text, const std::string& accepted,
             const Parse& parse) {
  const auto value = parse(text);
  if (!value) throw InputError(fmt::format("--{} '{}': give {}", name, text, accepted));
  return *value;
}

}  // namespace

namespace option {

std::uint64_t number(const std::string& name, const std::string& text, const Range& range,
                     const std::string& else_accepted) {
  const std::string most = range.most == Range().most ? "2^64 - 1" : std::to_string(range.most);
  const std::string accepted = fmt::format("a whole number from {} to {}{}{}", range.least, most,
                                           else_accepted.empty() ? "" : ", or ", else_accepted);
  return read_as(name, text, accepted, [&range](const std::string& digits) {
    const auto value = whole<std::uint64_t>(digits);
    return value && *value >= range.least && *value <= range.most ? value : std::nullopt;
  });
}

double seconds(const std::string& name, const std::string& text) {
  return read_as(name, text, "a time such as 90s, 0.5s, 5m or 1h; 90 is in seconds", seconds_of);
}

std::chrono::milliseconds milliseconds(const std::string& name, const std::string& text) {
  return std::chrono::milliseconds(std::llround(seconds(name, text) * 1000));
}

double microseconds(const std::string& name, const std::string& text) {
  return read_as(name, text, "a time of one call: 250us, 1.5ms or 2s; 250 is in microseconds",
                 microseconds_of);
}

std::int64_t bytes(const std::string& name, const std::string& text) {
  return read_as(name, text, "a number of bytes such as 512, 64K, 512M or 8G", bytes_of);
}

double fraction(const std::string& name, const std::string& text) {
  return read_as(name, text, "a number from 0 to 1", fraction_of);
}

Texts alternatives(const std::string& value) {
  Texts texts;
  std::istringstream list(value);
  for (std::string text; std::getline(list, text, '|');)
    if (std::ranges::none_of(text, [](char c) { return c >= 'A' && c <= 'Z'; }))
      texts.push_back(text);
  return texts;
}

std::size_t choice(const std::string& name, const std::string& text, const Texts& accepted) {
  const auto found = std::ranges::find(accepted, text);
  if (found == accepted.end())
    throw InputError(
        fmt::format("--{} '{}' is not known{}", name, text, suggestion(text, accepted)));
  return static_cast<std::size_t>(found - accepted.begin());
}

}  // namespace option

void Options::add(OptionSpec spec, Read read) {
  if (noted_ != nullptr)
    read = [read = std::move(read), list = noted_, name = spec.name](const std::string& text) {
      read(text);
      list->emplace_back(name, text);
    };
  specs_.push_back(std::move(spec));
  reads_.push_back(std::move(read));
}

void Options::text(std::string& place, OptionSpec spec) {
  add(std::move(spec), [&place](const std::string& text) { place = text; });
}

void Options::name(std::string& place, Texts accepted, OptionSpec spec) {
  add(spec, [&place, accepted = std::move(accepted), name = spec.name](const std::string& text) {
    place = accepted[option::choice(name, text, accepted)];
  });
}

void Options::texts(Texts& place, OptionSpec spec) {
  spec.times = OptionSpec::Times::many;
  add(std::move(spec), [&place](const std::string& text) { place.push_back(text); });
}

std::optional<Texts> Options::parse(const Texts& line,
                                    const std::function<void(GivenTexts)>& look) const {
  po::options_description all = described(specs_);
  all.add_options()("words", po::value<Texts>(), "");
  GivenTexts values;
  for (const auto& option : parse_or_throw(line, all, specs_).options) {
    Texts& texts = values[option.string_key];
    if (option.value.empty()) texts.assign(1, "");  // a flag
    texts.insert(texts.end(), option.value.begin(), option.value.end());
  }
  try {
    for (const OptionSpec& option : specs_) refuse_texts(option, values[option.name]);
    if (values.contains(kHelpOption.name)) return std::nullopt;
    for (std::size_t i = 0; i < specs_.size(); ++i)
      for (const std::string& text : values[specs_[i].name]) reads_[i](text);
  } catch (const InputError&) {
    if (look) look(values);
    throw;
  }
  if (std::ranges::find(values["words"], "") != values["words"].end())
    throw InputError(
        "an argument is empty, ''; give a name, a file or NAME=VALUE, or leave it out");
  return values["words"];
}

std::string describe(const std::vector<OptionSpec>& options) {
  std::ostringstream text;
  text << described(options);
  return text.str();
}

}  // namespace tilewright::tools
