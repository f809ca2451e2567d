#include "tools/input/command.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>

#include "definition/text/suggest.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/paths.hpp"
#include "tools/input/target.hpp"

namespace tilewright::tools {
namespace {

// Commands and options of version 0.2, for one version.
struct OldWord {
  std::string_view command;
  std::string_view option;  // empty: the command itself
  std::string_view now;     // {}: the folder of the texts that come with the program
};
constexpr OldWord kOldWords[] = {
    {"plan", "--job", "`tilewright job create FOLDER` plans a job"},
    {"sweep", "--job", "`tilewright job run FOLDER` takes part in a job"},
    {"convert", "", "`python -m tilewright.convert` translates definitions of other tuners"},
    {"manual", "", "the manual pages are files in {}/man/man1, which `man` reads"},
    {"completion", "",
     "the scripts are files below {}: bash-completion/completions/tilewright, "
     "zsh/site-functions/_tilewright and fish/vendor_completions.d/tilewright.fish"},
};

void refuse_old(const std::vector<std::string>& words) {
  for (const OldWord& old : kOldWords) {
    const auto is_old = [&old](const std::string& word) {
      return word.substr(0, word.find('=')) == old.option;
    };
    if (words.front() != old.command ||
        (!old.option.empty() && std::none_of(words.begin() + 1, words.end(), is_old)))
      continue;
    throw InputError(fmt::format("'{}{}{}' is gone: {}", old.command, old.option.empty() ? "" : " ",
                                 old.option,
                                 fmt::format(fmt::runtime(old.now), texts_folder().string())));
  }
}

}  // namespace

int tell_nothing(const std::string& why) {
  std::cerr << why << '\n';
  return kNothing;
}

void refuse_unknown_name(const std::string& usage, GivenTexts given) {
  const std::size_t place = usage.starts_with("FOLDER OPERATION") ? 1 : 0;
  if (place == 0 && !usage.starts_with("OPERATION") && !usage.starts_with("[OPERATION")) return;
  const std::vector<std::string>& words = given["words"];
  if (words.size() <= place) return;
  Places places;
  places.kernels = given["kernels"];
  std::erase(places.kernels, "");
  for (const std::string& file : given["db"]) places.database = file;
  const std::string& name = words[place];
  require_name(name, load_library(places, {name}),
               stored_operations(open_for_reading(places).get()));
}

Command take_command(std::vector<std::string>& words) {
  refuse_old(words);
  std::vector<std::string> names;
  std::string name = words.front();
  for (Command& command : commands()) {
    std::istringstream text(command.text.name);
    const std::vector<std::string> parts{std::istream_iterator<std::string>(text), {}};
    const auto last =
        words.begin() + static_cast<std::ptrdiff_t>(std::min(parts.size(), words.size()));
    if (std::equal(words.begin(), last, parts.begin(), parts.end())) {
      words.erase(words.begin(), last);
      return std::move(command);
    }
    if (parts.size() == 2 && parts.front() == words.front() && words.size() > 1)
      name = words[0] + ' ' + words[1];
    names.push_back(command.text.name);
  }
  const bool is_option = name.starts_with('-');
  if (is_option) names = {"--help", "--version"};
  throw InputError(fmt::format("unknown {} '{}'{}", is_option ? "option" : "command", name,
                               suggestion(name, names)));
}

}  // namespace tilewright::tools
