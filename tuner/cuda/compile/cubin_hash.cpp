#include "tuner/cuda/compile/cubin_hash.hpp"

#include <elf.h>

#include <cstring>
#include <optional>
#include <string_view>

#include "definition/text/hash.hpp"

namespace tilewright::cuda {
namespace {

using Bytes = std::vector<std::uint8_t>;

// A copy of the structure at `offset`, if the file holds all of it.
template <class T>
std::optional<T> read_at(const Bytes& file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

struct Section {
  std::string_view name;
  Elf64_Shdr header{};
  std::string_view contents;
};

std::optional<std::string_view> contents_of(const Bytes& file, const Elf64_Shdr& header) {
  if (header.sh_type == SHT_NOBITS) return std::string_view{};
  if (header.sh_offset > file.size() || file.size() - header.sh_offset < header.sh_size)
    return std::nullopt;
  const auto* begin = reinterpret_cast<const char*>(file.data()) + header.sh_offset;
  return std::string_view(begin, header.sh_size);
}

std::optional<std::vector<Section>> read_sections(const Bytes& file, const Elf64_Ehdr& header) {
  std::vector<Section> sections;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto section = read_at<Elf64_Shdr>(file, header.e_shoff + i * sizeof(Elf64_Shdr));
    const auto contents = section ? contents_of(file, *section) : std::nullopt;
    if (!contents) return std::nullopt;
    sections.push_back({{}, *section, *contents});
  }
  if (header.e_shstrndx >= sections.size()) return std::nullopt;
  const std::string_view names = sections[header.e_shstrndx].contents;
  for (Section& section : sections) {
    if (section.header.sh_name >= names.size()) return std::nullopt;
    const std::string_view name = names.substr(section.header.sh_name);
    section.name = name.substr(0, std::min(name.find('\0'), name.size()));
  }
  return sections;
}

}  // namespace

std::string cubin_hash(const Bytes& cubin) {
  const auto header = read_at<Elf64_Ehdr>(cubin, 0);
  const bool is_elf = header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
                      header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_shoff != 0;
  const auto sections = is_elf ? read_sections(cubin, *header) : std::nullopt;
  if (!sections) return hex_hash(cubin);
  SequenceHash hash;
  hash.add(header->e_flags);  // the architecture
  for (const Section& section : *sections) {
    if (section.name.substr(0, 5) == ".note") continue;
    hash.add(section.name);
    hash.add(section.header.sh_type);
    hash.add(section.header.sh_flags);
    // Matters for sections without contents, such as shared memory.
    hash.add(section.header.sh_size);
    hash.add(section.contents);
  }
  return hash.hex();
}

}  // namespace tilewright::cuda
