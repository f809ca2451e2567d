#include "definition/manifest/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "definition/manifest/manifest_parts.hpp"
#include "definition/text/suggest.hpp"
#include "definition/text/text_file.hpp"
#include "definition/toml/table_reader.hpp"

namespace tilewright {
namespace {

constexpr std::int64_t kSchema = 1;
constexpr const char* kFittedEnd = ".fit.toml";

bool has_fitted_file(const std::filesystem::path& manifest) {
  std::error_code error;
  return std::filesystem::is_regular_file(fitted_file(manifest), error);
}

// Called first, because a newer schema may have other keys.
void check_schema(const TomlFile& file) {
  const auto entry = file.root.entries.find("schema");
  if (entry == file.root.entries.end())
    file.fail({1, 1}, "'schema' is missing; a manifest begins with schema = {}", kSchema);
  const TomlNode& schema = entry->second;
  if (schema.kind != TomlNode::Kind::integer)
    file.fail(schema.position, "'schema' must be the integer {}, not {}", kSchema,
              kind_name(schema));
  if (schema.integer > kSchema)
    file.fail(schema.position, "schema {} is newer than this program, which reads {}",
              schema.integer, kSchema);
  if (schema.integer != kSchema)
    file.fail(schema.position, "there is no schema {}; it must be {}", schema.integer, kSchema);
}

void check_unique(const TomlFile& file, const Manifest& manifest) {
  const auto& all = manifest.implementations;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (all[i].full_name() == all[j].full_name())
        file.fail(find_node(file.root, fmt::format("implementation[{}]", i))->position,
                  fmt::format("the implementation '{}' is defined twice", all[i].full_name()));
}

// [operation], or each [[operation]].
std::vector<TomlNode> operation_tables(const TableReader& root) {
  const TomlNode* const node = root.find("operation");
  if (node == nullptr) return {};
  if (node->kind != TomlNode::Kind::array) return {*node};
  const std::vector<TomlNode>& tables = root.elements("operation");
  if (tables.empty()) root.fail(*node, "'operation' is an empty array");
  return tables;
}

void add_operation(const TomlFile& file, const TomlNode& table, Manifest& manifest) {
  Operation operation = read_operation(file, table);
  if (manifest.find(operation.name) != nullptr)
    file.fail(table.position, "the operation '{}' is defined twice", operation.name);
  check_operation(operation);
  bind(operation);
  manifest.operations.push_back(std::move(operation));
}

// Each table of the fitted file is of an implementation.
void check_fitted(const TomlFile& fitted, const Manifest& manifest) {
  for (const auto& [name, node] : fitted.root.entries)
    if (find_named(manifest.implementations, name) == nullptr)
      fitted.fail(node.key_position, "the manifest has no implementation '{}'", name);
}

Manifest manifest_of(const TomlFile& file, const std::optional<TomlFile>& fitted) {
  check_schema(file);
  const TableReader root(file, file.root, "the manifest",
                         {"schema", "operation", "implementation", "snippet"});
  if (!root.has("operation") && !root.has("implementation") && !root.has("snippet"))
    file.fail({1, 1}, "the manifest has neither [operation], [[implementation]] nor [snippet]");
  Manifest manifest;
  if (const TomlNode* snippet = root.find("snippet")) {
    root.refuse({"operation", "implementation"}, "[snippet], which has a file of its own");
    manifest.snippet = read_snippet_table(file, *snippet);
  }
  for (const TomlNode& table : operation_tables(root)) add_operation(file, table, manifest);
  // With one operation, implementations need not name it.
  const bool has_one = manifest.operations.size() == 1;
  const std::vector<TomlNode>& implementations = root.elements("implementation");
  if (implementations.size() > kMostImplementations)
    root.fail(*root.find("implementation"), "a manifest has at most {} implementations",
              kMostImplementations);
  for (const TomlNode& table : implementations)
    manifest.implementations.push_back(
        read_implementation(file, table, has_one ? manifest.operations[0].name : std::string(),
                            fitted ? &*fitted : nullptr));
  if (fitted) check_fitted(*fitted, manifest);
  check_unique(file, manifest);
  for (const Operation& operation : manifest.operations)
    check_metrics(operation, manifest.implementations);
  for (Implementation& implementation : manifest.implementations)
    if (const Operation* operation = manifest.find(implementation.operation))
      link(implementation, *operation);
  return manifest;
}

}  // namespace

const Operation* Manifest::find(const std::string& name) const {
  return find_named(operations, name);
}

void link(Implementation& implementation, const Operation& operation) {
  check_against(implementation, operation);
  bind(implementation, operation);
}

Manifest read_manifest(const std::filesystem::path& path) {
  std::optional<TomlFile> fitted;
  if (has_fitted_file(path)) fitted = read_toml(fitted_file(path));
  return manifest_of(read_toml(path), fitted);
}

std::filesystem::path fitted_file(const std::filesystem::path& manifest) {
  return std::filesystem::path(manifest).replace_extension(kFittedEnd);
}

bool is_fitted_file(const std::filesystem::path& file) {
  return file.string().ends_with(kFittedEnd);
}

Manifest read_manifest(const ManifestText& manifest) {
  std::optional<TomlFile> fitted;
  if (!manifest.fitted.empty())
    fitted = parse_toml(manifest.fitted, fitted_file(manifest.name).string());
  return manifest_of(parse_toml(manifest.text, manifest.name), fitted);
}

ManifestText read_manifest_text(const std::filesystem::path& file) {
  ManifestText manifest = {file.filename().string(), read_text_file(file, kManifestFile)};
  if (has_fitted_file(file)) manifest.fitted = read_text_file(fitted_file(file), kManifestFile);
  return manifest;
}

void refuse_reserved(const TableReader& table, const TomlPosition& place, const std::string& name) {
  static constexpr std::array<std::string_view, 10> kReserved = {
      "abs",      "ceil_div", "device",  "max",  "min",
      "prepared", "resident", "size_of", "trip", "workspace"};
  if (is_among(name, kReserved))
    table.fail(place, "the name '{}' is reserved; choose another", name);
}

void take_name(const TableReader& table, const std::string& name, std::vector<std::string>& taken) {
  const TomlPosition place = table.need("name").position;
  refuse_reserved(table, place, name);
  if (is_among(name, taken)) table.fail(place, "the name '{}' is used twice", name);
  taken.push_back(name);
}

Expression type_expression(const TableReader& table, const std::string& key) {
  const std::string written = table.text(key);
  return type_named(written) ? Expression::parse('\'' + written + '\'') : table.expression(key);
}

std::filesystem::path path_of(const TomlFile& file, const std::string& written) {
  return std::filesystem::absolute(file.path.parent_path() / written).lexically_normal();
}

std::filesystem::path source_of(const TableReader& table, const std::string& key) {
  std::filesystem::path source = path_of(table.file(), table.text(key));
  std::error_code error;
  if (table.file().is_in_folder && !std::filesystem::is_regular_file(source, error))
    table.fail(table.need(key), "'{}': there is no file {}", key, source.string());
  return source;
}

}  // namespace tilewright
