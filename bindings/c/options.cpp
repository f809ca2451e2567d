#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string_view>

#include "bindings/c/handles.hpp"
#include "bindings/c/request.hpp"
#include "bindings/c/status.hpp"
#include "tilewright/error.hpp"

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

struct Option {
  std::string_view key;
  void (*set)(RuntimeOptions&, const char* value);
};

constexpr std::array<Option, 10> kOptions = {{
    {"database", [](RuntimeOptions& o, const char* v) { o.catalog.database = v; }},
    {"kernels", [](RuntimeOptions& o, const char* v) { o.catalog.kernels.emplace_back(v); }},
    {"manifest", [](RuntimeOptions& o, const char* v) { o.catalog.manifests.emplace_back(v); }},
    {"bundle", [](RuntimeOptions& o, const char* v) { o.bundles.emplace_back(v); }},
    {"shipped", [](RuntimeOptions& o, const char* v) { o.catalog.shipped.emplace_back(v); }},
    {"cache", [](RuntimeOptions& o, const char* v) { o.cache = v; }},
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

}  // namespace
}  // namespace tilewright::bindings

using namespace tilewright::bindings;

tw_status tw_options_create(tw_options** options) {
  return guarded([&] {
    require(options, "tw_options_create: options");
    *options = new tw_options;
  });
}

tw_status tw_options_set(tw_options* options, const char* key, const char* value) {
  return guarded([&] {
    require_all("tw_options_set", {{"options", options}, {"key", key}, {"value", value}});
    set_option(options->options, key, value);
  });
}

tw_status tw_options_override(tw_options* options, const char* implementation, const char* problem,
                              const char* configuration) {
  return guarded([&] {
    require_all("tw_options_override", {{"options", options},
                                        {"implementation", implementation},
                                        {"configuration", configuration}});
    options->options.catalog.overrides.push_back(
        {implementation, settings_of(problem), {settings_of(configuration)}});
  });
}

void tw_options_destroy(tw_options* options) {
  delete options;
}
