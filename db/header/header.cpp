#include "db/header/header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <type_traits>

#include "db/header/cpp_code.hpp"
#include "db/header/operation_code.hpp"
#include "db/records/device_name.hpp"
#include "definition/fields.hpp"
#include "definition/text/escape.hpp"
#include "tilewright/version.hpp"

namespace tilewright {
namespace {

std::vector<Device> devices_of(const std::vector<HeaderPart>& parts) {
  std::vector<Device> devices;
  for (const HeaderPart& part : parts) {
    for (const BestRow& row : part.rows) add_device(devices, row.device);
    for (const PortableRow& row : part.portable) add_device(devices, row.device);
  }
  std::ranges::sort(devices);
  return devices;
}

// Calls visit(field, value) for each number of the header's Device.
void for_each_number(const Device& device, const auto& visit) {
  for_each_field(device, [&visit](const DeviceField& field, const auto& value) {
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(value)>>)
      if (field.in_expressions) visit(field, value);
  });
}

std::string initialiser(const Device& device, std::size_t index) {
  std::string text = fmt::format("{{{}, {}, {}", cpp_literal(device.name),
                                 cpp_literal(device.partition), runs_on_cpu(device.kind));
  for_each_number(device,
                  [&text](const DeviceField&, auto value) { text += fmt::format(", {}", value); });
  return text + fmt::format(", {}}}", index);
}

// The members of the header's Device after those in header.txt.
std::string members_text() {
  std::string text;
  for_each_number({}, [&text](const DeviceField& field, auto) {
    if (field.name != std::string_view("compute_capability"))
      text += fmt::format("{}  long long {};", text.empty() ? "" : "\n", field.name);
  });
  return text;
}

std::string devices_text(const std::vector<Device>& devices) {
  std::string text =
      "// Those with results.\nconstexpr int device_count = " + std::to_string(devices.size()) +
      ";\ninline constexpr Device devices[] = {";
  for (std::size_t i = 0; i < devices.size(); ++i)
    text += "\n    " + initialiser(devices[i], i) + ',';
  text += devices.empty() ? "{}};\n" : "\n};\n";
  return text + R"(
// The first of them with this name and, if it is given, this number of SMs; null if there is none.
constexpr const Device* find_device(std::string_view name, long long sm_count = 0) {
  for (int i = 0; i < device_count; ++i)
    if (devices[i].name == name && (sm_count == 0 || devices[i].sm_count == sm_count))
      return &devices[i];
  return nullptr;
}
)";
}

// At least 1, because it is the length of an array.
std::size_t most_parameters(const std::vector<HeaderPart>& parts) {
  std::size_t most = 1;
  for (const HeaderPart& part : parts)
    for (const Implementation& one : part.family.implementations)
      most = std::max(most, one.parameters.size());
  return most;
}

std::string operation_text(const HeaderPart& part, const std::vector<Device>& devices) {
  OperationCode code(part);
  const std::string problem = code.problem_text();
  const std::string functions = code.functions_text();
  const std::string tables = tables_text(part, devices, code);
  const std::string name = part.family.operation.name;
  return fmt::format(
      R"(
{0}
namespace detail {{

struct {1}_operation {{
{2}{3}}};

}}  // namespace detail

namespace {4} {{

inline Answer look_up(const Problem& problem, const Device& device, Cache cache = Cache::usual) {{
  return detail::look_up<detail::{1}_operation>(problem, device, cache);
}}

constexpr Answer exact(const Problem& problem, const Device& device, Cache cache = Cache::usual) {{
  return detail::exact<detail::{1}_operation>(problem, device, cache);
}}

}}  // namespace {4}
)",
      problem, name, functions, tables, cpp_name(name));
}

// Puts the parts in the places of their @NAME@. One pass: what a part contains is not a place.
std::string filled(std::string_view text, const std::map<std::string_view, std::string>& parts) {
  std::string result;
  for (;;) {
    const std::size_t begin = text.find('@');
    const std::size_t end = begin == std::string_view::npos ? begin : text.find('@', begin + 1);
    if (end == std::string_view::npos) return result.append(text);
    const auto part = parts.find(text.substr(begin + 1, end - begin - 1));
    const bool is_place = part != parts.end();
    result += text.substr(0, is_place ? begin : end);
    if (is_place) result += part->second;
    text.remove_prefix(is_place ? end + 1 : end);
  }
}

// The text within the source's namespace.
std::string body_of(std::string_view source) {
  const std::string_view opening = " {\n\n";
  const std::size_t begin = source.find(opening, source.find("\nnamespace ")) + opening.size();
  return std::string(source.substr(begin, source.rfind("\n}  // namespace") - begin));
}

}  // namespace

std::string export_header(std::vector<HeaderPart> parts) {
  for (HeaderPart& part : parts)
    std::erase_if(part.family.implementations, &Implementation::is_routine);
  const std::vector<Device> devices = devices_of(parts);
  std::string text =
      filled(kHeaderText, {{"MOST_PARAMETERS", std::to_string(most_parameters(parts))},
                           {"DEVICES", devices_text(devices)},
                           {"DEVICE_MEMBERS", members_text()},
                           {"ARITHMETIC", body_of(kArithmeticSource)},
                           {"CYCLES", body_of(kCyclesSource)},
                           {"CORE", body_of(kLadderCoreSource)}});
  std::vector<const HeaderPart*> sorted;
  for (const HeaderPart& part : parts) sorted.push_back(&part);
  std::ranges::sort(sorted, {}, [](const HeaderPart* part) { return part->family.operation.name; });
  for (const HeaderPart* part : sorted) text += operation_text(*part, devices);
  return cpp_comment(fmt::format(
             "Written by tilewright {}: tuned configurations. C++17, no dependencies.", kVersion)) +
         '\n' + text + "\n}  // namespace tilewright_best\n\n#endif  // TILEWRIGHT_BEST_HPP\n";
}

}  // namespace tilewright
