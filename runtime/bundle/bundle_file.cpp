#include "runtime/bundle/bundle_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "db/records/staleness.hpp"
#include "definition/architecture.hpp"
#include "definition/json/codec.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/hash.hpp"
#include "definition/text/text_file.hpp"

namespace tilewright {
namespace {

constexpr std::string_view kMagic = "tilewright bundle, format ";
constexpr int kFormat = 2;

// Removes a line from the front and returns it; nothing if there is no complete line.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return {};
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

template <class Number>
Number number_of(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void check_format(std::string_view line, const std::string& name) {
  if (!line.starts_with(kMagic)) throw bad_input("{} is not a bundle of tilewright's", name);
  const int format = number_of<int>(line.substr(kMagic.size()));
  if (format != kFormat)
    throw bad_input("{} is a bundle of format {}; this tilewright reads format {}", name, format,
                    kFormat);
}

// Checks the contents against the line "SIZE CHECKSUM".
void check_payload(std::string_view line, std::string_view payload, const std::string& name) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos)
    throw bad_input("{} is truncated: it ends before its contents", name);
  const auto size = number_of<std::size_t>(line.substr(0, space));
  if (payload.size() < size)
    throw bad_input("{} is truncated: {} of {} bytes of its contents are there", name,
                    payload.size(), size);
  if (payload.size() != size || hex_hash(payload) != line.substr(space + 1))
    throw bad_input("{} is damaged: its contents do not match its checksum", name);
}

bool is_meant(const BundledRecipe& bundled, const std::string& operation, const Settings& problem) {
  const Answer& answer = bundled.recipe.answer;
  if (operation != answer.problem.operation && operation != answer.implementation) return false;
  const Settings& values = answer.problem.values;
  for (const auto& [name, wanted] : problem) {
    const auto value = values.find(name);
    if (value == values.end()) {
      const auto omitted = bundled.omitted.find(name);
      if (omitted == bundled.omitted.end() || omitted->second != wanted) return false;
      continue;
    }
    const auto alias = bundled.aliases.find(to_text(value->second));
    const bool is_alias = alias != bundled.aliases.end() && Value(alias->second) == wanted;
    if (value->second != wanted && !is_alias) return false;
  }
  for (const auto& [name, value] : values)
    if (!problem.contains(name) && !bundled.defaulted.contains(name)) return false;
  return true;
}

bool runs_on(const Recipe& recipe, const Device& device) {
  return recipe.device.kind == device.kind &&
         recipe.device.compute_capability == device.compute_capability;
}

// How far a recipe's device is from this one.
int distance_of(const Recipe& recipe, const Device& device,
                const std::optional<int>& power_limit_w) {
  constexpr int kElsewhere = 100;
  if (!is_made_for(recipe, device)) return kElsewhere;
  return limit_distance(limit_on_its_device(recipe.answer), power_limit_w);
}

}  // namespace

std::optional<int> limit_on_its_device(const Answer& answer) {
  return answer.rung == Rung::near_device ? std::nullopt : answer.power_limit_w;
}

bool is_made_for(const Recipe& recipe, const Device& device) {
  const Device& made_for = recipe.device;
  return made_for.name == device.name && made_for.partition == device.partition &&
         made_for.sm_count == device.sm_count;
}

std::string code_checksum(const std::vector<std::uint8_t>& code) {
  return hex_hash(code);
}

void BundleContents::add_build(const std::string& key, const RecipeCode& code) {
  const std::string hash = hex_hash(*code.bytes);
  builds[key] = {hash, code.symbols};
  codes.emplace(hash, code.bytes);
}

RecipeCode BundleContents::code_of(const std::string& build) const {
  const BundledBuild& built = builds.at(build);
  return {codes.at(built.code_hash), built.symbols};
}

std::string encode_bundle(const BundleContents& contents) {
  const std::vector<std::uint8_t> bytes = cbor_bytes(bundle_to_json(contents));
  const std::string_view payload(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return fmt::format("{}{}\n{} {}\n{}", kMagic, kFormat, payload.size(), hex_hash(payload),
                     payload);
}

BundleContents decode_bundle(const std::string& bytes, const std::string& name) {
  std::string_view rest = bytes;
  check_format(take_line(rest), name);
  const std::string_view line = take_line(rest);
  check_payload(line, rest, name);
  try {
    const std::optional<nlohmann::json> json = parse_cbor(rest);
    if (!json) throw InputError("its contents are not CBOR");
    BundleContents contents = bundle_from_json(*json);
    check_bundle(contents);
    return contents;
  } catch (const std::exception& error) {  // not damaged, because the checksum is right
    throw bad_input("{} is not a bundle that this tilewright understands: {}", name, error.what());
  }
}

BundleContents read_bundle(const std::filesystem::path& file) {
  return decode_bundle(read_text_file(file, kBundleFile), file.string());
}

const BundledRecipe* find_recipe(const BundleContents& contents, const std::string& operation,
                                 const Settings& problem, const Device& device, std::string& why,
                                 const std::optional<int>& power_limit_w) {
  const BundledRecipe* found = nullptr;
  std::set<std::string> elsewhere;
  for (const BundledRecipe& bundled : contents.recipes) {
    if (!is_meant(bundled, operation, problem)) continue;
    if (!runs_on(bundled.recipe, device)) {
      elsewhere.insert(bundled.recipe.architecture);
    } else if (found == nullptr || distance_of(bundled.recipe, device, power_limit_w) <
                                       distance_of(found->recipe, device, power_limit_w)) {
      found = &bundled;
    }
  }
  if (found != nullptr) return found;
  why = fmt::format("the bundle has no {} {}", operation, to_text(problem));
  const std::string here = architecture_of(device);
  if (!elsewhere.empty())
    why += fmt::format(" for {}: it was compiled for {}",
                       here == kHostArchitecture ? "the host" : here, fmt::join(elsewhere, ", "));
  return nullptr;
}

}  // namespace tilewright
