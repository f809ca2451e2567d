#include "tuner/host/compile/compiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "definition/text/errors.hpp"
#include "definition/text/hash.hpp"
#include "definition/text/scanner.hpp"
#include "tuner/backend/device_report.hpp"
#include "tuner/backend/notes.hpp"
#include "tuner/backend/standard_headers.hpp"
#include "tuner/backend/units.hpp"
#include "tuner/host/compile/adapt.hpp"
#include "tuner/host/compile/sanitizers.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/toolchain/compiler_run.hpp"
#include "tuner/toolchain/scratch_folder.hpp"

namespace tilewright::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "kernel.so";

bool is_understood(const std::string& option) {
  return option.starts_with("-std=") || option.starts_with("-U") ||
         option.starts_with("--include-path=");
}

std::vector<std::string> base_flags(bool is_clang) {
  // No system headers but those of C++ that a kernel asks for: they would contradict the shim.
  std::vector<std::string> flags = {"-std=c++17",
                                    "-O2",
                                    "-fPIC",
                                    "-shared",
                                    "-w",
                                    "-nostdinc",
                                    "-nostdinc++",
                                    "-fvisibility=hidden",
                                    "-fno-strict-aliasing"};
  // Without this flag the copies that threads load would share inline variables, and would never be
  // unloaded.
  if (!is_clang) flags.emplace_back("-fno-gnu-unique");
  // What the address sanitizer finds at an access needs no second check: null pointers, objects
  // that are too small, pointers that wrap. Code for the ends of scopes would take a third of a
  // compile.
  if (kSanitized)
    for (const char* flag : {"-Og", "-g1", "-fsanitize=address,undefined",
                             "-fno-sanitize=null,object-size,pointer-overflow,vptr",
                             "-fno-sanitize-address-use-after-scope", "-fno-sanitize-recover=all",
                             "-fno-omit-frame-pointer"})
      flags.emplace_back(flag);
  return flags;
}

// The names behind `words` in a line with an error, up to a character of no name or path.
std::string name_behind(std::string_view log, std::string_view words) {
  const std::size_t at = log.find(words);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = log.substr(at + words.size());
  const auto end = std::ranges::find_if(
      rest, [](char c) { return !is_of_name(c) && c != '/' && c != '.' && c != '-'; });
  return std::string(rest.begin(), end);
}

// A name of CUDA that a line says is not declared: "error: '__clock' was not declared …".
std::string undeclared_intrinsic(std::string_view line) {
  if (line.find("was not declared") == std::string_view::npos &&
      line.find("undeclared identifier") == std::string_view::npos)
    return "";
  line.remove_prefix(std::min(line.find("error: "), line.size()));
  for (const std::string_view quote : {"\xe2\x80\x98", "'"})
    if (const std::string name = name_behind(line, quote); !name.empty())
      return name.starts_with("__") ? name : "";
  return "";
}

// The name of what the host device does not have, if that is why the compile failed; else empty.
std::string missing_here(const std::string& log) {
  if (const std::string name = name_behind(log, "tilewright_host_has_no_"); !name.empty())
    return name;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    for (const std::string_view words : {"No such file", "file not found", "no include path in"})
      if (line.find(words) != std::string::npos)
        for (const std::string_view before :
             {"which to search for ", "fatal error: '", "fatal error: "})
          if (const std::string name = name_behind(line, before); !name.empty())
            return "header " + name;
    if (const std::string name = undeclared_intrinsic(line); !name.empty()) return name;
  }
  for (const std::string_view words :
       {"Assembler messages", "impossible constraint in 'asm'", "impossible constraint in ‘asm’"})
    if (log.find(words) != std::string::npos) return "PTX";
  return "";
}

// As GCC and Clang say it.
constexpr std::array<std::string_view, 3> kOverloaded = {
    "unresolved overloaded function", "matches converting function", "no overload of"};

// "name(parameters)" if this is the head of a kernel of this name, else empty.
std::string declaration_in(std::string_view head, std::string_view name) {
  for (std::size_t at = head.find(name); at != std::string_view::npos;
       at = head.find(name, at + 1)) {
    const std::string_view rest = head.substr(at + name.size());
    const std::size_t open = rest.find_first_not_of(" \t\r\n");
    const bool is_whole_name = at > 0 && !is_of_name(head[at - 1]);
    if (is_whole_name && open != std::string_view::npos && rest[open] == '(')
      return single_spaced(std::string(head.substr(at, head.find_last_of(')') + 1 - at)));
  }
  return "";
}

void add_declarations(std::set<std::string>& found, std::string_view text, std::string_view name) {
  constexpr std::string_view kKernel = "__global__";
  constexpr std::size_t kLongestHead = 4096;  // else a hostile source would take minutes
  for (std::size_t begin = text.find(kKernel); begin != std::string_view::npos;
       begin = text.find(kKernel, begin + 1)) {
    const std::string_view head = text.substr(begin, kLongestHead);
    const std::string declared = declaration_in(head.substr(0, head.find_first_of(";{")), name);
    if (!declared.empty()) found.insert(declared);
  }
}

// A note for each entry that several kernels have as their name, if the compiler's log says that an
// overload could not be chosen. It lists them as the source declares them.
std::string overload_notes(const std::string& log, const CompileRequest& request) {
  std::string notes;
  if (std::ranges::none_of(kOverloaded, [&](std::string_view words) {
        return log.find(words) != std::string::npos;
      }))
    return notes;
  for (const std::string& entry : request.entries) {
    if (entry.empty() || !std::ranges::all_of(entry, is_of_name)) continue;
    std::set<std::string> found;
    add_declarations(found, request.source, entry);
    for (const auto& [name, text] : request.headers) add_declarations(found, text, entry);
    if (found.size() > 1) notes += ambiguous_note(entry, {found.begin(), found.end()});
  }
  return notes;
}

CompileResult failed(const CompilerRun& run, const fs::path& program,
                     const CompileRequest& request) {
  const std::string& output = run.command.output;
  CompileResult result;
  result.log = overload_notes(output, request) + output;
  if (const std::string why = missing_constant_note(output, request.constants); !why.empty())
    result.log.insert(0, "error: " + why);
  if (run.stopped == Stopped::by_machine)
    throw broken_machine("the C++ compiler {} was stopped twice, not by the kernel: {}",
                         program.string(), run.stopping_line);
  if (run.stopped == Stopped::by_itself || run.stopped == Stopped::silently)
    result.log = fmt::format("the compiler crashed twice: {}\n{}", run.stopping_line, output);
  result.outcome = outcome_of(run.stopped);
  const std::string missing = run.stopped == Stopped::no ? missing_here(output) : "";
  if (!missing.empty()) {
    result.outcome = Outcome::unsupported;
    result.log = fmt::format("the host device has no {}\n{}", missing, output);
  }
  return result;
}

// Compilers say their version at once, but the first one may come from a slow file system.
constexpr std::chrono::seconds kVersionLimit{60};

}  // namespace

HostCompiler::HostCompiler(fs::path program, fs::path scratch)
    : program_(std::move(program)), scratch_(std::move(scratch)) {
  if (program_.empty())
    throw MachineError(
        "there is no C++ compiler for the host device: install g++ or clang++ and have it on PATH");
  const ScratchFolder folder(scratch_);
  const CommandResult asked = run_command(program_, {"--version"}, folder.path(), kVersionLimit);
  if (asked.status != 0)
    throw broken_machine("the C++ compiler {} does not work: exit status {}", program_.string(),
                         asked.status);
  const std::string words = asked.output.substr(0, asked.output.find('\n'));
  flags_ = base_flags(words.find("clang") != std::string::npos);
  version_ = fmt::format("{} {}", words, fmt::join(flags_, " "));
}

std::vector<std::string> understood_options(const std::vector<std::string>& options) {
  std::vector<std::string> words;
  for (const std::string& option : options)
    if (is_understood(option))
      words.push_back(option.starts_with("--") ? "-I" + option.substr(option.find('=') + 1)
                                               : option);
  return words;
}

std::vector<std::string> HostCompiler::flags_for(const CompileRequest& request) const {
  std::vector<std::string> words = flags_;
  if (!standard_headers(request).cpp.empty())
    std::erase_if(words, [](const std::string& flag) { return flag.starts_with("-nostdinc"); });
  for (std::string& option : understood_options(request.options))
    words.push_back(std::move(option));
  return words;
}

CompileResult HostCompiler::compile(const CompileRequest& request) {
  return compile_units(request, [this](const CompileRequest& unit) { return compile_unit(unit); });
}

CompileResult HostCompiler::compile_unit(const CompileRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  const ScratchFolder folder(scratch_);
  for (const auto& [name, text] : adapt_sources(request)) write_source(folder.path() / name, text);
  std::vector<std::string> words = flags_for(request);
  // The code must not depend on where or when it was compiled.
  words.insert(words.end(), {fmt::format("-ffile-prefix-map={}=.", folder.path().string()),
                             "-Wl,--build-id=none", "-o", kLibrary, kMainFile, "-lm"});
  const CompilerRun run = run_compiler(program_, words, folder.path(), kLibrary);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  CompileResult result;
  if (!run.has_made_file) {
    result = failed(run, program_, request);
    if (run.stopped != Stopped::no) return result;  // no compiler has answered
  } else {
    result.code = read_code(folder.path() / kLibrary);
    result.code_hash = hex_hash(result.code);
    for (std::size_t i = 0; i < request.entries.size(); ++i)
      result.entries[request.entries[i]] = {entry_symbol(i), Resources{}};
    for (std::size_t i = 0; i < request.constants.size(); ++i)
      result.entries[constant_key(request.constants[i], "")] = {constant_symbol(i), Resources{}};
  }
  result.milliseconds = took.count();
  return result;
}

}  // namespace tilewright::host
