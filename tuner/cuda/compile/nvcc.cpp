#include "tuner/cuda/compile/nvcc.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "definition/text/escape.hpp"
#include "tilewright/error.hpp"
#include "tuner/backend/units.hpp"
#include "tuner/cuda/compile/cubin.hpp"
#include "tuner/cuda/compile/ptxas_log.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/toolchain/compiler_run.hpp"
#include "tuner/toolchain/scratch_folder.hpp"

namespace tilewright::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMainFile = "tilewright_main.cu";

// A name that an include line of ours may not lead out of the folder.
bool is_inside(const fs::path& name) {
  return name.is_relative() && std::ranges::find(name, fs::path("..")) == name.end();
}

void write_sources(const CompileRequest& request, const fs::path& folder) {
  for (const auto& [name, text] : request.headers)
    if (is_inside(name)) write_source(folder / name, text);
  std::string source =
      fmt::format("#line 1 {}\n{}\n", cpp_literal(request.source_name), request.source);
  for (const std::string& entry : request.entries)
    if (entry.find('<') != std::string::npos)
      source += fmt::format("template __global__ decltype({0}) {0};\n", entry);
  write_source(folder / kMainFile, source);
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

// "void mine::k<4>(float*)" → "mine::k<4>"; the result type of a template and the parameters go.
std::string name_in(const std::string& declaration) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < declaration.size(); ++i) {
    const char c = declaration[i];
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (depth > 0) continue;
    if (c == ' ') begin = i + 1;
    if (c == '(' && !declaration.substr(i).starts_with("(anonymous"))
      return declaration.substr(begin, i - begin);
  }
  return declaration.substr(begin);
}

std::string base_of(const std::string& name) {
  return name.substr(0, name.find('<'));
}

void note_entries(const CompileRequest& request, CompileResult& result) {
  const std::map<std::string, Resources> kernels = parse_ptxas_log(result.log);
  for (const std::string& entry : request.entries) {
    const std::vector<std::string> meant = is_name_expression(entry)
                                               ? symbols_of_expression(entry, kernels)
                                               : symbols_meant(entry, kernels);
    add_entry(entry, meant, kernels, result);
  }
}

// "_INTERNAL_1d_9_mine_cu_5a::image::gains" and "(anonymous namespace)::gains" → what follows.
std::string without_unit(std::string name) {
  for (const std::string_view prefix : {"_INTERNAL_", "(anonymous namespace)"})
    if (const auto end = name.find("::"); name.starts_with(prefix) && end != std::string::npos)
      name.erase(0, end + 2);
  return name;
}

// Unlike NVRTC, nvcc cannot be asked for a variable's symbol.
void note_constants(const CompileRequest& request, CompileResult& result) {
  std::map<std::string, std::string> symbols;  // by name
  for (const std::string& symbol : cubin_variables(result.code))
    symbols[without_unit(readable(symbol))] = symbol;
  for (const std::string& constant : request.constants) {
    const auto found = symbols.find(constant);
    if (found != symbols.end()) {
      result.entries[constant_key(constant, "")] = {found->second, Resources{}};
      continue;
    }
    result.outcome = Outcome::compile_failed;
    result.log.insert(0, fmt::format("error: the compiled code has no variable '{}', which "
                                     "'constant' in the manifest names; nvcc leaves out variables "
                                     "that no kernel uses\n",
                                     constant));
  }
}

CompileResult failed(const CompilerRun& run) {
  CompileResult result;
  if (run.stopped == Stopped::by_machine)
    throw MachineError("nvcc was stopped twice, not by the kernel: " + run.stopping_line);
  result.outcome = outcome_of(run.stopped);
  result.log = stable_log(run.command.output);
  if (run.stopped == Stopped::by_itself || run.stopped == Stopped::silently)
    result.log.insert(0, fmt::format("nvcc crashed twice: {}\n", run.stopping_line));
  if (const std::string note = static_shared_note(result.log); !note.empty())
    result.log.insert(0, "error: " + note);
  return result;
}

}  // namespace

std::vector<fs::path> places_of_nvcc(const Toolchain& toolchain) {
  std::vector<fs::path> places;
  const auto add = [&](fs::path place) {
    if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
  };
  // A toolkit has its libraries in lib64, lib or targets/x86_64-linux/lib.
  for (const fs::path& folder : toolchain.toolkit_folders) {
    if (folder.empty()) continue;
    add((folder.filename() == "lib" && folder.parent_path().filename() == "x86_64-linux"
             ? folder.parent_path().parent_path().parent_path()
             : folder.parent_path()) /
        "bin");
  }
  if (!toolchain.nvcc.empty()) add(toolchain.nvcc.parent_path());
  add("/usr/local/cuda/bin");
  return places;
}

std::vector<std::string> symbols_of_expression(const std::string& entry,
                                               const std::map<std::string, Resources>& kernels) {
  std::vector<std::string> named, equal;
  for (const auto& [symbol, resources] : kernels) {
    const std::string name = name_in(readable(symbol));
    if (base_of(without_spaces(name)) != base_of(without_spaces(entry))) continue;
    named.push_back(symbol);
    if (without_spaces(name) == without_spaces(entry)) equal.push_back(symbol);
  }
  return named.size() == 1 || equal.empty() ? named : equal;
}

Nvcc::Nvcc(std::vector<fs::path> places, fs::path scratch)
    : scratch_(std::move(scratch)), searched_(std::move(places)) {
  for (const fs::path& place : searched_)
    if (const fs::path program = place / "nvcc"; access(program.c_str(), X_OK) == 0) {
      program_ = fs::absolute(program);
      return;
    }
}

std::string Nvcc::identity() const {
  if (program_.empty()) return "no nvcc";
  std::error_code ignored;
  return fmt::format("nvcc {} {} {}", program_.string(), fs::file_size(program_, ignored),
                     fs::last_write_time(program_, ignored).time_since_epoch().count());
}

CompileResult Nvcc::compile(const CompileRequest& request) const {
  if (program_.empty()) {
    std::string searched;
    for (const fs::path& place : searched_)
      searched += (searched.empty() ? "" : ", ") + place.string();
    return {.outcome = Outcome::unsupported,
            .log = fmt::format("the manifest says compiler = \"nvcc\", and there is no nvcc: "
                               "install a CUDA toolkit, or name its folder in CUDA_HOME "
                               "(searched: {})\n",
                               searched)};
  }
  return compile_units(
      request, [this](const CompileRequest& unit) { return compile_unit(unit, Form::cubin); });
}

CompileResult Nvcc::compile_to_ptx(const CompileRequest& request) const {
  if (program_.empty()) return compile(request);
  return compile_units_to_text(
      request, [this](const CompileRequest& unit) { return compile_unit(unit, Form::ptx); });
}

CompileResult Nvcc::compile_unit(const CompileRequest& request, Form form) const {
  const auto begin = std::chrono::steady_clock::now();
  const bool is_ptx = form == Form::ptx;
  const ScratchFolder folder(scratch_);
  write_sources(request, folder.path());
  const std::string output = is_ptx ? "kernel.ptx" : "kernel.cubin";
  std::vector<std::string> words = {is_ptx ? "-ptx" : "-cubin", "-arch=" + request.architecture,
                                    "-Xptxas=-v", "-I."};
  if (!sets_standard(request.options)) words.emplace_back("-std=c++17");
  words.insert(words.end(), request.options.begin(), request.options.end());
  words.insert(words.end(), {"-o", output, kMainFile});
  const CompilerRun run = run_compiler(program_, words, folder.path(), output);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  CompileResult result;
  if (!run.has_made_file) {
    result = failed(run);
    if (run.stopped == Stopped::no) result.milliseconds = took.count();
    return result;
  }
  result.milliseconds = took.count();
  result.log = stable_log(run.command.output);
  result.code = read_code(folder.path() / output);
  if (is_ptx) return result;
  result.code_hash = cubin_hash(result.code);
  note_entries(request, result);
  note_constants(request, result);
  return result;
}

}  // namespace tilewright::cuda
