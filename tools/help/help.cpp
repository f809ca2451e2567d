#include "tools/help/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "definition/json/json.hpp"
#include "tilewright/version.hpp"
#include "tools/print/text.hpp"

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

}  // namespace tilewright::tools
