#include <nlohmann/json.hpp>
#include <tuple>

#include "db/ladder/ladder.hpp"
#include "db/ladder/present.hpp"
#include "db/records/border.hpp"
#include "definition/json/json.hpp"
#include "definition/text/errors.hpp"
#include "runtime/bundle/bundle_file.hpp"
#include "tuner/worker/messages.hpp"

namespace tilewright {
namespace {

using BundleJson = nlohmann::json;

// The structs whose fields() are listed below.
template <class T>
concept Bundled = AnyOf<T, Policy, Answer, RecipeArgument, BundledRecipe, BundledBuild,
                        ManifestText, BestRow, PortableRow, KnownWrong>;

constexpr std::tuple kLastNumbers = {CachePolicy::robust, Rung::none,          Origin::shipped,
                                     ArgumentKind::array, ArgumentRole::inout, kLastElementType};

// Writes the fields of an object. An optional one without a value is left out.
struct Writer : MessageWriter {
  template <class T>
  void operator()(const char* key, const T& value) const {
    if constexpr (AnyOf<T, Device>)
      json[key] = to_json(value);
    else if constexpr (AnyOf<T, Configuration>)
      json[key] = to_json(value.values);
    else if constexpr (AnyOf<T, DeviceKind>)
      json[key] = to_text(value);
    else if constexpr (!Optional<T>)
      MessageWriter::operator()(key, value);
    else if (value)
      (*this)(key, *value);
  }
  template <class T>
  void unless_usual(const char* key, const T& value, const T& usual = {}) const {
    if (value != usual) (*this)(key, value);
  }
  void may_lack(const char* key, const auto& value) const { (*this)(key, value); }
};

// Reads what a Writer wrote.
struct Reader {
  const BundleJson& json;

  template <class T>
  void operator()(const char* key, T& value) const {
    if constexpr (Optional<T>) {
      if (json.contains(key)) (*this)(key, value.emplace());
    } else if constexpr (AnyOf<T, Configuration>) {
      value.values = settings_from_json(json.at(key));
    } else if constexpr (AnyOf<T, Device>) {
      value = from_json<Device>(json.at(key));
    } else if constexpr (AnyOf<T, DeviceKind>) {
      value = from_name<DeviceKind>(json.at(key).get<std::string>());
    } else {
      read_value(json.at(key), value, kLastNumbers);
    }
  }
  // Leaves the value as it is if the field is missing.
  void may_lack(const char* key, auto& value) const {
    if (json.contains(key)) (*this)(key, value);
  }
  template <class T>
  void unless_usual(const char* key, T& value, const T& usual = {}) const {
    value = usual;
    may_lack(key, value);
  }
};

// Whether fields() reads this object.
template <class Object>
constexpr bool kReads = !std::is_const_v<std::remove_reference_t<Object>>;

template <HasFields Struct>
void fields(Struct& listed, const auto& visit) {
  for_each_field(listed, visit);
}

void fields(MaybeConst<Answer> auto& answer, const auto& visit) {
  visit("implementation", answer.implementation);
  visit("configuration", answer.configuration);
  visit("operation", answer.problem.operation);
  visit("problem", answer.problem.values);
  visit("rung", answer.rung);
  visit("distance", answer.distance);
  visit("measured_problem", answer.measured_problem.values);
  visit("measured_device", answer.measured_device);
  visit("median_us", answer.median_us);
  visit.may_lack("warm_median_us", answer.warm_median_us);
  visit("policy", answer.policy);
  visit("origin", answer.origin);
  visit("measured_at", answer.measured_at);
  visit("reason", answer.reason);
  visit("power_limit_w", answer.power_limit_w);
  bool has_other_source = answer.stale;  // a bundle keeps no other reason
  visit.unless_usual("other_source", has_other_source);
  if constexpr (kReads<decltype(answer)>) {
    answer.measured_problem.operation = answer.problem.operation;
    if (has_other_source) add_stale(answer, other_source_text(answer.implementation));
  }
}

void fields(MaybeConst<RecipeArgument> auto& argument, const auto& visit) {
  visit("name", argument.asked.name);
  visit("kind", argument.asked.kind);
  visit("type", argument.asked.type);
  visit("role", argument.asked.role);
  visit("count", argument.asked.count);
  visit("by_value", argument.asked.by_value);
  visit.unless_usual("prepared", argument.asked.prepared);
  visit("capacity", argument.capacity);
  visit("value", argument.value);
}

// Launches have the form that is also sent to workers, without code.
void fields(MaybeConst<BundledRecipe> auto& bundled, const auto& visit) {
  auto& recipe = bundled.recipe;
  visit("answer", recipe.answer);
  visit("label", recipe.label);
  visit("device", recipe.device);
  visit("architecture", recipe.architecture);
  visit("arguments", recipe.arguments);
  KernelPlan kernel{{}, {}, {recipe.launches}};
  visit("kernel", kernel);
  if (kernel.launches.size() != 1)
    throw bad_input("a kernel has {} launch plans, not one", kernel.launches.size());
  if constexpr (kReads<decltype(bundled)>) recipe.launches = kernel.launches.front();
  visit.unless_usual("omitted", bundled.omitted);
  visit("defaulted", bundled.defaulted);
  visit("aliases", bundled.aliases);
  visit("build", bundled.build);
}

void fields(MaybeConst<BundledBuild> auto& build, const auto& visit) {
  visit("code", build.code_hash);
  visit("symbols", build.symbols);
}

void fields(MaybeConst<ManifestText> auto& manifest, const auto& visit) {
  visit("name", manifest.name);
  visit("text", manifest.text);
  visit.unless_usual("fitted", manifest.fitted);
}

double median_of(const std::optional<Timing>& timing) {
  return timing ? timing->median_us : 0;
}

// Only what the ladder reads.
void fields(MaybeConst<BestRow> auto& row, const auto& visit) {
  visit("implementation", row.implementation);
  visit("epoch", row.epoch);
  visit("configuration", row.configuration);
  visit("operation", row.problem.operation);
  visit("problem", row.problem.values);
  visit("device", row.device);
  visit("policy", row.policy);
  double median_us = median_of(row.trial.timing);
  double warm_us = median_of(row.trial.warm_timing);
  bool is_verified = row.trial.verification.has_value();
  visit("median_us", median_us);
  visit.may_lack("warm_median_us", warm_us);
  visit("verified", is_verified);
  if constexpr (kReads<decltype(row)>) {
    row.trial.timing.emplace().median_us = median_us;
    if (warm_us != 0) row.trial.warm_timing.emplace().median_us = warm_us;
    if (is_verified) row.trial.verification.emplace();
  }
  visit("measured_at", row.finished);
  visit("imported", row.imported);
  visit("shipped", row.shipped);
  visit("power_limit_w", row.environment.power_limit_w);
  visit.unless_usual("superseded", row.superseded);
  visit.unless_usual("other_source", row.other_source);
  visit.unless_usual("library", row.source_hash);  // of a routine alone
}

void fields(MaybeConst<KnownWrong> auto& found, const auto& visit) {
  visit("implementation", found.implementation);
  visit("epoch", found.epoch);
  visit("source_hash", found.source_hash);
  visit("outcome", found.outcome);
  visit("operation", found.problem.operation);
  visit("problem", found.problem.values);
  visit("kind", found.kind);
  visit("device", found.device);
  visit("wrong", found.wrong);
  visit("tried", found.tried);
  visit("configuration", found.configuration);
}

void fields(MaybeConst<BundleContents> auto& contents, const auto& visit) {
  visit("tool", contents.tool);
  visit("recipes", contents.recipes);
  visit("builds", contents.builds);
  visit("definitions", contents.definitions);
  visit("rows", contents.rows);
  visit("portable", contents.portable);
  visit.unless_usual("known_wrong", contents.known_wrong);
}

}  // namespace

// Not in the unnamed namespace, because nlohmann-json looks for them.
template <Bundled T>
static void to_json(BundleJson& json, const T& value) {
  json = BundleJson::object();
  fields(value, Writer{{json}});
}

template <Bundled T>
static void from_json(const BundleJson& json, T& value) {
  fields(value, Reader{json});
}

BundleJson bundle_to_json(const BundleContents& contents) {
  BundleJson json = BundleJson::object();
  fields(contents, Writer{{json}});
  BundleJson& codes = json["codes"] = BundleJson::object();
  for (const auto& [hash, code] : contents.codes) codes[hash] = BundleJson::binary(*code);
  return json;
}

BundleContents bundle_from_json(const BundleJson& json) {
  BundleContents contents;
  fields(contents, Reader{json});
  for (const auto& [hash, code] : json.at("codes").items())
    contents.codes[hash] = std::make_shared<const std::vector<std::uint8_t>>(code.get_binary());
  return contents;
}

}  // namespace tilewright
