#include "tools/show/texts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "definition/problem.hpp"
#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tilewright/version.hpp"
#include "tools/input/paths.hpp"
#include "tools/input/worker_options.hpp"
#include "tools/print/report.hpp"
#include "tuner/backend/source.hpp"
#include "tuner/host/compile/adapt.hpp"
#include "tuner/host/compile/command.hpp"
#include "tuner/host/compile/compiler.hpp"
#include "tuner/sweep/session_plan.hpp"

namespace tilewright::tools {
namespace {

bool is_host(const ShowSubject& subject) {
  return subject.request.device.kind == DeviceKind::host;
}

// The text for a one-line comment: no newline, and no backslash, which would continue the comment.
std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  std::ranges::replace(text, '\\', '/');
  return text;
}

std::vector<std::string> notes_of(const ShowSubject& subject, Product product) {
  const SweepRequest& request = subject.request;
  const std::string configuration = to_text(subject.configuration.values);
  return {fmt::format("{} for {}, {}", subject.implementation->full_name(),
                      problem_text(*request.operation, request.problem),
                      compile_request_of(subject).architecture),
          configuration.empty() ? "no parameters" : configuration,
          one_line("The configuration: " + subject.origin),
          fmt::format("Written by tilewright {}. To compile:", kVersion),
          "  " + command_for(subject, product, default_file(subject))};
}

std::string as_comments(const std::vector<std::string>& lines) {
  return fmt::format("// {}\n\n", fmt::join(lines, "\n// "));
}

// The launches of the operation's reference kernel, if it has one that can take this problem.
std::optional<LaunchPlan> reference_launches(const Operation& operation, const Scope& scope) {
  if (operation.reference.source.empty()) return std::nullopt;
  try {
    return plan_launches(operation, operation.reference.launches, Workspace{}, scope);
  } catch (const InputError&) {
    return std::nullopt;  // for example a size that does not fit its parameter
  }
}

ReproducedProblem reproduced(const SweepRequest& request, const Problem& problem,
                             LaunchPlan launches) {
  const Operation& operation = *request.operation;
  const Configuration none;
  const Scope scope = full_scope(problem, none, request.device);
  ReproducedProblem result;
  result.label = problem_text(operation, problem);
  result.buffers = plan_buffers(operation, scope);
  result.launches = std::move(launches);
  result.reference = reference_launches(operation, scope);
  result.reduction = evaluate(operation.comparison.reduction, scope, "the comparison's reduction");
  result.scale = operation.comparison.scale;
  result.reduced = operation.comparison.reduced;
  return result;
}

// Explicit instantiations of the template kernels for nvcc. NVRTC gets their names instead.
std::string instances_of(const std::vector<std::string>& entries) {
  std::string text;
  for (const std::string& entry : entries)
    if (entry.find('<') != std::string::npos)
      text += fmt::format("template __global__ decltype({0}) {0};\n", entry);
  return text;
}

std::string nvcc_command(const ShowSubject& subject, Product product, const std::string& file) {
  const CompileRequest request = compile_request_of(subject);
  std::vector<std::string> options = without_macros(request.options);
  const bool has_standard = std::ranges::any_of(options, [](const std::string& option) {
    return option.starts_with("-std") || option.starts_with("--std");
  });
  if (!has_standard) options.insert(options.begin(), "-std=c++17");
  const std::string stem = file.substr(0, file.rfind('.'));
  const std::string out =
      product == Product::program ? "-o " + stem : "-cubin -o " + stem + ".cubin";
  return fmt::format("nvcc -arch={} {} {} {}", request.architecture, fmt::join(options, " "), file,
                     out);
}

}  // namespace

CompileRequest compile_request_of(const ShowSubject& subject) {
  const Implementation& implementation = *subject.implementation;
  const SweepRequest& request = subject.request;
  return compile_request(request,
                         read_source(implementation.source, implementation.include_directories),
                         {&implementation, subject.configuration});
}

std::string source_text(const ShowSubject& subject) {
  const CompileRequest request = compile_request_of(subject);
  const std::string notes = as_comments(notes_of(subject, Product::code));
  if (!is_host(subject))
    return notes + define_lines(request.options) + '\n' +
           flat_source(request.source, request.headers) + instances_of(request.entries);
  const std::map<std::string, std::string> files = host::adapt_sources(request);
  return notes + flat_source(files.at(host::kMainFile), files);
}

Reproducer reproducer_of(const ShowSubject& subject) {
  const SweepRequest& request = subject.request;
  Reproducer result;
  result.notes = notes_of(subject, Product::program);
  result.notes.emplace_back("Its argument is the number of calls to time, 20 by default.");
  result.kernel = compile_request_of(subject);
  result.seed = request.seed;
  const std::vector<Problem> problems = problems_to_verify(request);
  KernelPlan plan =
      plan_kernel(request, *subject.implementation, subject.configuration, problems, {});
  for (std::size_t i = 0; i < problems.size(); ++i)
    if (i == 0 || !plan.launches[i].launches.empty())
      result.problems.push_back(reproduced(request, problems[i], std::move(plan.launches[i])));
  if (std::ranges::any_of(result.problems,
                          [](const auto& problem) { return problem.reference.has_value(); }))
    result.reference = reference_request(request);
  return result;
}

std::string command_for(const ShowSubject& subject, Product product, const std::string& file) {
  if (!is_host(subject)) return nvcc_command(subject, product, file);
  const host::HostCompiler compiler({host_compiler(), temporary_folder()});
  return fmt::format("{} {} -o {}.so {} -lm", host_compiler().filename().string(),
                     fmt::join(compiler.flags_for(compile_request_of(subject)), " "),
                     file.substr(0, file.rfind('.')), file);
}

std::string default_file(const ShowSubject& subject) {
  std::string name = subject.implementation->full_name();
  std::ranges::replace(name, '/', '_');
  return name + (is_host(subject) ? ".cpp" : ".cu");
}

Disassembler find_disassembler() {
  for (const Disassembler& known :
       {Disassembler{"nvdisasm", {"--print-code"}}, Disassembler{"cuobjdump", {"-sass"}}})
    if (const auto program = toolkit_program(known.program.string()); !program.empty())
      return {program, known.options};
  throw MachineError(
      "SASS needs nvdisasm or cuobjdump of the CUDA toolkit, and neither is on PATH, in "
      "CUDA_HOME/bin or in /usr/local/cuda/bin; --ptx needs only NVRTC");
}

std::string disassemble(const Disassembler& disassembler, const std::vector<std::uint8_t>& cubin) {
  const host::ScratchFolder folder(temporary_folder());
  constexpr const char* kFile = "kernel.cubin";
  write_file(folder.path() / kFile, std::string(cubin.begin(), cubin.end()));
  std::vector<std::string> words = disassembler.options;
  words.emplace_back(kFile);
  const host::CommandResult run = host::run_command(disassembler.program, words, folder.path());
  if (run.status != 0)
    throw MachineError(fmt::format("{} ended with status {}: {}", disassembler.program.string(),
                                   run.status, run.output.substr(0, run.output.find('\n'))));
  return run.output;
}

}  // namespace tilewright::tools
