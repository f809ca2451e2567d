#include "tuner/cuda/compile/cubin.hpp"

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

// The text that begins there and ends with a zero.
std::optional<std::string_view> text_at(std::string_view texts, std::uint64_t offset) {
  if (offset >= texts.size()) return std::nullopt;
  const std::string_view text = texts.substr(offset);
  return text.substr(0, std::min(text.find('\0'), text.size()));
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
    const auto name = text_at(names, section.header.sh_name);
    if (!name) return std::nullopt;
    section.name = *name;
  }
  return sections;
}

// Nothing of what is no cubin.
std::optional<std::vector<Section>> sections_of(const Bytes& cubin) {
  const auto header = read_at<Elf64_Ehdr>(cubin, 0);
  const bool is_elf = header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
                      header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_shoff != 0;
  return is_elf ? read_sections(cubin, *header) : std::nullopt;
}

}  // namespace

std::string cubin_hash(const Bytes& cubin) {
  const auto sections = sections_of(cubin);
  if (!sections) return hex_hash(cubin);
  SequenceHash hash;
  hash.add(read_at<Elf64_Ehdr>(cubin, 0)->e_flags);  // the architecture
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

std::vector<std::string> cubin_variables(const Bytes& cubin) {
  std::vector<std::string> variables;
  const auto sections = sections_of(cubin);
  if (!sections) return variables;
  for (const Section& section : *sections) {
    const std::size_t names = section.header.sh_link;
    if (section.header.sh_type != SHT_SYMTAB || names >= sections->size()) continue;
    for (std::uint64_t i = 0; i + sizeof(Elf64_Sym) <= section.contents.size();
         i += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, section.contents.data() + i, sizeof symbol);
      const auto name = text_at((*sections)[names].contents, symbol.st_name);
      if (name && ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_shndx != SHN_UNDEF)
        variables.emplace_back(*name);
    }
  }
  return variables;
}

}  // namespace tilewright::cuda
