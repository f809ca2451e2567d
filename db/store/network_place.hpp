#pragma once

#include <filesystem>
#include <string_view>

namespace tilewright {

// The kind of network file system on which the file is or would be made: "NFS", "Lustre". Empty for
// a file system of this machine, and for one that is not known. SQLite's locks do not work reliably
// between the machines that share such a file system.
std::string_view network_file_system(const std::filesystem::path& file);

// The same by the number that statfs() gives for a file system.
std::string_view network_file_system(long magic);

}  // namespace tilewright
