#include <fmt/format.h>

#include <iostream>

#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tools/input/command.hpp"
#include "tools/input/worker_options.hpp"
#include "tools/show/texts.hpp"
#include "tuner/space/limits.hpp"
#include "tuner/sweep/session_plan.hpp"

namespace tilewright::tools {
namespace {

enum class Form { source, ptx, sass, reproducer };

// --source is the default.
Form form_of(const Arguments& arguments) {
  std::optional<std::string> given;
  Form form = Form::source;
  for (const auto& [name, value] : {std::pair{"source", Form::source},
                                    {"ptx", Form::ptx},
                                    {"sass", Form::sass},
                                    {"reproducer", Form::reproducer}}) {
    if (!arguments.has(name)) continue;
    if (given) throw InputError(fmt::format("give one of --{} and --{}", *given, name));
    given = name;
    form = value;
  }
  return form;
}

void refuse_host(const ShowSubject& subject, Form form) {
  if (form == Form::source || subject.request.device.kind == DeviceKind::cuda) return;
  throw InputError(
      "PTX, SASS and reproducers exist only for GPUs, and the device is the host; name a GPU's "
      "architecture with --arch, such as sm_90, or a stored GPU with --device");
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
  if (disassembler) return disassemble(*disassembler, result.code);
  return std::string(result.code.begin(), result.code.end());
}

std::optional<std::string> text_of(const ShowSubject& subject, Form form) {
  if (form == Form::source) return source_text(subject);
  if (form == Form::reproducer) return reproducer_text(reproducer_of(subject));
  return compiled_text(subject, form);
}

int run_show(const Arguments& arguments) {
  const Form form = form_of(arguments);
  ShowSubject subject = read_subject(arguments);
  refuse_host(subject, form);
  warn_of_limits(subject);
  const std::optional<std::string> text = text_of(subject, form);
  if (!text) return kNothing;
  std::cerr << fmt::format("{}: {}\n  {}\n", subject.implementation->full_name(),
                           to_text(subject.configuration.values), subject.origin);
  for (const std::string& warning : subject.warnings) std::cerr << warning << '\n';
  const auto file = arguments.text("output");
  if (form == Form::source || form == Form::reproducer)
    std::cerr << command_for(subject, form == Form::source ? Product::code : Product::program,
                             file.value_or(default_file(subject)))
              << '\n';
  if (file) {
    write_file(*file, *text);
  } else {
    std::cout << *text;
  }
  return kDone;
}

}  // namespace

Command show_command() {
  return {"show",
          "Write the source, PTX, SASS or a standalone program of one configuration.",
          "OPERATION[/IMPLEMENTATION]|FILE.toml DIM=VALUE… | --trial SWEEP/N [options]",
          "  tilewright show gemm M=N=K=1024 --reproducer --output gemm.cu\n"
          "  tilewright show gemm/tiled M=N=K=512 --config 'COARSEN_X=2 COARSEN_Y=2' --ptx --arch "
          "sm_90\n"
          "  tilewright show --trial 1f3a/17 --reproducer --output failed.cu\n",
          {{"source", "", "The kernel with its macros and headers in one file; the default."},
           {"ptx", "", "The PTX that NVRTC compiles it to."},
           {"sass", "", "The machine code, through nvdisasm or cuobjdump."},
           {"reproducer", "",
            "A .cu file with a main() that fills inputs, launches, checks and times."},
           {"config", "'A=1 B=2'",
            "This configuration, with other parameters at their defaults; by default what `best` "
            "answers."},
           {"trial", "SWEEP/N", "This stored trial, as `results --sweep` numbers them."},
           {"arch", "ARCH", "Architecture to compile for; by default the device's."},
           {"device", "DEVICE",
            "cuda:N, host, or a part of a stored device's name; by default as for best."},
           {"output", "FILE", "Write here; standard output by default."},
           kSeedOption,
           kDatabaseOption,
           kKernelsOption,
           kShippedOption},
          run_show};
}

}  // namespace tilewright::tools
