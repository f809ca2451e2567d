#include "runtime/bundle/bundle_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "db/records/border.hpp"
#include "definition/architecture.hpp"
#include "definition/json/json.hpp"
#include "definition/text/errors.hpp"
#include "runtime/launch/kernels.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/plan/ready_plan.hpp"

namespace tilewright {
namespace {

using Kind = PlannedArgument::Kind;

constexpr std::int64_t kMostWorkspaceBytes = std::int64_t{1} << 40;
constexpr std::int64_t kMostSharedBytes = std::int64_t{1} << 20;  // no device has more for a block
constexpr std::int64_t kMostClusterBlocks = 16;

// Messages name each by its number, from 1.
template <class Item>
void check_each(const char* name, const std::vector<Item>& list, const auto& check) {
  for (std::size_t i = 0; i < list.size(); ++i)
    at_place(fmt::format("{} {}", name, i + 1), [&] { check(list[i]); });
}

void check_argument(const RecipeArgument& argument) {
  const KernelArgument& asked = argument.asked;
  if (asked.prepared && (asked.kind != ArgumentKind::buffer || asked.role != ArgumentRole::input))
    throw InputError("it is taken prepared; only input buffers are");
  const auto size = static_cast<std::int64_t>(size_of(asked.type));
  const auto value_bytes = static_cast<std::int64_t>(argument.value.size());
  const bool is_scalar = asked.kind == ArgumentKind::scalar;
  require_in_range("count", asked.count, is_scalar ? 1 : 0, is_scalar ? 1 : kMostBufferElements);
  if (asked.kind == ArgumentKind::array)
    require_in_range("capacity", argument.capacity, asked.count, kMostParameterBytes / size);
  if (value_bytes != 0 && (!is_scalar || value_bytes != size))
    throw bad_input("'value' has {} bytes; a scalar of {} has {}, and nothing else has a value",
                    value_bytes, to_text(asked.type), size);
}

// Each extent from 1 to its limit, and their product to `most_in_all`.
void check_extent(const char* field, const std::array<std::int64_t, 3>& extent,
                  const std::array<std::int64_t, 3>& most, std::int64_t most_in_all) {
  for (std::size_t i = 0; i < extent.size(); ++i)
    require_in_range(field, extent.at(i), 1, most.at(i));
  std::int64_t left = most_in_all;
  for (const std::int64_t size : extent) left /= size;
  if (left < 1)
    throw bad_input("'{}' is {} × {} × {}, more than {} in all", field, extent[0], extent[1],
                    extent[2], most_in_all);
}

std::array<std::int64_t, 3> least_of(const std::array<std::int64_t, 3>& one,
                                     const std::array<std::int64_t, 3>& other) {
  return {std::min(one[0], other[0]), std::min(one[1], other[1]), std::min(one[2], other[2])};
}

// The limits that a bundle claims for its device count only where they are below those of all.
void check_extents(const PlannedLaunch& launch, const Device& device) {
  const Device any;
  check_extent("grid", launch.grid, least_of(device.max_grid, any.max_grid),
               std::numeric_limits<std::int64_t>::max());
  check_extent("block", launch.block, least_of(device.max_block, any.max_block),
               std::min(device.max_threads_per_block, any.max_threads_per_block));
  constexpr std::int64_t most = kMostClusterBlocks;
  check_extent("cluster", launch.cluster, {most, most, most}, most);
  require_in_range("shared_bytes", launch.shared_bytes, 0,
                   std::min(device.shared_bytes_per_block, kMostSharedBytes));
}

// The operation's argument that a launch passes.
const RecipeArgument& passed(const Recipe& recipe, int index) {
  require_in_range("index", index, 0, static_cast<std::int64_t>(recipe.arguments.size()) - 1);
  return recipe.arguments[static_cast<std::size_t>(index)];
}

// Throws unless it is a buffer.
const KernelArgument& passed_buffer(const Recipe& recipe, int index) {
  const KernelArgument& asked = passed(recipe, index).asked;
  if (asked.kind != ArgumentKind::buffer)
    throw bad_input("'{}' is not a buffer; only buffers have this form", asked.name);
  return asked;
}

void check_by_value(const Recipe& recipe, const PlannedArgument& planned) {
  const KernelArgument& asked = passed_buffer(recipe, planned.index);
  const auto bytes = asked.count * static_cast<std::int64_t>(size_of(asked.type));
  require_in_range("size", planned.size, std::max<std::int64_t>(bytes, 1), kMostParameterBytes);
  if (asked.role != ArgumentRole::input || !asked.by_value)
    throw bad_input("'{}' goes by value; only inputs that say so can do that", asked.name);
}

void check_tensor_map(const Recipe& recipe, const PlannedArgument& planned) {
  const KernelArgument& asked = passed_buffer(recipe, planned.index);
  if (const auto error = tensor_map_error(planned.map)) throw InputError("a tensor map: " + *error);
  if (planned.map.type != asked.type || !lies_within(planned.map, asked.count))
    throw bad_input("a tensor map does not lie within the {} elements of '{}'", asked.count,
                    asked.name);
}

void check_workspace(const Recipe& recipe, const PlannedArgument& planned) {
  if (planned.prepared && recipe.launches.prepared_bytes == 0)
    throw InputError("no input is prepared");
  require_in_range("offset", planned.offset, 0, recipe.launches.bytes_for(planned));
}

void check_workspace_map(const Recipe& recipe, const PlannedArgument& planned) {
  const std::int64_t bytes = recipe.launches.bytes_for(planned);
  check_workspace(recipe, planned);
  if (const auto error = tensor_map_error(planned)) throw InputError("a tensor map: " + *error);
  if (!lies_within(planned, bytes))
    throw bad_input("a tensor map does not lie within the {} bytes of the workspace", bytes);
}

void check_parameter(const Recipe& recipe, const PlannedArgument& planned) {
  switch (planned.kind) {
    case Kind::trip:
      break;  // ready_plan.hpp
    case Kind::argument:
      static_cast<void>(passed(recipe, planned.index));
      break;
    case Kind::bytes:
      require_in_range("bytes", static_cast<std::int64_t>(planned.bytes.size()), 1,
                       kMostParameterBytes);
      break;
    case Kind::workspace:
      check_workspace(recipe, planned);
      break;
    case Kind::by_value:
      check_by_value(recipe, planned);
      break;
    case Kind::tensor_map:
      check_tensor_map(recipe, planned);
      break;
    case Kind::workspace_map:
      check_workspace_map(recipe, planned);
      break;
    case Kind::texture:
      require_in_range("index", planned.index, 0,
                       static_cast<std::int64_t>(recipe.launches.textures.size()) - 1);
      break;
  }
}

// A buffer that is written, or a place in the workspace.
void check_place(const Recipe& recipe, const PlannedArgument& planned) {
  if (planned.kind == Kind::workspace) return check_parameter(recipe, planned);
  if (planned.kind != Kind::argument)
    throw InputError("only buffers and the workspace change places");
  const KernelArgument& asked = passed_buffer(recipe, planned.index);
  if (asked.role == ArgumentRole::input)
    throw bad_input("'{}' is an input; it cannot change places", asked.name);
}

void check_loops(const Recipe& recipe) {
  if (const auto error = loops_error(recipe.launches)) throw InputError(*error);
  check_each("loop", recipe.launches.loops, [&](const PlannedLoop& loop) {
    for (const PlannedArgument& place : loop.swap) check_place(recipe, place);
  });
}

void check_constant(const Recipe& recipe, const PlannedConstant& constant,
                    const BundledBuild& build) {
  if (!is_constant_key(constant.key) || !build.symbols.contains(constant.key))
    throw bad_input("its code has no constant '{}'", constant.key);
  const KernelArgument& asked = passed_buffer(recipe, constant.index);
  require_in_range("bytes", constant.bytes, 0,
                   asked.count * static_cast<std::int64_t>(size_of(asked.type)));
}

void check_texture(const Recipe& recipe, const PlannedTexture& texture) {
  const KernelArgument& asked = passed_buffer(recipe, texture.index);
  if (asked.role != ArgumentRole::input)
    throw bad_input("'{}' is not an input; only inputs are textures", asked.name);
  if (const auto error = texture_error(texture)) throw InputError(*error);
  if (texture.type != asked.type || !lies_within(texture, asked.count))
    throw bad_input("a texture does not lie within the {} elements of '{}'", asked.count,
                    asked.name);
}

// A launch that prepares an input gets nothing else of a call.
void check_preparation(const Recipe& recipe, const PlannedArgument& planned) {
  const bool is_input = (planned.kind == Kind::argument || planned.kind == Kind::tensor_map) &&
                        passed(recipe, planned.index).asked.prepared;
  const bool is_own =
      planned.prepared && (planned.kind == Kind::workspace || planned.kind == Kind::workspace_map);
  if (!is_input && !is_own && planned.kind != Kind::bytes)
    throw InputError("it is of a call; the launch prepares an input");
}

void check_launch(const Recipe& recipe, const PlannedLaunch& launch, const BundledBuild& build) {
  if (is_constant_key(launch.entry) || !build.symbols.contains(launch.entry))
    throw bad_input("its code has no entry '{}'", launch.entry);
  check_extents(launch, recipe.device);
  for (const std::string& text : launch.grid_texts)
    if (!text.empty())
      if (const auto error = resident_text_error(text)) throw InputError(*error);
  require_in_range("number of parameters", static_cast<std::int64_t>(launch.arguments.size()), 0,
                   kMostLaunchParameters);
  check_each("parameter", launch.arguments, [&](const PlannedArgument& planned) {
    check_parameter(recipe, planned);
    if (launch.prepares) check_preparation(recipe, planned);
  });
}

void check_answer(const Answer& answer) {
  require_possible(answer.problem.values);
  require_possible(answer.measured_problem.values);
  require_finite("distance", answer.distance);
  require_finite("median_us", answer.median_us);  // 0: not measured
  require_finite("warm_median_us", answer.warm_median_us);
  require_possible_moment("measured_at", answer.measured_at);
  Environment environment;
  environment.power_limit_w = answer.power_limit_w;
  require_possible(environment);
}

void check_recipe(const BundledRecipe& bundled, const BundleContents& contents) {
  const Recipe& recipe = bundled.recipe;
  const auto build = contents.builds.find(bundled.build);
  if (build == contents.builds.end()) throw InputError("it has no code");
  check_answer(recipe.answer);
  require_possible(recipe.device);
  if (kind_of_architecture(recipe.architecture) != recipe.device.kind)
    throw bad_input("its architecture '{}' is not one of its device's kind, {}",
                    recipe.architecture, to_text(recipe.device.kind));
  require_in_range("number of arguments", static_cast<std::int64_t>(recipe.arguments.size()), 0,
                   kMostCallArguments);
  for (const RecipeArgument& argument : recipe.arguments)
    at_place(fmt::format("argument '{}'", argument.asked.name), [&] { check_argument(argument); });
  require_in_range("workspace_bytes", recipe.launches.workspace_bytes, 0, kMostWorkspaceBytes);
  const auto prepared = std::ranges::count_if(
      recipe.arguments, [](const RecipeArgument& argument) { return argument.asked.prepared; });
  require_in_range("number of prepared arguments", prepared, 0, 1);
  require_in_range("prepared_bytes", recipe.launches.prepared_bytes, 0,
                   prepared * kMostWorkspaceBytes);
  check_each("launch", recipe.launches.launches,
             [&](const PlannedLaunch& launch) { check_launch(recipe, launch, build->second); });
  check_loops(recipe);
  require_in_range("number of textures", static_cast<std::int64_t>(recipe.launches.textures.size()),
                   0, kMostTextures);
  check_each("texture", recipe.launches.textures,
             [&](const PlannedTexture& texture) { check_texture(recipe, texture); });
  check_each("constant", recipe.launches.constants, [&](const PlannedConstant& constant) {
    check_constant(recipe, constant, build->second);
  });
}

void check_codes(const BundleContents& contents) {
  for (const auto& [hash, code] : contents.codes)
    if (code == nullptr || code->empty() || code_checksum(*code) != hash)
      throw bad_input("code {} does not match its checksum", hash);
  for (const auto& [key, build] : contents.builds)
    if (!contents.codes.contains(build.code_hash)) throw bad_input("build {} has no code", key);
}

// Of a row's times a bundle has only the medians; 0 if it was not measured.
void check_row(BestRow row) {
  if (row.trial.timing) require_finite("median_us", row.trial.timing->median_us);
  if (row.trial.warm_timing) require_finite("warm_median_us", row.trial.warm_timing->median_us);
  row.trial.timing.reset();
  row.trial.warm_timing.reset();
  require_possible(row);
}

}  // namespace

void check_bundle(const BundleContents& contents) {
  check_codes(contents);
  check_each("kernel", contents.recipes,
             [&](const BundledRecipe& recipe) { check_recipe(recipe, contents); });
  check_each("row", contents.rows, check_row);
  check_each("portable row", contents.portable,
             [](const PortableRow& row) { require_possible(row); });
  check_each("known wrong", contents.known_wrong,
             [](const KnownWrong& found) { require_possible(found.problem.values); });
}

}  // namespace tilewright
