// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "tilewright/error.hpp"
#include "tools/input/command.hpp"
#include "tools/print/report.hpp"
#include "tools/work/compile_queue.hpp"
#include "tools/work/plan_survey.hpp"
#include "tuner/sweep/services.hpp"

namespace tilewright::tools {
namespace {

void choose_architecture(const Arguments& arguments, PlanRequest& request) {
  if (const auto given = arguments.text("arch")) {
    const PlannedTarget planned = plan_for(*given);
    request.architecture = planned.architecture;
    request.device = planned.device;
    return;
  }
  const DeviceList list = gpus_present();
  if (!list.devices.empty()) {
    request.device = list.devices.front().device;
    request.architecture = fmt::format("sm_{}", request.device.compute_capability);
    return;
  }
  const PlannedTarget planned = plan_for("sm_90");
  request.architecture = planned.architecture;
  request.device = planned.device;
}

PlanRequest read_request(const Arguments& arguments) {
  PlanRequest request;
  request.target = read_target(arguments);
  request.where = read_where(arguments, request.target);
  request.floor = read_floor(arguments);
  request.seed = arguments.number("seed").value_or(1);
  if (arguments.text("compile") == "all") {
    request.compile = std::numeric_limits<std::size_t>::max();
  } else {
    request.compile = arguments.number("compile");
  }
  // Last: what the user wrote is judged before a driver is asked.
  choose_architecture(arguments, request);
  request.problem =
      make_problem(request.target.operation(), request.target.assignments, request.device);
  return request;
}

bool anything_runs(const std::vector<PlanPart>& parts) {
  for (const PlanPart& part : parts) {
    if (part.survey && part.survey->chosen > 0) {
      if (part.survey->runnable > 0) return true;
    } else if (!part.space.legal.empty()) {
      return true;
    }
  }
  return false;
}

const char* why_nothing_runs(const std::vector<PlanPart>& parts) {
  std::size_t chosen = 0;
  std::size_t compiled = 0;
  for (const PlanPart& part : parts) {
    if (!part.survey) continue;
    chosen += part.survey->chosen;
    compiled += part.survey->compiled;
  }
  if (chosen == 0) return "no configuration is legal for this problem on this device";
  if (compiled == 0) return "every compile failed";
  return "no configuration that was compiled can run";
}

int run(const Arguments& arguments) {
  const PlanRequest request = read_request(arguments);
  std::vector<PlanPart> parts;
  std::size_t to_compile = 0;
  for (const Implementation* implementation : request.target.implementations) {
    parts.push_back(plan_space(request, *implementation));
    to_compile += compile_count(request, parts.back().space.legal.size());
  }
  if (to_compile > 0) {
    PoolQueue compilers(arguments, DeviceKind::cuda);
    CompileAhead ahead(compilers);
    const std::atomic<bool> never = false;
    check_snippets(request.target.operation(), request.architecture, ahead, never);
    for (PlanPart& part : parts) {
      const std::size_t legal = part.space.legal.size();
      if (legal == 0) continue;
      if (!request.compile && compile_count(request, legal) < legal)
        std::cerr << fmt::format(
            "{}: {} legal configurations; compiling {} of them, chosen with seed {} "
            "(--compile all compiles every one)\n",
            part.implementation->full_name(), legal, compile_count(request, legal), request.seed);
      part.survey = survey(request, part, compilers);
    }
  }
  if (arguments.has("json")) {
    print_json(std::cout, json_of(request, parts));
  } else {
    print_plan(std::cout, request, parts);
  }
  if (anything_runs(parts)) return kDone;
  std::cerr << why_nothing_runs(parts) << '\n';
  return kNothing;
}

}  // namespace

Command plan_command() {
  return {"plan",
          "Show what a sweep would try and what rules out the rest; needs no device.",
          "OPERATION[/IMPLEMENTATION]|FILE.toml DIM=VALUE… [options]",
          "  tilewright plan gemm/tiled M=4096 N=4096 K=4096 --arch sm_90\n"
          "  tilewright plan gemm M=N=K=1024 --where 'BLOCK_X >= 16' --compile 50 --json\n",
          {{"arch", "ARCH",
            "Architecture, such as sm_90 or sm_90a; by default that of the device "
            "present, else sm_90."},
           {"compile", "N|all",
            "How many configurations to compile; by default all up to 500, "
            "else 200."},
           occupancy_floor_option(),
           max_spill_option(),
           where_option(),
           seed_option(),
           jobs_option(),
           compile_limit_option(),
           compile_memory_option(),
           cache_option(),
           kernels_option(),
           json_option()},
          run};
}

}  // namespace tilewright::tools
