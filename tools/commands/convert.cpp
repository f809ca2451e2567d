#include <fmt/format.h>

#include <filesystem>
#include <iostream>

#include "definition/manifest/manifest.hpp"
#include "definition/text/escape.hpp"
#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tools/convert/t1_manifest.hpp"
#include "tools/convert/t1_problem.hpp"
#include "tools/input/command.hpp"
#include "tools/input/output.hpp"

namespace tilewright::tools {
namespace {

namespace fs = std::filesystem;

// A manifest that could not be read would be no help. What is wrong with it comes from the problem.
std::string checked_manifest(const T1Problem& problem, const fs::path& manifest) {
  std::string text = manifest_text(problem, manifest.parent_path());
  try {
    read_manifest({manifest, text});
  } catch (const InputError& error) {
    throw InputError(fmt::format("the manifest would not be accepted: {}", error.what()));
  }
  return text;
}

int run_convert(const Arguments& arguments) {
  if (arguments.words().size() != 1)
    throw InputError("name one file: a tuning problem of the format T1, such as problem.json");
  const fs::path file = arguments.words().front();
  const auto output = arguments.text("output");
  check_output(arguments, {file});
  std::error_code ignored;
  const bool is_file =
      output && (!fs::exists(*output, ignored) || fs::is_regular_file(*output, ignored));
  if (is_file && fs::path(*output).extension() != ".toml")
    throw InputError(fmt::format("--output '{}': the name of a manifest ends with .toml", *output));
  const fs::path manifest = output ? fs::path(*output) : fs::path("problem.toml");
  const std::string text = read_text_file(file, kProblemsFile);
  try {
    const T1Problem problem = read_t1(text, file.parent_path());
    const std::string converted = checked_manifest(problem, manifest);
    if (output)
      write_file(manifest, converted);
    else
      std::cout << converted;
    for (const std::string& note : problem.notes) std::cerr << fmt::format("note: {}\n", note);
    if (output) std::cerr << fmt::format("next: tilewright plan {}\n", shell_word(*output));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file.string(), error.what()));
  }
  return kDone;
}

}  // namespace

Command convert_command() {
  return {"convert",
          "Write a manifest for a tuning problem of Kernel Tuner, KTT or BAT (T1).",
          "FILE [-o MANIFEST]",
          "  tilewright convert convolution.json -o convolution.toml\n",
          {{"output", "MANIFEST",
            "Write here; standard output by default. Paths in the manifest are relative to its "
            "folder.",
            OptionSpec::Times::once, 'o'}},
          run_convert};
}

}  // namespace tilewright::tools
