#include "db/records/device_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tilewright {
namespace {

bool is_same_letter(unsigned char a, unsigned char b) {
  return std::tolower(a) == std::tolower(b);
}

}  // namespace

std::string full_name(const Device& device) {
  return device.partition.empty() ? device.name : device.name + ' ' + device.partition;
}

bool is_named(const Device& device, std::string_view part) {
  const std::string name = full_name(device);
  if (runs_on_cpu(device.kind) && std::ranges::equal(part, to_text(device.kind), is_same_letter))
    return true;
  return part.empty() || std::search(name.begin(), name.end(), part.begin(), part.end(),
                                     is_same_letter) != name.end();
}

void add_device(std::vector<Device>& devices, const Device& device) {
  if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
}

std::vector<Device> named_devices(const std::vector<Device>& devices, std::string_view text) {
  const auto is_whole = [text](const Device& device) {
    return std::ranges::equal(full_name(device), text, is_same_letter);
  };
  const bool is_any_whole = std::ranges::any_of(devices, is_whole);
  std::vector<Device> found = devices;
  std::erase_if(found, [&](const Device& device) {
    return is_any_whole ? !is_whole(device) : !is_named(device, text);
  });
  return found;
}

std::string names_of(const std::vector<Device>& devices) {
  std::string names;
  for (const Device& device : devices)
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", full_name(device));
  return names;
}

}  // namespace tilewright
