#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::cuda {

using Bytes = std::vector<std::uint8_t>;

struct Part {
  std::string name;
  std::string contents;
  Elf64_Word type = SHT_PROGBITS;
  Elf64_Word link = 0;  // the number of a part
};

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// An ELF file of these sections behind a table of names.
inline Bytes make_elf(const std::vector<Part>& parts, Elf64_Word flags) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_flags = flags;
  std::string names("\0.shstrtab\0", 11);
  std::string body;
  std::vector<Elf64_Shdr> sections;
  const auto add = [&](std::size_t name, const Part& part) {
    Elf64_Shdr section{};
    section.sh_name = static_cast<Elf64_Word>(name);
    section.sh_type = part.type;
    section.sh_link = part.link;
    section.sh_offset = sizeof header + body.size();
    section.sh_size = part.contents.size();
    body += part.contents;
    sections.push_back(section);
  };
  for (const Part& part : parts) {
    add(names.size(), part);
    names += part.name + '\0';
  }
  add(1, {"", names});
  header.e_shoff = sizeof header + body.size();
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  header.e_shstrndx = static_cast<Elf64_Half>(sections.size() - 1);
  std::string file(bytes_of(header));
  file += body;
  for (const Elf64_Shdr& section : sections) file += bytes_of(section);
  return {file.begin(), file.end()};
}

// The parts of an ELF file with these symbols, all of one type.
inline std::vector<Part> symbol_parts(const std::vector<std::string>& names, unsigned char type) {
  Part texts{".strtab", std::string(1, '\0'), SHT_STRTAB};
  Part table{".symtab", "", SHT_SYMTAB, 0};
  for (const std::string& name : names) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(texts.contents.size());
    symbol.st_info = type;
    symbol.st_shndx = 1;
    texts.contents += name + '\0';
    table.contents += bytes_of(symbol);
  }
  return {texts, table};
}

}  // namespace tilewright::cuda
