#include <fmt/ranges.h>

#include <algorithm>

#include "definition/problem.hpp"
#include "definition/text/escape.hpp"
#include "definition/text/text_file.hpp"
#include "tilewright/version.hpp"
#include "tools/input/command.hpp"
#include "tools/input/worker_options.hpp"
#include "tools/print/terminal.hpp"
#include "tools/show/reproducer.hpp"
#include "tools/show/subject.hpp"
#include "tuner/backend/units.hpp"
#include "tuner/host/compile/adapt.hpp"
#include "tuner/host/compile/compiler.hpp"
#include "tuner/host/launch/launcher.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/plan/flat_source.hpp"
#include "tuner/plan/ready_plan.hpp"
#include "tuner/space/limits.hpp"
#include "tuner/sweep/prepare/inspector.hpp"
#include "tuner/sweep/prepare/services.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"
#include "tuner/toolchain/compiler_run.hpp"
#include "tuner/toolchain/scratch_folder.hpp"

namespace tilewright::tools {
namespace {

enum class Form { source, ptx, sass, reproducer };

struct ShowGiven : SubjectGiven {
  std::optional<Form> form;
  std::string output;

  void declare(Options& all) {
    declare_form(all, Form::source, "source",
                 "The kernel with its macros and headers in one file; the default.");
    declare_form(all, Form::ptx, "ptx", "The PTX that NVRTC compiles it to.");
    declare_form(all, Form::sass, "sass", "The machine code, through nvdisasm or cuobjdump.");
    declare_form(all, Form::reproducer, "reproducer",
                 "A file with a main() that fills inputs, launches, checks and times.");
    all.text(output, kOutputOption);
    SubjectGiven::declare(all);
  }

 private:
  void declare_form(Options& all, Form one, const std::string& name, const std::string& about) {
    all.add({name, "", about}, [this, one, name](const std::string&) {
      if (form) throw bad_input("give one of --{} and --{}", form_name_, name);
      form = one;
      form_name_ = name;
    });
  }

  std::string form_name_;
};

bool is_host(const ShowSubject& subject) {
  return subject.request.device.kind == DeviceKind::host;
}

// The request that a sweep would compile.
CompileRequest compile_request_of(const ShowSubject& subject) {
  const Implementation& implementation = *subject.implementation;
  const SweepRequest& request = subject.request;
  if (implementation.is_routine())
    throw bad_input("{} is a routine of a foreign library: there is no source to show",
                    implementation.full_name());
  require_kernel(implementation, "compiles where nobody sees the code");
  return compile_request(request, read_source(implementation),
                         {&implementation, subject.configuration});
}

// "unit last", or "the implementation's own unit".
std::string title_of(const std::string& unit) {
  return unit.empty() ? "the implementation's own unit" : "unit " + unit;
}

// The unit whose source is shown, alone. Throws InputError if it is not compiled.
CompileRequest unit_request_of(const ShowSubject& subject) {
  CompileRequest request = compile_request_of(subject);
  const std::vector<CompileRequest> others = std::move(request.units);
  request.units.clear();
  if (subject.unit.empty() || request.unit == subject.unit) return request;
  std::string known = title_of(request.unit);
  for (const CompileRequest& other : others) {
    if (other.unit == subject.unit) return other;
    known += ", " + title_of(other.unit);
  }
  throw bad_input("--unit {}: this configuration of {} has {}", subject.unit,
                  subject.implementation->full_name(), known);
}

// "gemm_tiled.cu"; on the host device "gemm_tiled.cpp".
std::string default_file(const ShowSubject& subject) {
  std::string name = subject.implementation->full_name();
  std::ranges::replace(name, '/', '_');
  return name + (is_host(subject) ? ".cpp" : ".cu");
}

// The words as a shell would read them.
std::string shell_words(std::vector<std::string> words) {
  for (std::string& word : words) word = shell_word(word);
  return fmt::format("{}", fmt::join(words, " "));
}

// The name without what stands behind its last dot, which is another one in any case.
std::string stem_of(const std::string& file) {
  const std::string stem = std::filesystem::path(file).replace_extension().string();
  return stem == file ? file + ".out" : stem;
}

std::string nvcc_command(const ShowSubject& subject, Form form, const std::string& file) {
  const CompileRequest request = unit_request_of(subject);
  std::vector<std::string> options = without_macros(request.options);
  const bool has_standard = std::ranges::any_of(options, [](const std::string& option) {
    return option.starts_with("-std") || option.starts_with("--std");
  });
  if (!has_standard) options.insert(options.begin(), "-std=c++17");
  const std::string stem = stem_of(file);
  options.insert(options.begin(), {"nvcc", "-arch=" + request.architecture});
  options.push_back(file);
  if (form == Form::reproducer) {
    options.insert(options.end(), {"-o", stem});
  } else {
    options.insert(options.end(), {"-cubin", "-o", stem + ".cubin"});
  }
  return shell_words(std::move(options));
}

// With the sanitizers, which name the line of a wrong access.
std::vector<std::string> debug_flags(const std::vector<std::string>& options) {
  std::vector<std::string> words = {"-std=c++17",           "-g", "-fsanitize=address,undefined",
                                    "-fno-strict-aliasing", "-w", "-pthread"};
  for (std::string& option : host::understood_options(options)) words.push_back(std::move(option));
  return words;
}

// The command that compiles `file`: a source to a cubin or a host library, a reproducer to a
// program. Throws MachineError if the host device has no compiler.
std::string command_for(const ShowSubject& subject, Form form, const std::string& file) {
  if (!is_host(subject)) return nvcc_command(subject, form, file);
  const host::HostCompiler compiler(host_compiler(), temporary_folder());
  const CompileRequest request = unit_request_of(subject);
  const bool is_program = form == Form::reproducer;
  std::vector<std::string> words =
      is_program ? debug_flags(request.options) : compiler.flags_for(request);
  words.insert(words.begin(), host_compiler().filename().string());
  words.insert(words.end(), {"-o", stem_of(file) + (is_program ? "" : ".so")});
  if (!file.ends_with(".cpp")) words.insert(words.end(), {"-x", "c++"});
  words.insert(words.end(), {file, "-lm"});
  return shell_words(std::move(words));
}

// `file` is where the text is written.
std::vector<std::string> notes_of(const ShowSubject& subject, Form form, const std::string& file) {
  const SweepRequest& request = subject.request;
  const std::string configuration = to_text(subject.configuration.values);
  const CompileRequest unit = unit_request_of(subject);
  const bool is_alone = subject.implementation->units.empty();
  return {fmt::format("{} for {}, {}{}", subject.implementation->full_name(),
                      problem_text(*request.operation, request.problem), unit.architecture,
                      is_alone ? "" : ", " + title_of(unit.unit)),
          configuration.empty() ? "no parameters" : configuration,
          "The configuration: " + subject.origin,
          fmt::format("Written by tilewright {}. To compile:", kVersion),
          "  " + command_for(subject, form, std::filesystem::path(file).filename().string())};
}

// Explicit instantiations of the template kernels for nvcc. NVRTC gets their names instead.
std::string instances_of(const std::vector<std::string>& entries) {
  std::string text;
  for (const std::string& entry : entries)
    if (entry.find('<') != std::string::npos)
      text += fmt::format("template __global__ decltype({0}) {0};\n", entry);
  return text;
}

// The kernel's source with its macros and headers in one text. On the host device it is the C++
// that the host compiler gets.
std::string source_text(const ShowSubject& subject, const std::string& file) {
  const CompileRequest request = unit_request_of(subject);
  std::string notes;
  for (const std::string& note : notes_of(subject, Form::source, file))
    notes += cpp_comment(note) + '\n';
  notes += '\n';
  if (!is_host(subject))
    return notes + define_lines(request.options) + '\n' +
           flat_source(request.source, request.headers) + instances_of(request.entries);
  const std::map<std::string, std::string> files = host::adapt_sources(request);
  return notes + flat_source(files.at(host::kMainFile), files);
}

// The launches of the operation's reference kernel, if it has one that can take this problem.
std::optional<LaunchPlan> reference_launches(const Operation& operation, const Scope& scope) {
  if (operation.reference.source.empty()) return std::nullopt;
  try {
    return plan_launches(operation, operation.reference, scope);
  } catch (const InputError&) {
    return std::nullopt;  // for example a size that does not fit its parameter
  }
}

// As a reproducer launches it: one launch after another, with what prepares an input.
LaunchPlan written_out(LaunchPlan plan, DeviceKind kind) {
  constexpr std::size_t kMost = 1000;
  plan = with_preparation(std::move(plan));
  plan = runs_on_cpu(kind) ? host::Kernels::ready(std::move(plan)) : with_trips(std::move(plan));
  if (plan.launches.size() > kMost)
    throw bad_input(
        "a call has {} launches, and a reproducer at most {}; make the problem smaller, so that "
        "loops have fewer trips",
        plan.launches.size(), kMost);
  return plan;
}

ReproducedProblem reproduced(const SweepRequest& request, const Problem& problem,
                             LaunchPlan launches) {
  const Operation& operation = *request.operation;
  const Scope scope = full_scope(problem, request.device);
  ReproducedProblem result;
  result.label = problem_text(operation, problem);
  result.buffers = plan_buffers(operation, scope);
  const DeviceKind kind = request.device.kind;
  result.launches = written_out(std::move(launches), kind);
  result.reference = reference_launches(operation, scope);
  if (result.reference) result.reference = written_out(*std::move(result.reference), kind);
  for (auto& [argument, fill] : fill_launches(operation, result.buffers, scope))
    result.fills.emplace(argument, written_out(std::move(fill), kind));
  result.comparison = plan_comparison(operation.comparison, scope);
  return result;
}

// The parts of a program for the host device, which is to be debugged, not timed.
void adapt_to_host(Reproducer& reproducer) {
  reproducer.shim = host::shim_files();
  reproducer.calls = 0;
  reproducer.kernel = host::adapt_for_program(std::move(reproducer.kernel));
  if (reproducer.reference)
    reproducer.reference = host::adapt_for_program(*std::move(reproducer.reference));
  for (auto& [argument, request] : reproducer.fills)
    request = host::adapt_for_program(std::move(request));
}

// With all problems on which a sweep verifies the configuration, except those that it skips.
Reproducer reproducer_of(const ShowSubject& subject, const std::string& file) {
  const SweepRequest& request = subject.request;
  Reproducer result;
  result.notes = notes_of(subject, Form::reproducer, file);
  result.kernel = compile_request_of(subject);
  result.seed = request.seed;
  const std::vector<Problem> problems = problems_to_verify(request);
  KernelPlan plan =
      plan_kernel(request, *subject.implementation, subject.configuration, problems, {});
  for (std::size_t i = 0; i < problems.size(); ++i)
    if (i == 0 || !plan.launches[i].is_empty())
      result.problems.push_back(reproduced(request, problems[i], std::move(plan.launches[i])));
  result.fills = fill_requests(request);
  if (std::ranges::any_of(result.problems,
                          [](const auto& problem) { return problem.reference.has_value(); }))
    result.reference = reference_request(request);
  if (is_host(subject)) adapt_to_host(result);
  result.notes.push_back(
      fmt::format("Its argument is the number of calls to time, {} by default.", result.calls));
  return result;
}

// A program of the toolkit that turns cubins into text.
struct Disassembler {
  std::filesystem::path program;
  std::vector<std::string> options;  // before the file
};

// nvdisasm, else cuobjdump.
Disassembler find_disassembler() {
  for (const Disassembler& known :
       {Disassembler{"nvdisasm", {"--print-code"}}, Disassembler{"cuobjdump", {"-sass"}}})
    if (const auto program = toolkit_program(known.program.string()); !program.empty())
      return {program, known.options};
  throw MachineError(
      "SASS needs nvdisasm or cuobjdump of the CUDA toolkit, and neither is on PATH, in "
      "CUDA_HOME/bin or in /usr/local/cuda/bin; --ptx needs only NVRTC");
}

std::string disassemble(const Disassembler& disassembler, CodeBytes cubin) {
  const ScratchFolder folder(temporary_folder());
  constexpr const char* kFile = "kernel.cubin";
  write_file(folder.path() / kFile, std::string(cubin.begin(), cubin.end()));
  std::vector<std::string> words = disassembler.options;
  words.emplace_back(kFile);
  const CommandResult run = run_command(disassembler.program, words, folder.path());
  if (run.status != 0)
    throw broken_machine("{} ended with status {}: {}", disassembler.program.string(), run.status,
                         run.output.substr(0, run.output.find('\n')));
  return run.output;
}

void refuse_units(const ShowSubject& subject, Form form) {
  if (!subject.unit.empty() && form != Form::source)
    throw InputError("--unit is for --source; --ptx and --sass show all units");
  const std::size_t units = 1 + compile_request_of(subject).units.size();
  if (units > 1 && form == Form::reproducer)
    throw bad_input(
        "{} is compiled in {} source units, and a reproducer is one file; --source --unit NAME "
        "writes the source of one",
        subject.implementation->full_name(), units);
}

void refuse_host(const ShowSubject& subject, Form form) {
  if ((form != Form::ptx && form != Form::sass) || !is_host(subject)) return;
  throw InputError(
      "PTX and SASS exist only for GPUs, and the device is the host; name a GPU's architecture "
      "with --arch, such as sm_90, or a stored GPU with --device");
}

// Warns of what a sweep would refuse before any compile.
void warn_of_limits(ShowSubject& subject) {
  const SweepRequest& request = subject.request;
  const Scope scope = full_scope(request.problem, subject.configuration, request.device);
  const LaunchPlan plan =
      plan_problem(request, *subject.implementation, subject.configuration, request.problem);
  if (const auto broken = static_violation(*subject.implementation, plan, scope, request.device))
    subject.warnings.push_back(
        fmt::format("the device cannot run it: {}: {}", broken->rule, broken->message));
}

// Nothing if the kernel does not compile. Then the log is on standard error.
std::optional<std::string> compiled_text(const ShowSubject& subject, Form form) {
  std::optional<Disassembler> disassembler;
  if (form == Form::sass) disassembler = find_disassembler();
  const auto compiler = backend_of(subject.request.device.kind).make_compiler(toolchain());
  const CompileRequest request = compile_request_of(subject);
  const CompileResult result =
      form == Form::ptx ? compiler->compile_to_ptx(request) : compiler->compile(request);
  if (!result.ok()) {
    std::cerr << fmt::format("{} does not compile:\n{}", subject.implementation->full_name(),
                             result.log);
    return std::nullopt;
  }
  if (disassembler) {
    std::string text;
    for (const CodeBytes unit : units_of(result.code)) text += disassemble(*disassembler, unit);
    return text;
  }
  return std::string(result.code.begin(), result.code.end());
}

std::optional<std::string> text_of(const ShowSubject& subject, Form form, const std::string& file) {
  if (form == Form::source) return source_text(subject, file);
  if (form == Form::reproducer) return reproducer_text(reproducer_of(subject, file));
  return compiled_text(subject, form);
}

int run_show(const ShowGiven& given) {
  const Form form = given.form.value_or(Form::source);
  ShowSubject subject = read_subject(given);
  refuse_host(subject, form);
  refuse_units(subject, form);
  check_output(given.output, given.places, files_of(subject.target));
  warn_of_limits(subject);
  const std::string file = given.output.empty() ? default_file(subject) : given.output;
  const std::optional<std::string> text = text_of(subject, form, file);
  if (!text) return kNothing;
  std::cerr << fmt::format("{}: {}\n  {}\n", subject.implementation->full_name(),
                           to_text(subject.configuration.values), subject.origin);
  for (const std::string& warning : subject.warnings) std::cerr << warning << '\n';
  std::string command;
  if (form == Form::source || form == Form::reproducer)
    command = command_for(subject, form, file) + '\n';
  if (!given.output.empty()) write_file(given.output, *text);
  std::cerr << command;
  if (given.output.empty()) print_content(*text);
  return kDone;
}

}  // namespace

Command show_command() {
  return make_command(
      {"show", Purpose::ask,
       "Write the source, PTX, SASS or a standalone program of one configuration.",
       "OPERATION[/IMPLEMENTATION]|FILE.toml DIM=VALUE… | --trial SWEEP/N [options]",
       "  tilewright show gemm M=N=K=1024 --reproducer --output gemm.cu\n"
       "  tilewright show gemm/tiled M=N=K=512 --config 'COARSEN_X=2 COARSEN_Y=2' --ptx --arch "
       "sm_90\n"
       "  tilewright show --trial 1f3a/17 --reproducer --output failed.cu\n"},
      run_show);
}

}  // namespace tilewright::tools
