#include <fmt/format.h>

#include <algorithm>

#include "definition/manifest/expression_check.hpp"
#include "definition/manifest/manifest_parts.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

constexpr const char* kPrepared = "prepared";  // the memory of the prepared input

// A label stands for itself, as a type's name does; everything else is an expression.
Expression mode_expression(const TableReader& table, const TextureMode& mode,
                           const TomlNode& node) {
  if (node.kind == TomlNode::Kind::text && is_among(node.text, mode.labels))
    return Expression::parse("'" + node.text + "'");
  return table.expression_of(mode.key, node);
}

std::vector<Expression> read_mode(const TableReader& table, const TextureMode& mode,
                                  std::size_t dimensions) {
  const TomlNode* const node = table.find(mode.key);
  if (node == nullptr) return {Expression::parse(fmt::format("'{}'", mode.labels.front()))};
  const bool may_be_array = mode.written == &Texture::address;
  if (!may_be_array || node->kind != TomlNode::Kind::array)
    return {mode_expression(table, mode, *node)};
  std::vector<Expression> written;
  for (const TomlNode& element : table.elements(mode.key))
    written.push_back(mode_expression(table, mode, element));
  if (written.size() != dimensions)
    table.fail(*node, "'{}' has one mode for all of 'dims' or one for each, {}, not {}", mode.key,
               dimensions, written.size());
  return written;
}

std::vector<std::string> texts(std::span<const char* const> labels) {
  return {labels.begin(), labels.end()};
}

// The modes, if they do not depend on anything.
std::optional<TextureModes> written_modes(const Texture& texture) {
  try {
    return modes_of(texture, [](std::string_view) { return std::nullopt; });
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

std::vector<std::string> texture_keys() {
  std::vector<std::string> keys = {"dims", "strides"};
  for (const TextureMode& mode : kTextureModes) keys.emplace_back(mode.key);
  return keys;
}

Texture read_texture(const TableReader& table) {
  Texture texture;
  texture.dims = table.expressions("dims");
  texture.strides = table.expressions("strides");
  const std::size_t dimensions = texture.dims.size();
  if (dimensions == 0 || dimensions > kMostTextureDimensions)
    table.fail(table.need("dims"), "'dims' of a texture has 1 to {} numbers, not {}",
               kMostTextureDimensions, dimensions);
  if (table.has("strides") && texture.strides.size() + 1 != dimensions)
    table.fail(table.need("strides"),
               "'strides' has a number for each of 'dims' but the first, {}, not {}",
               dimensions - 1, texture.strides.size());
  for (const TextureMode& mode : kTextureModes)
    texture.*mode.written = read_mode(table, mode, dimensions);
  return texture;
}

using LaunchArgumentKind = LaunchArgument::Kind;

// A launch argument written as a table: the key that gives its kind, and the keys that go with it.
struct Form {
  std::string key;
  LaunchArgumentKind kind;
  std::vector<std::string> further;
};

const std::vector<Form>& forms() {
  static const auto& all = *new const std::vector<Form>{
      {"value", LaunchArgumentKind::value, {"type", "divisor"}},
      {"workspace", LaunchArgumentKind::workspace, {}},
      {"by_value", LaunchArgumentKind::by_value, {"capacity"}},
      {"tensor_map",
       LaunchArgumentKind::tensor_map,
       {"dims", "strides", "box", "swizzle", "promote", "type", "offset", "lower_corner",
        "upper_corner", "element_strides", "nan_fill"}},
      {"texture", LaunchArgumentKind::texture, texture_keys()},
  };
  return all;
}

std::vector<std::string> keys_of_forms() {
  std::vector<std::string> keys = {"when"};
  for (const Form& form : forms()) {
    keys.push_back(form.key);
    keys.insert(keys.end(), form.further.begin(), form.further.end());
  }
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());  // two forms have a type
  return keys;
}

const Form& form_of(const TableReader& table) {
  const Form* found = nullptr;
  for (const Form& form : forms()) {
    if (!table.has(form.key)) continue;
    if (found != nullptr)
      table.fail(table.node(), "a launch argument cannot have both '{}' and '{}'", found->key,
                 form.key);
    found = &form;
  }
  if (found == nullptr)
    table.fail(table.node(),
               "a launch argument needs one of 'value', 'workspace', 'by_value', 'tensor_map' and "
               "'texture'");
  for (const Form& other : forms())
    for (const std::string& key : other.further)
      if (!is_among(key, found->further)) table.refuse({key}, fmt::format("'{}'", found->key));
  return *found;
}

// Throws unless the array has so many elements; `what` says which.
void need_count(const TableReader& table, const char* key, const std::vector<Expression>& given,
                std::size_t count, const char* what) {
  if (given.size() == count) return;
  table.fail(table.has(key) ? table.need(key) : table.node(), "'{}' has {}, {}, not {}", key, what,
             count, given.size());
}

TensorMap read_tensor_map(const TableReader& table) {
  TensorMap map;
  table.read_fields(map, "type");
  const std::size_t rank = map.dims.size();
  const bool is_im2col = table.has("lower_corner");
  const std::size_t least = is_im2col ? kLeastIm2colDimensions : 1;
  if (rank < least || rank > kMostTensorDimensions)
    table.fail(table.need("dims"), "'dims' has {} to {} numbers, not {}", least,
               kMostTensorDimensions, rank);
  table.need("box");
  need_count(table, "strides", map.strides, rank - 1, "a number for each of 'dims' but the first");
  constexpr const char* kPixels = "a number for each of 'dims' but the first and the last";
  if (table.has("element_strides"))
    need_count(table, "element_strides", map.element_strides, std::max<std::size_t>(rank, 2) - 2,
               kPixels);
  if (!is_im2col) {
    table.refuse({"upper_corner"}, "a tensor map without 'lower_corner'");
    need_count(table, "box", map.box, rank, "as many numbers as 'dims'");
    return map;
  }
  need_count(table, "box", map.box, 2, "the channels and the pixels of one copy");
  need_count(table, "lower_corner", map.lower_corner, rank - 2, kPixels);
  need_count(table, "upper_corner", map.upper_corner, rank - 2, kPixels);
  return map;
}

// A buffer has its own type and is mapped from its start.
void read_tensor_map(const TableReader& table, LaunchArgument& argument) {
  argument.map = read_tensor_map(table);
  argument.name = table.identifier("tensor_map");
  argument.prepared = argument.name == kPrepared;
  if (argument.name != "workspace" && !argument.prepared) {
    table.refuse({"type", "offset"}, "a tensor map of a buffer");
    return;
  }
  argument.kind = LaunchArgumentKind::workspace_map;
  argument.value = table.expression("offset", argument.value);
  argument.map.type = type_expression(table, "type");
}

LaunchArgument computed(const TableReader& table) {
  const Form& form = form_of(table);
  LaunchArgument argument;
  argument.kind = form.kind;
  argument.when = table.expression("when", argument.when);
  switch (form.kind) {
    case LaunchArgumentKind::by_value:
      argument.name = table.identifier(form.key);
      argument.value = table.expression("capacity");
      break;
    case LaunchArgumentKind::tensor_map:
      read_tensor_map(table, argument);
      break;
    case LaunchArgumentKind::texture:
      argument.name = table.identifier(form.key);
      argument.texture = read_texture(table);
      break;
    case LaunchArgumentKind::value: {
      argument.type =
          table.one_of("type", names_of(kElementTypes, &ElementTypeFacts::name), argument.type);
      const WrittenNumber number = read_number(table, form.key, argument.type);
      argument.value = number.value;
      argument.real = number.real;
      break;
    }
    default:
      argument.value = table.expression(form.key);
      break;
  }
  return argument;
}

// The index of a labelled parameter's value, as an expression over its labels.
Expression index_expression(const TableReader& launch, const TomlNode& node,
                            const Parameter& parameter) {
  std::string text;
  for (std::size_t i = 0; i + 1 < parameter.values.size(); ++i)
    text += fmt::format("{} == '{}' ? {} : ", parameter.name, to_text(parameter.values[i]), i);
  return launch.made_expression(node, text + std::to_string(parameter.values.size() - 1));
}

const Parameter* named_alone(const Expression& expression,
                             const std::vector<Parameter>& parameters) {
  const ExpressionNode& root = expression.root();
  return root.op == Operator::name ? find_named(parameters, root.text) : nullptr;
}

LaunchArgument read_launch_argument(const TableReader& launch, const TomlNode& node,
                                    const std::vector<Parameter>& parameters) {
  LaunchArgument argument;
  if (node.kind == TomlNode::Kind::table) {
    argument = computed(TableReader(launch.file(), node, "a launch argument", keys_of_forms()));
  } else if (node.kind == TomlNode::Kind::integer ||
             (node.kind == TomlNode::Kind::text && !is_identifier(node.text))) {
    argument.kind = LaunchArgument::Kind::value;
    argument.value = launch.expression_of("arguments", node);
  } else {
    const std::string name = node.kind == TomlNode::Kind::text ? node.text : std::string();
    if (name.empty())
      launch.fail(node,
                  "a launch argument is a name, an expression, { value = \"…\", type = \"…\" }, "
                  "{ workspace = \"…\" }, { by_value = \"…\", capacity = \"…\" }, "
                  "{ tensor_map = \"…\", dims = […], strides = […], box = […] } or "
                  "{ texture = \"…\", dims = […] }");
    argument.name = name;
    argument.prepared = name == kPrepared;
    if (name == "workspace" || argument.prepared) {
      argument.kind = LaunchArgument::Kind::workspace;
    } else if (name == "trip") {
      argument.kind = LaunchArgument::Kind::trip;
      if (!launch.has("loop")) launch.fail(node, "'trip' is for launches in a loop");
    } else if (named_alone(Expression::parse(name), parameters) != nullptr) {
      argument.kind = LaunchArgument::Kind::value;
      argument.value = Expression::parse(name);
    } else if (const auto term = launch.file().terms.find(name);
               term != launch.file().terms.end()) {
      argument.kind = LaunchArgument::Kind::value;
      argument.value = term->second;
    }
  }
  if (argument.kind != LaunchArgument::Kind::value) return argument;
  const Parameter* parameter = named_alone(argument.value, parameters);
  const bool labelled =
      parameter != nullptr && std::holds_alternative<std::string>(parameter->values.front());
  if (labelled) argument.value = index_expression(launch, node, *parameter);
  return argument;
}

std::array<Expression, 3> read_extent(const TableReader& table, const std::string& key) {
  std::array<Expression, 3> extent = {Expression{1}, Expression{1}, Expression{1}};
  const std::vector<TomlNode>& elements = table.elements(key);
  if (table.has(key) && (elements.empty() || elements.size() > extent.size()))
    table.fail(table.need(key), "'{}' has 1 to 3 numbers, not {}", key, elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i)
    extent.at(i) = table.expression_of(key, elements[i]);
  return extent;
}

Launch read_launch(const TableReader& table, const std::vector<Parameter>& parameters) {
  Launch launch;
  launch.entry = table.line_of("entry", table.need("entry"));
  if (launch.entry.empty()) table.fail(table.need("entry"), "'entry' must not be empty");
  if (table.has("unit")) launch.unit = table.identifier("unit");
  if (table.has("loop")) launch.loop = table.identifier("loop");
  if (table.has("prepares")) launch.prepares = table.identifier("prepares");
  if (!launch.prepares.empty()) table.refuse({"loop"}, "'prepares'");
  launch.macros = read_macros(table);
  if (!launch.macros.empty()) table.refuse({"unit"}, "'macros', which make a unit of the launch");
  table.need("grid");
  table.need("block");
  table.need("arguments");
  launch.grid = read_extent(table, "grid");
  launch.block = read_extent(table, "block");
  launch.cluster = read_extent(table, "cluster");
  table.read_fields(launch);
  for (const TomlNode& node : table.elements("arguments"))
    launch.arguments.push_back(read_launch_argument(table, node, parameters));
  return launch;
}

std::vector<Launch> launches_of(const TableReader& owner, const std::string& what,
                                const std::vector<Parameter>& parameters,
                                const std::vector<std::string>& keys) {
  std::vector<Launch> launches;
  for (const TomlNode& node : owner.elements("launch"))
    launches.push_back(read_launch(TableReader(owner.file(), node, what, keys), parameters));
  for (std::size_t i = 0; i < launches.size(); ++i)
    if (!launches[i].macros.empty()) launches[i].unit = fmt::format("launch {}", i + 1);
  if (launches.empty())
    owner.fail(owner.node(), "{} has no launch; it needs at least one {}", owner.what(), what);
  return launches;
}

}  // namespace

Launch read_fill_launch(const TableReader& fill, const Launch& usual) {
  Launch launch = usual;
  launch.entry = fill.line_of("entry", fill.need("entry"));
  if (launch.entry.empty()) fill.fail(fill.need("entry"), "'entry' must not be empty");
  fill.need("arguments");
  if (fill.has("grid")) launch.grid = read_extent(fill, "grid");
  if (fill.has("block")) launch.block = read_extent(fill, "block");
  launch.shared_bytes = fill.expression("shared_bytes", launch.shared_bytes);
  for (const TomlNode& node : fill.elements("arguments"))
    launch.arguments.push_back(read_launch_argument(fill, node, {}));
  return launch;
}

std::vector<Launch> read_reference_launches(const TableReader& reference) {
  std::vector<std::string> keys = names_of_fields<Launch>();
  std::erase_if(keys, [](const std::string& key) {
    return key == "unit" || key == "macros" || key == "prepares";
  });
  return launches_of(reference, "[[operation.reference.launch]]", {}, keys);
}

std::vector<Launch> read_launches(const TableReader& implementation,
                                  const std::vector<Parameter>& parameters) {
  return launches_of(implementation, "[[implementation.launch]]", parameters,
                     names_of_fields<Launch>());
}

void check_texture(const ExpressionCheck& checker, const std::string& key,
                   const LaunchArgument& launched, const Operation& operation) {
  const Texture& texture = launched.texture;
  checker.check_each(key + ".dims", texture.dims);
  checker.check_each(key + ".strides", texture.strides);
  for (const TextureMode& mode : kTextureModes)
    for (const Expression& written : texture.*mode.written)
      checker.check_label(fmt::format("{}.{}", key, mode.key), written, texts(mode.labels));
  const Argument* const argument = find_named(operation.arguments, launched.name);
  const std::optional<TextureModes> modes = written_modes(texture);
  if (!modes || argument == nullptr || argument->computed_type) return;
  if (const auto error = texture_mode_error(*modes, texture.dims.size(), argument->type))
    checker.fail(key, *error);
}

}  // namespace tilewright
