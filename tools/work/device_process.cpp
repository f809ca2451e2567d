// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/work/device_process.hpp"

#include "tools/input/machine.hpp"
#include "tools/input/paths.hpp"
#include "tuner/worker/role.hpp"

namespace tilewright::tools {
namespace {

// What the command line says instead of the usual limit.
StepLimit step_limit(const Arguments& arguments, const std::string& option, StepLimit usual) {
  const auto given = arguments.milliseconds(option);
  return given ? StepLimit::fixed_at(*given) : usual;
}

StepLimits step_limits(const Arguments& arguments, const Device& device) {
  StepLimits limits = step_limits_for(device.kind);
  limits.load = step_limit(arguments, "load-limit", limits.load);
  limits.verify = step_limit(arguments, "verify-limit", limits.verify);
  limits.sample = step_limit(arguments, "sample-limit", limits.sample);
  return limits;
}

}  // namespace

DeviceClientOptions device_process(const Arguments& arguments, const Device& device,
                                   const std::atomic<bool>& stop) {
  DeviceClientOptions options;
  options.worker = worker_program();
  options.arguments = arguments_of({WorkerRole::Task::device, device.kind});
  options.limits = step_limits(arguments, device);
  options.stop = &stop;
  return options;
}

std::vector<OptionSpec> limit_options() {
  return {{"load-limit", "TIME",
           "The longest that loading a kernel may take; this, --verify-limit and --sample-limit "
           "follow by default what such steps have taken."},
          {"verify-limit", "TIME", "The longest that checking one's answers may take."},
          {"sample-limit", "TIME", "The longest that timing one may take."},
          compile_limit_option(),
          compile_memory_option()};
}

void check_limits(const Arguments& arguments) {
  for (const OptionSpec& option : limit_options())
    if (option.value == "TIME") arguments.seconds(option.name);
  arguments.bytes("compile-memory");
}

}  // namespace tilewright::tools
