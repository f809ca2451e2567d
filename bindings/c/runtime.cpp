#include <array>
#include <charconv>
#include <string_view>

#include "bindings/c/call.hpp"
#include "tuner/machine/machine.hpp"

namespace tilewright::bindings {
namespace {

std::chrono::milliseconds milliseconds(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  constexpr std::int64_t kMost = 1'000'000'000;
  if (error != std::errc{} || end != text.data() + text.size() || count < 0 || count > kMost)
    throw InputError(fmt::format(
        "option patience_ms: '{}' is not a number of milliseconds from 0 to {}", text, kMost));
  return std::chrono::milliseconds(count);
}

Compiling compiling(const char* text) {
  return static_cast<Compiling>(
      place_of(text, "option compiling", {"when_needed", "in_background"}));
}

Libraries libraries(const char* text) {
  return static_cast<Libraries>(place_of(text, "option libraries", {"on", "off"}));
}

struct Option {
  std::string_view key;
  void (*set)(RuntimeOptions&, const char* value);
};

constexpr std::array<Option, 12> kOptions = {{
    {"database", [](RuntimeOptions& o, const char* v) { o.catalog.database = v; }},
    {"kernels", [](RuntimeOptions& o, const char* v) { o.catalog.kernels.emplace_back(v); }},
    {"manifest", [](RuntimeOptions& o, const char* v) { o.catalog.manifests.emplace_back(v); }},
    {"bundle", [](RuntimeOptions& o, const char* v) { o.bundles.emplace_back(v); }},
    {"shipped", [](RuntimeOptions& o, const char* v) { o.catalog.shipped.emplace_back(v); }},
    {"libraries", [](RuntimeOptions& o, const char* v) { o.catalog.libraries = libraries(v); }},
    {"cache", [](RuntimeOptions& o, const char* v) { o.cache = v; }},
    {"compiling", [](RuntimeOptions& o, const char* v) { o.compiling = compiling(v); }},
    {"toolkit", [](RuntimeOptions& o, const char* v) { o.toolkits.emplace_back(v); }},
    {"host_compiler", [](RuntimeOptions& o, const char* v) { o.host_compiler = v; }},
    {"scratch", [](RuntimeOptions& o, const char* v) { o.scratch = v; }},
    {"patience_ms", [](RuntimeOptions& o, const char* v) { o.catalog.patience = milliseconds(v); }},
}};

void set_option(RuntimeOptions& options, std::string_view key, const char* value) {
  std::string known;
  for (const Option& option : kOptions) {
    if (option.key == key) return option.set(options, value);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", option.key);
  }
  throw InputError(fmt::format("there is no option '{}'; give one of {}", key, known));
}

std::string why_nothing(const Answer& answer, const tw_request& request) {
  const std::string problem = text_of(request.problem);
  return fmt::format(
      "{}{}{}: nothing on record that require={} accepts: {}", request.operation,
      problem.empty() ? "" : " ", problem, request.require,
      answer.reason.empty() ? "the answer is of rung " + to_text(answer.rung) : answer.reason);
}

Answer look_up(const tw_runtime& runtime, const tw_request& request) {
  Question question;
  question.operation = request.operation;
  question.problem = settings_of(request.problem);
  question.cache = cache_of(request.cache);
  question.require = require_of(request.require);
  const std::string text = request.device == nullptr ? "auto" : request.device;
  if (text.empty() || text == "auto" || is_device_id(text)) {
    const DeviceSelector selector = device_selector(text);
    question.device = runtime.runtime.device(selector);
    const CatalogOptions& results = runtime.options.catalog;
    if (!results.database.empty() || !results.shipped.empty())
      question.environment = runtime.runtime.environment(selector);
  } else {
    question.device = runtime.catalog.device(request.operation, text);
  }
  Answer answer = runtime.catalog.look_up(question);
  if (answer.rung == Rung::none) throw NothingFound(why_nothing(answer, request));
  return answer;
}

// Of look-ups and of kernels.
std::size_t store_wanted(const tw_runtime& runtime, const std::filesystem::path& file) {
  std::string why;
  std::size_t stored = runtime.catalog.store_wanted(file, why);
  if (why.empty()) stored += runtime.runtime.store_wanted(file, why);
  if (!why.empty()) throw MachineError(why);
  return stored;
}

Kernel kernel_of(const tw_runtime& runtime, const tw_request& request) {
  return runtime.runtime.kernel({request.operation, settings_of(request.problem),
                                 selector_of(request.device), cache_of(request.cache),
                                 require_of(request.require), inputs_of(request.inputs)});
}

Kernel kernel_of(const Bundle& bundle, const tw_request& request) {
  refuse("tw_bundle_kernel", "cache", request.cache);
  return bundle.kernel({request.operation, settings_of(request.problem),
                        selector_of(request.device), require_of(request.require),
                        inputs_of(request.inputs)});
}

}  // namespace
}  // namespace tilewright::bindings

using namespace tilewright::bindings;

tw_status tw_options_create(tw_options** options) {
  return guarded(__func__, {{"options", options}}, [&] { *options = new tw_options; });
}

tw_status tw_options_set(tw_options* options, const char* key, const char* value) {
  return guarded(__func__, {{"options", options}, {"key", key}, {"value", value}},
                 [&] { set_option(options->options, key, value); });
}

tw_status tw_options_override(tw_options* options, const char* implementation, const char* problem,
                              const char* configuration) {
  return guarded(
      __func__,
      {{"options", options}, {"implementation", implementation}, {"configuration", configuration}},
      [&] {
        options->options.catalog.overrides.push_back(
            {implementation, settings_of(problem), {settings_of(configuration)}});
      });
}

void tw_options_destroy(tw_options* options) {
  delete options;
}

tw_status tw_runtime_open(const tw_options* options, tw_runtime** runtime) {
  return guarded(__func__, {{"runtime", runtime}}, [&] {
    *runtime = new tw_runtime(options == nullptr ? tilewright::RuntimeOptions{} : options->options);
  });
}

void tw_runtime_close(tw_runtime* runtime) {
  delete runtime;
}

tw_status tw_best(const tw_runtime* runtime, const tw_request* request, tw_answer** answer) {
  return guarded(__func__, {{"runtime", runtime}, {"answer", answer}}, [&] {
    const tw_request asked = checked_request(request, "tw_best");
    refuse("tw_best", "inputs", asked.inputs);
    *answer = answer_view(look_up(*runtime, asked)).release();
  });
}

tw_status tw_runtime_kernel(const tw_runtime* runtime, const tw_request* request,
                            tw_kernel** kernel) {
  return guarded(__func__, {{"runtime", runtime}, {"kernel", kernel}}, [&] {
    *kernel = new tw_kernel(kernel_of(*runtime, checked_request(request, "tw_runtime_kernel")));
  });
}

tw_status tw_runtime_trim(const tw_runtime* runtime, size_t* count) {
  return guarded(__func__, {{"runtime", runtime}}, [&] {
    const std::size_t trimmed = runtime->runtime.trim();
    if (count != nullptr) *count = trimmed;
  });
}

tw_status tw_runtime_store_wanted(const tw_runtime* runtime, const char* file, size_t* count) {
  return guarded(__func__, {{"runtime", runtime}}, [&] {
    const std::size_t stored = store_wanted(*runtime, text_of(file));
    if (count != nullptr) *count = stored;
  });
}

tw_status tw_runtime_fingerprint(const tw_runtime* runtime, char** fingerprint) {
  return guarded(__func__, {{"runtime", runtime}, {"fingerprint", fingerprint}},
                 [&] { *fingerprint = text_for_c(runtime->runtime.fingerprint()); });
}

tw_status tw_runtime_operation(const tw_runtime* runtime, const char* operation, char** json) {
  return guarded(__func__, {{"runtime", runtime}, {"operation", operation}, {"json", json}},
                 [&] { *json = text_for_c(runtime->runtime.describe(operation)); });
}

tw_status tw_bundle_open(const char* file, tw_bundle** bundle) {
  return guarded(__func__, {{"file", file}, {"bundle", bundle}},
                 [&] { *bundle = new tw_bundle{tilewright::Bundle(file)}; });
}

tw_status tw_bundle_kernel(const tw_bundle* bundle, const tw_request* request, tw_kernel** kernel) {
  return guarded(__func__, {{"bundle", bundle}, {"kernel", kernel}}, [&] {
    const tw_request asked = checked_request(request, "tw_bundle_kernel");
    *kernel = new tw_kernel(kernel_of(bundle->bundle, asked));
  });
}

tw_status tw_bundle_operation(const tw_bundle* bundle, const char* operation, char** json) {
  return guarded(__func__, {{"bundle", bundle}, {"operation", operation}, {"json", json}},
                 [&] { *json = text_for_c(bundle->bundle.describe(operation)); });
}

tw_status tw_bundle_trim(const tw_bundle* bundle, size_t* count) {
  return guarded(__func__, {{"bundle", bundle}}, [&] {
    const std::size_t trimmed = bundle->bundle.trim();
    if (count != nullptr) *count = trimmed;
  });
}

void tw_bundle_close(tw_bundle* bundle) {
  delete bundle;
}
