#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/policy.hpp"
#include "tools/print/detail.hpp"

namespace tilewright::tools {

// One option of a subcommand.
struct OptionSpec {
  std::string name;   // without the dashes
  std::string value;  // its value's name in the help; empty: it takes no value
  std::string about;
  enum class Times { once, many } times = Times::once;
  char letter = 0;  // of its short form; 0: it has none
};

// The command line, split into options and words. Every reader throws an InputError that names the
// option, the text and what is accepted.
class Arguments {
 public:
  // Throws InputError for an unknown option (naming the nearest known one), and for a missing, an
  // empty or a repeated value. Every subcommand knows `--help`.
  static Arguments parse(const std::vector<std::string>& arguments,
                         const std::vector<OptionSpec>& options);

  const std::vector<std::string>& words() const { return words_; }
  // The same options with other words.
  Arguments with_words(std::vector<std::string> words) const {
    Arguments other = *this;
    other.words_ = std::move(words);
    return other;
  }

  // With these values of an option, whatever was given.
  Arguments with(const std::string& name, std::vector<std::string> values) const {
    Arguments other = *this;
    other.values_[name] = std::move(values);
    return other;
  }

  bool has(const std::string& name) const { return values_.contains(name); }
  std::optional<std::string> text(const std::string& name) const;
  std::vector<std::string> texts(const std::string& name) const;

  // A whole number within these bounds, decimal digits only.
  struct Range {
    std::uint64_t least = 0;
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    std::string else_accepted = {};  // for the message: "all"
  };
  std::optional<std::uint64_t> number(const std::string& name, const Range& range) const;
  std::optional<std::uint64_t> number(const std::string& name) const;    // any
  std::optional<std::uint64_t> positive(const std::string& name) const;  // from 1
  // "0.5s", "5m", "1.5h", and "90" for seconds; at least a millisecond.
  std::optional<double> seconds(const std::string& name) const;
  std::optional<std::chrono::milliseconds> milliseconds(const std::string& name) const;
  // "250us", "1.5ms", "2s", and "250" for microseconds; more than 0.
  std::optional<double> microseconds(const std::string& name) const;
  // "512", "64K", "8G", in units of 1024; at least 0.
  std::optional<std::int64_t> bytes(const std::string& name) const;
  // From 0 to 1.
  std::optional<double> fraction(const std::string& name) const;
  // One of `accepted`: the first if the option was not given.
  std::string choice(const std::string& name, const std::vector<std::string>& accepted) const;

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> words_;
};

// --policy; nothing if it was not given.
std::optional<CachePolicy> cache_policy(const Arguments& arguments);

// Full if there is --verbose.
Detail detail_of(const Arguments& arguments);

// The part of a help text that lists the options.
std::string describe(const std::vector<OptionSpec>& options);

// Of every subcommand.
inline const OptionSpec kHelpOption = {"help", "", "Show this help.", OptionSpec::Times::once, 'h'};
// Options that several subcommands share.
inline const OptionSpec kDatabaseOption = {
    "db", "FILE", "Database file. Default: TILEWRIGHT_DB, else a file in your data folder."};
inline const OptionSpec kKernelsOption = {
    "kernels", "FOLDER",
    "Folder of kernel definitions; may be repeated. Default: TILEWRIGHT_KERNELS, else the built-in "
    "ones.",
    OptionSpec::Times::many};
inline const OptionSpec kShippedOption = {
    "shipped", "PLACE",
    "Shipped results: a file, a folder, or none; may be repeated. Default: those that came with "
    "tilewright.",
    OptionSpec::Times::many};
inline const OptionSpec kCacheOption = {
    "cache", "FOLDER",
    "Folder for compiled code. Default: TILEWRIGHT_CACHE, else a folder in your cache folder."};
inline const OptionSpec kJobsOption = {
    "jobs", "N", "Number of compile processes; by default one for each core."};
inline const OptionSpec kCompileLimitOption = {
    "compile-limit", "TIME",
    "Limit of the processor time of one compile, such as 90s or 1.5m; 60s by default. "
    "In all, it may take 10 times as long."};
inline const OptionSpec kCompileMemoryOption = {
    "compile-memory", "BYTES",
    "Memory limit of one compile process; 8G by default, 0 means no limit."};
inline const OptionSpec kJsonOption = {"json", "", "Print JSON."};
inline const OptionSpec kVerboseOption = {"verbose", "", "Print every detail.",
                                          OptionSpec::Times::once, 'v'};
inline const OptionSpec kOutputOption = {
    "output", "FILE", "Write here; standard output by default.", OptionSpec::Times::once, 'o'};
inline const OptionSpec kSeedOption = {"seed", "N", "Seed of every random choice; 1 by default."};
inline const OptionSpec kWhereOption = {
    "where", "EXPR",
    "Only configurations for which this is true: 'BLOCK_X >= 16'. Implementations that lack a name "
    "of the rule are left out."};
inline const OptionSpec kOccupancyFloorOption = {
    "occupancy-floor", "F", "Skip configurations with lower occupancy than this, 0 to 1."};
inline const OptionSpec kMaxSpillOption = {
    "max-spill", "BYTES", "Skip code that spills more bytes per thread than this."};
inline const OptionSpec kShapesOption = {
    "shapes", "FILE",
    "Many problems in one run. The file has one problem per line, DIM=VALUE… as on the command "
    "line; # begins a comment. What the command line says applies to all of them, and limits apply "
    "to each."};
inline const OptionSpec kNoWaitOption = {
    "no-wait", "", "Fail instead of waiting while another process measures on the device."};

}  // namespace tilewright::tools
