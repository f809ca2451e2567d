#include "tuner/host/compile/static_locals.hpp"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <optional>
#include <string_view>

namespace tilewright::host {
namespace {

using Code = std::span<const std::uint8_t>;
using FileHeader = ElfW(Ehdr);
using Section = ElfW(Shdr);
using Symbol = ElfW(Sym);

template <class T>
std::optional<T> read(Code code, std::uint64_t offset) {
  if (offset > code.size() || code.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, code.data() + offset, sizeof value);
  return value;
}

std::vector<Section> sections_of(Code code) {
  std::vector<Section> sections;
  const auto header = read<FileHeader>(code, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return sections;
  for (unsigned i = 0; i < header->e_shnum; ++i)
    if (const auto section = read<Section>(code, header->e_shoff + i * sizeof(Section)))
      sections.push_back(*section);
  return sections;
}

// The mangled name of a variable inside a function begins with _ZZ. That of its guard variable
// begins with _ZGV.
bool is_of_a_function(Code code, const Section& names, const Symbol& symbol) {
  constexpr std::string_view kPrefix = "_ZZ";
  const std::uint64_t place = names.sh_offset + symbol.st_name;
  return place + kPrefix.size() <= code.size() &&
         std::memcmp(code.data() + place, kPrefix.data(), kPrefix.size()) == 0;
}

bool is_writable(const std::vector<Section>& sections, const Symbol& symbol) {
  return symbol.st_shndx < sections.size() && (sections[symbol.st_shndx].sh_flags & SHF_WRITE) != 0;
}

}  // namespace

std::vector<AddressRange> static_locals(Code code) {
  std::vector<AddressRange> ranges;
  const std::vector<Section> sections = sections_of(code);
  for (const Section& table : sections) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections.size()) continue;
    for (std::uint64_t at = 0; at + sizeof(Symbol) <= table.sh_size; at += sizeof(Symbol)) {
      const auto symbol = read<Symbol>(code, table.sh_offset + at);
      if (!symbol || (symbol->st_info & 0xF) != STT_OBJECT) continue;
      if (is_writable(sections, *symbol) &&
          is_of_a_function(code, sections[table.sh_link], *symbol))
        ranges.push_back({symbol->st_value, symbol->st_size});
    }
  }
  return ranges;
}

}  // namespace tilewright::host
