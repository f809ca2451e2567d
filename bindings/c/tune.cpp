#include "tilewright/tune.hpp"

#include <algorithm>
#include <atomic>
#include <span>

#include "bindings/c/call.hpp"
#include "definition/json/json.hpp"

namespace tilewright::bindings {
namespace {

TuneReference reference_of(const tw_tune_request& request) {
  if (request.reference == nullptr) return {};
  return [&request](const ReferenceCall& call) {
    std::vector<tw_reference_argument> arguments;
    for (const auto& [name, argument] : call.arguments()) {
      const std::size_t bytes = std::max(argument.before.size(), argument.after.size());
      arguments.push_back({name.c_str(), static_cast<tw_type>(type_named(argument.type).value()),
                           argument.before.data(), argument.after.data(),
                           static_cast<std::int64_t>(bytes)});
    }
    const std::string problem = canonical_json(call.problem().values);
    const int ended =
        request.reference(request.context, problem.c_str(), arguments.data(), arguments.size());
    if (ended != 0) throw InputError(fmt::format("the reference returned {}", ended));
  };
}

std::function<void(const TuneProgress&)> progress_of(const tw_tune_request& request,
                                                     std::atomic<bool>& stop) {
  if (request.progress == nullptr) return {};
  return [&request, &stop](const TuneProgress& progress) {
    const std::string configuration = canonical_json(progress.trial.configuration.values);
    const std::string outcome(to_text(progress.trial.outcome));
    const double median_us = progress.trial.timing ? progress.trial.timing->median_us : 0;
    const tw_tune_progress told = {static_cast<std::int64_t>(progress.planned),
                                   static_cast<std::int64_t>(progress.done),
                                   progress.trial.implementation.c_str(),
                                   configuration.c_str(),
                                   outcome.c_str(),
                                   median_us,
                                   progress.best_us};
    if (request.progress(request.context, &told) != 0) stop = true;
  };
}

std::vector<TuneArray> arrays_of(const tw_tune_request& request) {
  std::vector<TuneArray> arrays;
  for (const tw_tune_array& array : std::span(request.arrays, request.array_count)) {
    require("tw_tune", {{"an array's argument", array.argument}});
    if (array.bytes < 0)
      throw InputError(fmt::format("array '{}' has {} bytes", array.argument, array.bytes));
    check_enumerator(array.memory, TW_DEVICE_MEMORY, "tw_tune: memory", "tw_memory");
    const bool is_device = array.memory == TW_DEVICE_MEMORY;
    arrays.push_back({array.argument, array.data, static_cast<std::size_t>(array.bytes),
                      is_device ? TuneMemory::device : TuneMemory::host});
  }
  return arrays;
}

void check_numbers(const tw_tune_request& request) {
  check_enumerator(request.recorded, TW_MEASURE_ANEW, "tw_tune: recorded", "tw_recorded");
  check_enumerator(request.isolation, TW_CALLERS_PROCESS, "tw_tune: isolation", "tw_isolation");
  if (request.budget < 0 && request.budget != TW_ENOUGH)
    throw InputError(
        fmt::format("tw_tune: budget {}: give a number from 0, or TW_ENOUGH", request.budget));
}

// Everything except the callbacks.
TuneRequest tune_request(const RuntimeOptions& options, const tw_tune_request& given) {
  check_numbers(given);
  const std::string device = text_of(given.device);
  TuneRequest request;
  request.operation = given.operation;
  request.problem = settings_of(given.problem);
  request.device = device == "auto" ? "" : device;
  request.cache = cache_of(given.cache);
  request.database = options.catalog.database;
  request.kernels = options.catalog.kernels;
  request.manifests = options.catalog.manifests;
  request.libraries = options.catalog.libraries;
  request.arrays = arrays_of(given);
  if (given.budget > 0) request.budget = static_cast<std::size_t>(given.budget);
  if (given.budget < 0) request.budget = 0;
  request.time_limit_s = given.time_limit_s;
  request.strategy = text_of(given.strategy);
  request.where = text_of(given.where);
  request.seed = given.seed == 0 ? 1 : given.seed;
  using Recorded = TuneRequest::Recorded;
  request.recorded = given.recorded == TW_USE_RECORDED ? Recorded::use : Recorded::measure_anew;
  request.isolation = given.isolation == TW_OWN_PROCESS ? Isolation::process : Isolation::caller;
  request.worker = text_of(given.worker);
  request.cache_folder = options.cache;
  request.compile_processes = given.compile_processes;
  request.host_compiler = options.host_compiler;
  request.scratch = options.scratch;
  request.toolkit_folders = options.toolkits;
  return request;
}

Json json_of(const TuneResult& result) {
  Json outcomes = Json::object();
  for (const auto& [outcome, count] : result.outcomes) outcomes[to_text(outcome)] = count;
  return {{"implementation", result.implementation},
          {"configuration", to_json(result.configuration.values)},
          {"median_us", result.median_us},
          {"interval_low_us", result.interval_low_us},
          {"interval_high_us", result.interval_high_us},
          {"default_us", result.default_us},
          {"problem", to_json(result.problem.values)},
          {"device", result.device.name},
          {"policy", to_text(result.policy)},
          {"sweep", result.sweep},
          {"was_on_record", result.was_on_record},
          {"end", result.end},
          {"legal", result.legal},
          {"outcomes", outcomes},
          {"failure", result.failure}};
}

}  // namespace
}  // namespace tilewright::bindings

using namespace tilewright::bindings;

tw_status tw_tune(const tw_runtime* runtime, const tw_tune_request* given, char** json) {
  return guarded(__func__, {{"runtime", runtime}, {"request", given}, {"json", json}}, [&] {
    const tw_tune_request request = whole_of("tw_tune", given);
    require("tw_tune", {{"request->operation", request.operation}});
    if (request.array_count > 0) require("tw_tune", {{"request->arrays", request.arrays}});
    std::atomic<bool> stop = false;
    tilewright::TuneRequest whole = tune_request(runtime->options, request);
    whole.reference = reference_of(request);
    whole.progress = progress_of(request, stop);
    whole.stop = &stop;
    const tilewright::TuneResult result = tilewright::tune(whole);
    *json = text_for_c(json_of(result));
    if (!result.found())
      throw tilewright::NothingFound(fmt::format(
          "{}: {}", request.operation, result.failure.empty() ? result.end : result.failure));
  });
}
