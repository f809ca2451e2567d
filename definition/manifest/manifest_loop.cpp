#include <fmt/format.h>

#include <algorithm>

#include "definition/manifest/manifest_parts.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

LaunchArgument read_place(const TableReader& loop, const TomlNode& node) {
  LaunchArgument place;
  if (node.kind == TomlNode::Kind::table) {
    const TableReader table(loop.file(), node, "an element of 'swap'", {"workspace"});
    place.kind = LaunchArgument::Kind::workspace;
    place.value = table.expression("workspace");
    return place;
  }
  place.name = node.kind == TomlNode::Kind::text ? node.text : std::string();
  if (!is_identifier(place.name))
    loop.fail(
        node,
        "an element of 'swap' is the name of a buffer, \"workspace\" or { workspace = \"…\" }");
  if (place.name != "workspace") return place;
  place.kind = LaunchArgument::Kind::workspace;
  place.name.clear();
  return place;
}

Loop read_loop(const TableReader& table, const std::vector<Launch>& launches) {
  Loop loop;
  loop.name = table.identifier("name");
  loop.trips = table.expression("trips");
  for (const TomlNode& node : table.elements("swap")) loop.swap.push_back(read_place(table, node));
  if (table.has("swap") && loop.swap.size() != 2)
    table.fail(table.need("swap"),
               fmt::format("'swap' has two elements, not {}", loop.swap.size()));
  if (std::ranges::find(launches, loop.name, &Launch::loop) == launches.end())
    table.fail(
        table.need("name"),
        fmt::format("no launch is in the loop '{0}'; give one of them loop = \"{0}\"", loop.name));
  return loop;
}

// Launches of a loop that exists, one after another.
void check_launches(const TableReader& owner, const std::vector<Launch>& launches,
                    const std::vector<std::string>& loops) {
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const std::string& loop = launches[i].loop;
    if (loop.empty() || (i > 0 && launches[i - 1].loop == loop)) continue;
    const TomlNode& node = owner.elements("launch")[i];
    if (std::ranges::find(loops, loop) == loops.end())
      owner.fail(node, fmt::format("there is no loop '{}'{}", loop, suggestion(loop, loops)));
    if (std::ranges::find(seen, loop) != seen.end())
      owner.fail(node, fmt::format("the launches of the loop '{}' must stand together", loop));
    seen.push_back(loop);
  }
}

}  // namespace

std::vector<Loop> read_loops(const TableReader& owner, const std::string& what,
                             const std::vector<Launch>& launches) {
  std::vector<Loop> loops;
  std::vector<std::string> names;
  for (const TomlNode& node : owner.elements("loop")) {
    const TableReader table(owner.file(), node, what, {"name", "trips", "swap"});
    loops.push_back(read_loop(table, launches));
    take_name(table, loops.back().name, names);
  }
  check_launches(owner, launches, names);
  return loops;
}

}  // namespace tilewright
