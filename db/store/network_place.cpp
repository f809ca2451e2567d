#include "db/store/network_place.hpp"

#include <sys/vfs.h>

#include <array>

namespace tilewright {
namespace {

namespace fs = std::filesystem;

struct NetworkSystem {
  unsigned long magic;
  std::string_view name;
};

// Linux's magic.h, and the headers of systems that are not part of Linux.
constexpr std::array kNetworkSystems = std::to_array<NetworkSystem>({
    {0x6969, "NFS"},
    {0x517b, "SMB"},
    {0xfe534d42, "SMB"},
    {0xff534d42, "CIFS"},
    {0x00c36400, "Ceph"},
    {0x0bd00bd0, "Lustre"},
    {0x19830326, "BeeGFS"},
    {0x47504653, "GPFS"},
    {0x5346414f, "AFS"},
    {0x20030528, "OrangeFS"},
    {0xaad7aaea, "PanFS"},
});

}  // namespace

std::string_view network_file_system(const fs::path& file) {
  std::error_code ignored;
  fs::path place = fs::absolute(file, ignored);
  struct statfs facts = {};
  while (statfs(place.c_str(), &facts) != 0) {
    if (!place.has_relative_path()) return "";
    place = place.parent_path();
  }
  return network_file_system(static_cast<long>(facts.f_type));
}

std::string_view network_file_system(long magic) {
  constexpr unsigned long kBits = 0xffffffff;  // it may have been taken for a negative number
  for (const NetworkSystem& system : kNetworkSystems)
    if (system.magic == (static_cast<unsigned long>(magic) & kBits)) return system.name;
  return "";
}

}  // namespace tilewright
