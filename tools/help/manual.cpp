#include <fmt/format.h>

#include <string_view>

#include "tilewright/version.hpp"
#include "tools/help/help.hpp"

namespace tilewright::tools {
namespace {

// Text of a line of roff. A dash is one that can be copied, and no line begins with a request.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool begins_line = result.empty() || result.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

void print_title(std::ostream& out, const std::string& name, const std::string& about) {
  out << fmt::format(".TH \"{}\" 1 \"\" \"tilewright {}\"\n.SH NAME\n{} \\- {}\n", roff(name),
                     kVersion, roff(name), roff(about));
}

void print_usage(std::ostream& out, const std::string& usage) {
  out << fmt::format(".SH SYNOPSIS\n.B tilewright\n{}\n", roff(usage));
}

// As it is, line by line.
void print_example(std::ostream& out, const std::string& example) {
  out << fmt::format(".SH EXAMPLES\n.nf\n{}.fi\n", roff(example));
}

void print_option(std::ostream& out, const OptionSpec& option) {
  out << ".TP\n";
  if (option.letter != 0) out << fmt::format("\\fB\\-{}\\fR, ", option.letter);
  out << fmt::format("\\fB\\-\\-{}\\fR", roff(option.name));
  if (!option.value.empty()) out << fmt::format(" \\fI{}\\fR", roff(option.value));
  out << fmt::format("\n{}\n", roff(option.about));
}

void print_exit_status(std::ostream& out) {
  out << fmt::format(".SH EXIT STATUS\n{}\n", roff(kExitStatus));
}

}  // namespace

void print_manual(std::ostream& out, const std::vector<Command>& commands) {
  print_title(out, "tilewright", kAboutProgram);
  print_usage(out, "SUBCOMMAND …");
  out << ".SH SUBCOMMANDS\n";
  for (const Command& command : commands)
    out << fmt::format(".TP\n\\fB{}\\fR\n{}\nSee \\fBtilewright\\-{}\\fR(1).\n", command.name,
                       roff(command.about), command.name);
  print_example(out, kProgramExample);
  print_exit_status(out);
}

void print_manual(std::ostream& out, const Command& command) {
  print_title(out, "tilewright-" + command.name, command.about);
  print_usage(out, command.name + " " + command.usage);
  out << ".SH OPTIONS\n";
  for (const OptionSpec& option : command.options) print_option(out, option);
  print_option(out, kHelpOption);
  print_example(out, command.example);
  print_exit_status(out);
  out << ".SH SEE ALSO\n\\fBtilewright\\fR(1)\n";
}

}  // namespace tilewright::tools
