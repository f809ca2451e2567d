#include "tools/help/help.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "campaign/target.hpp"
#include "db/records/device_name.hpp"
#include "definition/json/json.hpp"
#include "tilewright/version.hpp"
#include "tools/print/text.hpp"
#include "tuner/machine/machine.hpp"

namespace tilewright::tools {
namespace {

constexpr const char* kAbout = "finds, keeps and serves the fastest configuration of a CUDA kernel";
constexpr const char* kExample =
    "  tilewright sweep gemm M=1024 N=1024 K=1024    measure, and keep every result\n"
    "  tilewright best gemm M=1024 N=1024 K=1024     the tile for this shape\n"
    "  tilewright sweep gemm --wanted                tune what applications missed\n"
    "  tilewright merge one.db two.db --into all.db  two machines' results together\n";
constexpr const char* kExitStatus =
    "0 done; 1 nothing found, legal or measured, or a check that does not hold;\n"
    "2 bad input; 3 the machine cannot do it; 130 interrupted.";

// By Purpose.
constexpr std::array kPurposes = {
    "tune: measure configurations of a kernel", "ask: what is known and why",
    "ship: what applications and other machines use", "many machines: share the work, join results",
    "keep: results over time"};

// Those of one purpose, a line each.
void print_list(std::ostream& out, const std::vector<Command>& commands, Purpose purpose) {
  std::size_t width = 0;
  for (const Command& command : commands) width = std::max(width, command.text.name.size());
  for (const Command& command : commands)
    if (command.text.purpose == purpose)
      out << fmt::format("  {:<{}}  {}\n", command.text.name, width, command.text.about);
}

}  // namespace

void print_help(std::ostream& out, const std::vector<Command>& commands) {
  out << fmt::format("tilewright {}.\n\nusage: tilewright COMMAND …\n", kAbout);
  for (std::size_t i = 0; i < kPurposes.size(); ++i) {
    out << fmt::format("\n{}\n", kPurposes.at(i));
    print_list(out, commands, static_cast<Purpose>(i));
  }
  out << fmt::format(
      "\n`tilewright COMMAND --help` has the options and examples of each; `tilewright --version`\n"
      "names what it uses. Results are kept in one database, which --db names. `python3 -m\n"
      "tilewright.convert` translates kernels of Kernel Tuner, KTT and BAT. Manual pages and\n"
      "completion for bash, zsh and fish are installed as files below share.\n"
      "\nexample:\n{}\nexit status: {}\n",
      kExample, kExitStatus);
}

void print_help(std::ostream& out, const std::string& first_word,
                const std::vector<Command>& commands) {
  out << fmt::format("usage: tilewright {} COMMAND …\n\n", first_word);
  print_list(out, commands, commands.front().text.purpose);
  out << fmt::format("\n`tilewright {} COMMAND --help` says more.\n", first_word);
}

void print_help(std::ostream& out, const Command& command) {
  const CommandText& text = command.text;
  out << fmt::format("{}\n\nusage: tilewright {} {}\n\n{}\nexample:\n{}", text.about, text.name,
                     text.usage, describe(command.options), text.example);
}

void print_table(std::ostream& out, const std::vector<Command>& commands) {
  const auto json_of_option = [](const OptionSpec& option) -> nlohmann::json {
    return {{"name", option.name},
            {"value", option.value},
            {"about", option.about},
            {"letter", option.letter == 0 ? "" : std::string(1, option.letter)}};
  };
  const auto json_of_command = [&](const Command& command) -> nlohmann::json {
    std::vector<OptionSpec> options = command.options;
    options.push_back(kHelpOption);
    return {{"name", command.text.name},
            {"purpose", kPurposes.at(static_cast<std::size_t>(command.text.purpose))},
            {"about", command.text.about},
            {"usage", command.text.usage},
            {"example", command.text.example},
            {"options", json_list(options, json_of_option)}};
  };
  print_json(out, {{"version", kVersion},
                   {"about", kAbout},
                   {"example", kExample},
                   {"exit_status", kExitStatus},
                   {"commands", json_list(commands, json_of_command)}});
}

namespace {

using Completions = std::vector<Completion>;

// The option that a word names and whose value is the next word; null if there is none.
const OptionSpec* option_with_value(const std::string& word, const Command& command) {
  const auto found = std::ranges::find_if(command.options, [&word](const OptionSpec& option) {
    return !option.value.empty() &&
           (word == "--" + option.name ||
            (option.letter != 0 && word == std::string("-") + option.letter));
  });
  return found == command.options.end() ? nullptr : &*found;
}

// After words of a command's name: its further words.
Completions names_of(const std::vector<Command>& commands, const std::string& before) {
  Completions all;
  for (const Command& command : commands) {
    const std::string& name = command.text.name;
    if (!name.starts_with(before)) continue;
    const std::string word = name.substr(before.size(), name.find(' ', before.size()));
    if (all.empty() || all.back().text != word) all.push_back({word, command.text.about});
  }
  return all;
}

Completions first_words(const std::vector<Command>& commands) {
  Completions all = names_of(commands, "");
  all.push_back({"help", kHelpOption.about});
  all.push_back({"--help", kHelpOption.about});
  all.push_back({"--version", ""});
  return all;
}

Completions options_of(const Command& command) {
  Completions all;
  for (const OptionSpec& option : command.options)
    all.push_back({"--" + option.name, option.about});
  all.push_back({"--" + kHelpOption.name, kHelpOption.about});
  return all;
}

Completions operations_of(const Library& library) {
  Completions all;
  for (const auto& [name, family] : library.families()) {
    all.push_back({name, family.operation.about});
    for (const Implementation& implementation : family.implementations)
      all.push_back({implementation.full_name(), implementation.about});
  }
  return all;
}

// The dimensions and choices of an operation. Those that were given before are left out.
Completions assignments_of(const std::vector<std::string>& words, const Operation& operation) {
  const auto is_given = [&words](const std::string& name) {
    return std::any_of(words.begin(), words.end() - 1,
                       [&name](const std::string& word) { return word.starts_with(name + "="); });
  };
  Completions all;
  for (const Dimension& dimension : operation.dimensions)
    if (!is_given(dimension.name)) all.push_back({dimension.name + "=", dimension.about});
  for (const Choice& choice : operation.choices) {
    if (is_given(choice.name)) continue;
    for (const std::string& label : choice.labels)
      all.push_back({choice.name + "=" + label, choice.about});
  }
  return all;
}

// The operation that a word names. Nothing if it names none, or a manifest that cannot be read.
std::optional<Operation> operation_named(const std::string& word, const Library& library) {
  const auto family = library.families().find(word.substr(0, word.find('/')));
  if (family != library.families().end()) return family->second.operation;
  try {
    if (file_in(word)) return find_family(word, library).operation;
  } catch (const InputError&) {
  }
  return std::nullopt;
}

// Of a word that is neither an option nor its value.
Completions words_for(const std::vector<std::string>& words, const Command& command,
                      const Library& library) {
  if (command.text.usage.find("OPERATION") == std::string::npos) return {};
  for (std::size_t i = 1; i + 1 < words.size(); ++i)
    if (const auto operation = operation_named(words[i], library))
      return assignments_of(words, *operation);
  return operations_of(library);
}

constexpr std::size_t kMostSweeps = 1000;  // among which somebody may choose

// Of the value of an option, of which `begin` is given.
Completions values_for(const OptionSpec& option, const std::string& begin, const Store* store) {
  Completions all;
  if (option.value.starts_with("DEVICE"))
    for (const DeviceReport& report : devices_present())
      all.push_back({report.id, full_name(report.device)});
  if (option.value == "ID" && store != nullptr)
    for (const SweepRecord& sweep : store->newest_sweeps({Query{.uuid = begin}}, kMostSweeps))
      all.push_back({sweep.uuid.substr(0, 8),
                     fmt::format("{}, {}", sweep.key.operation, date_text(sweep.started))});
  for (const std::string& text : option::alternatives(option.value)) all.push_back({text, ""});
  return all;
}

Completions all_candidates(std::vector<std::string> words, const std::vector<Command>& commands,
                           const Library& library, const Store* store) {
  if (words.size() > 1 && words.front() == "help") words.erase(words.begin());
  if (words.size() < 2) return first_words(commands);
  if (words.size() == 2)
    if (Completions second = names_of(commands, words.front() + ' '); !second.empty())
      return second;
  const auto command = std::ranges::find_if(commands, [&words](const Command& one) {
    return one.text.name == words[0] || one.text.name == words[0] + ' ' + words[1];
  });
  if (command == commands.end()) return {};
  if (const OptionSpec* given = option_with_value(words[words.size() - 2], *command))
    return values_for(*given, words.back(), store);
  return words.back().starts_with('-') ? options_of(*command) : words_for(words, *command, library);
}

}  // namespace

std::vector<Completion> candidates(const std::vector<std::string>& words,
                                   const std::vector<Command>& commands, const Library& library,
                                   const Store* store) {
  const std::string begin = words.empty() ? "" : words.back();
  Completions all = all_candidates(words, commands, library, store);
  std::erase_if(all, [&begin](const Completion& one) { return !one.text.starts_with(begin); });
  return all;
}

}  // namespace tilewright::tools
