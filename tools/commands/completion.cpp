#include <fmt/format.h>

#include <iostream>

#include "tilewright/error.hpp"
#include "tools/help/completion.hpp"
#include "tools/input/target.hpp"
#include "tools/print/terminal.hpp"

namespace tilewright::tools {
namespace {

// Bad definitions are no reason to say anything while somebody types.
Library known_library(const Arguments& arguments) try {
  return load_library(arguments);
} catch (const InputError&) {
  return {};
}

int run_completion(const Arguments& arguments) {
  std::vector<std::string> words = arguments.words();
  if (words.empty()) throw InputError("completion: name a shell: bash, zsh or fish");
  if (words.front() != "candidates") {
    if (words.size() > 1)
      throw InputError(fmt::format("'{}' after {} is one too many", words[1], words[0]));
    print_content(completion_script(words.front()));
    return kDone;
  }
  words.erase(words.begin());
  for (const Completion& one : completions(words, commands(), known_library(arguments)))
    std::cout << one.text << '\t' << one.about << '\n';
  return kDone;
}

}  // namespace

Command completion_command() {
  return {"completion",
          "Write what a shell needs to complete command lines of tilewright.",
          "bash|zsh|fish",
          "  eval \"$(tilewright completion bash)\"\n"
          "  tilewright completion fish | source\n",
          {kKernelsOption},
          run_completion};
}

}  // namespace tilewright::tools
