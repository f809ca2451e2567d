#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "db/records/answer_rows.hpp"
#include "definition/manifest/manifest.hpp"
#include "runtime/launch/recipe.hpp"

namespace tilewright {

// A recipe as a bundle holds it.
struct BundledRecipe {
  Recipe recipe;
  Settings omitted;                            // the choices that the problem omits
  std::set<std::string> defaulted;             // the names that a request may leave out
  std::map<std::string, std::string> aliases;  // label of a snippet → its name
  std::string build;                           // into BundleContents::builds
};

// Compiled code, stored once for all recipes that share it.
struct BundledBuild {
  std::string code_hash;  // into BundleContents::codes
  std::map<std::string, std::string> symbols;
};

// The key of code in BundleContents::codes, 32 hexadecimal digits.
std::string code_checksum(const std::vector<std::uint8_t>& code);

struct BundleContents {
  std::string tool;                            // version of tilewright that made it
  std::vector<BundledRecipe> recipes;          // each for its own problem, device and power limit
  std::map<std::string, BundledBuild> builds;  // by build_key()
  std::map<std::string, std::shared_ptr<const std::vector<std::uint8_t>>> codes;  // by hash
  // What the ladder is climbed with for other problems.
  std::vector<ManifestText> definitions;
  std::vector<BestRow> rows;
  std::vector<PortableRow> portable;
  std::vector<KnownWrong> known_wrong;

  void add_build(const std::string& key, const RecipeCode& code);
  // REQUIRES a key of `builds`.
  RecipeCode code_of(const std::string& build) const;
};

// The power limit of the answer's measurement; none if that was on another device, whose limits
// mean something else.
std::optional<int> limit_on_its_device(const Answer& answer);

// Whether the recipe was made for this very device, as far as a user can tell devices apart.
bool is_made_for(const Recipe& recipe, const Device& device);

// A bundle's bytes: a line with the format's number, a line with size and XXH3-128 of the rest,
// and the contents as CBOR. Equal contents give equal bytes.
std::string encode_bundle(const BundleContents& contents);

// The contents as JSON. Of a row only the fields that the ladder reads. Reading throws if the JSON
// has another form.
nlohmann::json bundle_to_json(const BundleContents& contents);
BundleContents bundle_from_json(const nlohmann::json& json);

// Checks everything in a bundle that a launch or a look-up uses without looking again: that each
// recipe has its build and each build its code, undamaged; indices, sizes and extents of launches,
// against the limits of the recipe's device and of all devices; numbers of answers and rows. Throws
// InputError that names the recipe, build or row, the value and what is accepted. The code itself
// cannot be checked: a bundle must come from somebody whom the user trusts.
void check_bundle(const BundleContents& contents);

// Throws an InputError that begins with `name` if this is not a bundle, or one of another format,
// truncated or damaged, or if check_bundle() finds something in it that cannot be launched.
BundleContents decode_bundle(const std::string& bytes, const std::string& name);

// Throws InputError as decode_bundle() does, and if the file cannot be read.
BundleContents read_bundle(const std::filesystem::path& file);

// The recipe for an operation ("gemm" or "gemm/blocked"), settings and a device. Of several for the
// very device, the first whose measurement has the nearest power limit (limit_distance). Null if
// there is none; then `why` says why.
const BundledRecipe* find_recipe(const BundleContents& contents, const std::string& operation,
                                 const Settings& problem, const Device& device, std::string& why,
                                 const std::optional<int>& power_limit_w = {});

}  // namespace tilewright
