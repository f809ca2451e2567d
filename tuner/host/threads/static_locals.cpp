#include "tuner/host/threads/static_locals.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>

namespace tilewright::host {
namespace {

using Code = std::span<const std::uint8_t>;
using FileHeader = ElfW(Ehdr);
using Section = ElfW(Shdr);
using Symbol = ElfW(Sym);

// Structures that lie at `offset` one after another: `count`, or fewer if the code ends before.
template <class T>
std::vector<T> structures_at(Code code, std::uint64_t offset, std::uint64_t count) {
  if (offset >= code.size()) return {};
  std::vector<T> all(std::min(count, (code.size() - offset) / sizeof(T)));
  if (!all.empty()) std::memcpy(all.data(), code.data() + offset, all.size() * sizeof(T));
  return all;
}

std::vector<Section> sections_of(Code code) {
  const std::vector<FileHeader> header = structures_at<FileHeader>(code, 0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return {};
  return structures_at<Section>(code, header[0].e_shoff, header[0].e_shnum);
}

// The mangled name of a variable inside a function begins with _ZZ. That of its guard variable
// begins with _ZGV.
bool is_of_a_function(Code code, const Section& names, const Symbol& symbol) {
  const std::vector<char> prefix = {'_', 'Z', 'Z'};
  std::uint64_t place = 0;
  return !__builtin_add_overflow(names.sh_offset, symbol.st_name, &place) &&
         structures_at<char>(code, place, prefix.size()) == prefix;
}

// Whether the symbol lies within a section that may be written.
bool is_writable(const std::vector<Section>& sections, const Symbol& symbol) {
  if (symbol.st_shndx >= sections.size()) return false;
  const Section& section = sections[symbol.st_shndx];
  return (section.sh_flags & SHF_WRITE) != 0 && symbol.st_value >= section.sh_addr &&
         symbol.st_size <= section.sh_size &&
         symbol.st_value - section.sh_addr <= section.sh_size - symbol.st_size;
}

}  // namespace

std::vector<AddressRange> static_locals(Code code) {
  std::vector<AddressRange> ranges;
  const std::vector<Section> sections = sections_of(code);
  for (const Section& table : sections) {
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections.size()) continue;
    for (const Symbol& symbol :
         structures_at<Symbol>(code, table.sh_offset, table.sh_size / sizeof(Symbol)))
      if ((symbol.st_info & 0xF) == STT_OBJECT && is_writable(sections, symbol) &&
          is_of_a_function(code, sections[table.sh_link], symbol))
        ranges.push_back({symbol.st_value, symbol.st_size});
  }
  return ranges;
}

}  // namespace tilewright::host
