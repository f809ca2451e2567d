#include <fmt/format.h>

#include <csignal>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "db/tables/sqlite.hpp"
#include "definition/text/escape.hpp"
#include "tilewright/error.hpp"
#include "tilewright/version.hpp"
#include "tools/help/help.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/target.hpp"
#include "tools/input/worker_options.hpp"
#include "tools/print/terminal.hpp"

namespace tilewright::tools {
namespace {

// What a part reports about itself, or why it is missing.
template <class Ask>
std::string or_reason(const char* part, Ask ask) {
  try {
    return ask();
  } catch (const MachineError& error) {
    return fmt::format("{} none ({})", part, error.what());
  }
}

std::string driver_version() {
  const DeviceList list = gpus_present();
  if (list.devices.empty()) throw MachineError(list.why);
  return "driver " + list.devices.front().environment.driver;
}

void print_version(std::ostream& out) {
  out << "tilewright " << kVersion << '\n';
  out << "SQLite " << sqlite_version() << '\n';
  for (const auto& [name, kind] :
       {std::pair("NVRTC", DeviceKind::cuda), {"host compiler", DeviceKind::host}})
    out << or_reason(name, [kind = kind] { return compiler_version(kind, toolchain()); }) << '\n';
  for (const RoutineLibrary& one : libraries_present(toolchain())) out << one.text() << '\n';
  out << or_reason("driver", driver_version) << '\n';
}

void refuse_more_than(std::size_t count, const std::vector<std::string>& words) {
  if (words.size() > count)
    throw bad_input("'{}' after {} is one too many", words[count], words[count - 1]);
}

bool is_help(const std::string& word) {
  return word == "--help" || word == "-h" || word == "help";
}

// The commands of two words that begin with this one.
std::vector<Command> commands_below(const std::string& word) {
  std::vector<Command> all = commands();
  std::erase_if(
      all, [&word](const Command& command) { return !command.text.name.starts_with(word + ' '); });
  return all;
}

int run_command(std::vector<std::string> words) {
  const std::vector<Command> below = commands_below(words.front());
  if (!below.empty() && (words.size() == 1 || is_help(words[1]))) {
    print_help(std::cout, words.front(), below);
    return kDone;
  }
  const Command command = take_command(words);
  if (const auto run = command.read(words)) return run();
  print_help(std::cout, command);
  return kDone;
}

// `help`, `help COMMAND` and the same with --help.
int run_help(std::vector<std::string> words) {
  words.erase(words.begin());
  if (words.empty()) {
    print_help(std::cout, commands());
    return kDone;
  }
  refuse_more_than(commands_below(words.front()).empty() ? 1 : 2, words);
  words.emplace_back("--help");
  return run_command(std::move(words));
}

// Where a command line that is not finished says that things are.
Places places_in(const std::vector<std::string>& words) {
  Places places;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "--db") places.database = words[i + 1];
    if (words[i] == "--kernels") places.kernels.push_back(words[i + 1]);
  }
  return places;
}

// What `read` returns. Bad files are no reason to say anything while somebody types.
template <class Read>
auto if_readable(const Read& read) -> decltype(read()) {
  try {
    return read();
  } catch (const InputError&) {
  } catch (const MachineError&) {
  }
  return {};
}

// For the scripts that complete command lines.
int print_candidates(std::vector<std::string> words) {
  words.erase(words.begin());
  const Places places = places_in(words);
  const auto store = if_readable([&] { return open_for_reading(places); });
  Library library =
      if_readable([&] { return load_library(places, stored_operations(store.get())); });
  if (library.families().empty()) library = if_readable([&] { return load_library(places); });
  for (const Completion& one : candidates(words, commands(), library, store.get()))
    std::cout << visible_line(one.text) << '\t' << visible_line(one.about) << '\n';
  return kDone;
}

int run(const std::vector<std::string>& words) {
  const std::string first = words.empty() ? "--help" : words.front();
  if (words.empty() || is_help(first)) return run_help(words.empty() ? std::vector{first} : words);
  if (first == "--candidates") return print_candidates(words);
  if (first != "--version" && first != "--table") return run_command(words);
  refuse_more_than(1, words);
  if (first == "--version")
    print_version(std::cout);
  else
    print_table(std::cout, commands());
  return kDone;
}

// One sentence about what no part of tilewright has explained.
std::string sentence_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return "there is not enough memory for this";
  if (const auto* of_file = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
    return fmt::format("'{}': {}", of_file->path1().string(), of_file->code().message());
  return fmt::format("an error that tilewright should have explained, please report it: {}",
                     error.what());
}

int run_and_report(const std::vector<std::string>& words) {
  const Characters characters = locale_characters();
  const VisibleStream out(std::cout, characters);
  const VisibleStream err(std::cerr, characters);
  const auto complain = [](const std::string& sentence, int status) {
    std::cerr << "tilewright: " << sentence << std::endl;
    return status;
  };
  try {
    const int status = run(words);
    std::cout.flush();
    if (!std::cout) throw MachineError("standard output cannot be written");
    return status;
  } catch (const NothingFound& error) {
    return complain(error.what(), kNothing);
  } catch (const InputError& error) {
    return complain(error.what(), kBadInput);
  } catch (const MachineError& error) {
    return complain(error.what(), kMachine);
  } catch (const LaunchError& error) {
    return complain(error.what(), kMachine);
  } catch (const std::exception& error) {
    return complain(sentence_of(error), kMachine);
  }
}

}  // namespace
}  // namespace tilewright::tools

int main(int argc, char** argv) {
  // Without the signal, a write beyond the limit on file sizes fails with a message of its own.
  std::signal(SIGXFSZ, SIG_IGN);
  return tilewright::tools::run_and_report({argv + 1, argv + argc});
}
