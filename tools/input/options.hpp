#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "definition/text/errors.hpp"

namespace tilewright::tools {

struct OptionSpec {
  std::string name;   // without the dashes
  std::string value;  // its value's name in the help; empty: it takes no value
  std::string about;
  enum class Times { once, many } times = Times::once;
  char letter = 0;  // of its short form; 0: it has none
};

// Whole numbers within these bounds, decimal digits only.
struct Range {
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
};

// An option as it was written.
using GivenOption = std::pair<std::string, std::string>;  // name, value

// The values of each option, as written; those of "words" are the other words.
using GivenTexts = std::map<std::string, std::vector<std::string>>;

// What the texts of options mean. Each throws an InputError that names the option, the text and
// what is accepted.
namespace option {
std::uint64_t number(const std::string& name, const std::string& text, const Range& range,
                     const std::string& else_accepted = "");
// "0.5s", "5m", "1.5h", and "90" for seconds; at least a millisecond.
double seconds(const std::string& name, const std::string& text);
std::chrono::milliseconds milliseconds(const std::string& name, const std::string& text);
// "250us", "1.5ms", "2s", and "250" for microseconds; more than 0.
double microseconds(const std::string& name, const std::string& text);
// "512", "64K", "8G", in units of 1024; at least 0.
std::int64_t bytes(const std::string& name, const std::string& text);
// From 0 to 1.
double fraction(const std::string& name, const std::string& text);
// The names that a value such as "robust|cold|warm" has; none of "FILE" or "N|all".
std::vector<std::string> alternatives(const std::string& value);
// The place of the text among `accepted`.
std::size_t choice(const std::string& name, const std::string& text,
                   const std::vector<std::string>& accepted);
}  // namespace option

// What `read` returns. Its InputError begins with an option's name, to which this adds the dashes.
template <class Read>
auto with_dashes(const Read& read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError(std::string("--") + error.what());
  }
}

// What a place holds: T of std::optional<T>.
template <class T>
T held_by(const T& place);
template <class T>
T held_by(const std::optional<T>& place);
template <class Place>
using ValueOf = decltype(held_by(std::declval<const Place&>()));

// The words of a command line beside its options.
struct GivenWords {
  std::vector<std::string> words;
};

// The options of a command: each is declared together with the place that its value goes to. The
// place keeps what it has if the option is not given, and must outlive parse().
class Options {
 public:
  using Read = std::function<void(const std::string& text)>;
  // `read` is called with each value that is given.
  void add(OptionSpec spec, Read read);

  void flag(bool& place, const OptionSpec& spec) { flag(place, true, spec); }
  template <class Place>
  void flag(Place& place, Place value, const OptionSpec& spec) {
    add(spec, [&place, value](const std::string&) { place = value; });
  }
  // A text that is given is not empty.
  void text(std::string& place, OptionSpec spec);
  // One of these names.
  void name(std::string& place, std::vector<std::string> accepted, OptionSpec spec);
  // The option may be repeated.
  void texts(std::vector<std::string>& place, OptionSpec spec);
  template <class Place>
  void number(Place& place, Range range, const OptionSpec& spec) {
    add(spec, [&place, range, name = spec.name](const std::string& text) {
      place = static_cast<ValueOf<Place>>(option::number(name, text, range));
    });
  }
  template <class Place>
  void number(Place& place, const OptionSpec& spec) {
    number(place, Range(), spec);
  }
  // A number, or the word "all", which means `all`.
  template <class Place>
  void number_or_all(Place& place, std::uint64_t all, Range range, const OptionSpec& spec) {
    add(spec, [&place, all, range, name = spec.name](const std::string& text) {
      place = text == "all" ? all : option::number(name, text, range, "all");
    });
  }
  // A value that `read` makes, one of those above: bytes(), seconds(), …
  template <class Place, class Value>
  void value(Place& place, Value (*read)(const std::string& name, const std::string& text),
             const OptionSpec& spec) {
    add(spec,
        [&place, read, name = spec.name](const std::string& text) { place = read(name, text); });
  }
  // One of the names that the spec's value has, as in "cold|warm". `values` are what they mean.
  template <class Place>
  void choice(Place& place, std::vector<ValueOf<Place>> values, const OptionSpec& spec) {
    add(spec, [&place, spec, values](const std::string& text) {
      place = values.at(option::choice(spec.name, text, option::alternatives(spec.value)));
    });
  }

  // From here on, what is given is also added to the list as it was written, in the order of the
  // options.
  void note_in(std::vector<GivenOption>& list) { noted_ = &list; }
  void stop_noting() { noted_ = nullptr; }

  const std::vector<OptionSpec>& specs() const { return specs_; }

  // Reads the options into their places, and returns the other words. Nothing if there is `--help`,
  // which every command knows; then no place has changed. Throws InputError for an unknown option
  // (naming the nearest known one), and for a missing, an empty, a repeated or a bad value. If a
  // value is bad, `look` is called first: what it throws is reported instead.
  std::optional<std::vector<std::string>> parse(
      const std::vector<std::string>& line, const std::function<void(GivenTexts)>& look = {}) const;

 private:
  std::vector<OptionSpec> specs_;
  std::vector<Read> reads_;  // of each
  std::vector<GivenOption>* noted_ = nullptr;
};

// The part of a help text that lists the options.
std::string describe(const std::vector<OptionSpec>& options);

// Of every command.
inline const OptionSpec kHelpOption = {"help", "", "Show this help.", OptionSpec::Times::once, 'h'};
// Options that several commands share. Groups of them are declared by paths.hpp, worker_options.hpp
// and sweep_options.hpp.
inline const OptionSpec kJsonOption = {"json", "", "Print JSON."};
inline const OptionSpec kVerboseOption = {"verbose", "", "Print every detail.",
                                          OptionSpec::Times::once, 'v'};
inline const OptionSpec kOutputOption = {
    "output", "FILE", "Write here; standard output by default.", OptionSpec::Times::once, 'o'};
inline const OptionSpec kSeedOption = {"seed", "N", "Seed of every random choice; 1 by default."};
inline const OptionSpec kStoredDeviceOption = {
    "device", "DEVICE",
    "cuda:N, host, or a part of a stored device's name; by default the GPU present, else host or "
    "the only stored one."};

}  // namespace tilewright::tools
