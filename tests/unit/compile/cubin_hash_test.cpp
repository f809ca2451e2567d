#include "tuner/cuda/compile/cubin_hash.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string_view>

namespace tilewright::cuda {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Part {
  std::string name;
  std::string contents;
};

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// An ELF file of these sections behind a table of names.
Bytes make_elf(const std::vector<Part>& parts, Elf64_Word flags) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_flags = flags;
  std::string names("\0.shstrtab\0", 11);
  std::string body;
  std::vector<Elf64_Shdr> sections;
  const auto add = [&](std::size_t name, const std::string& contents) {
    Elf64_Shdr section{};
    section.sh_name = static_cast<Elf64_Word>(name);
    section.sh_type = SHT_PROGBITS;
    section.sh_offset = sizeof header + body.size();
    section.sh_size = contents.size();
    body += contents;
    sections.push_back(section);
  };
  for (const Part& part : parts) {
    add(names.size(), part.contents);
    names += part.name + '\0';
  }
  add(1, names);
  header.e_shoff = sizeof header + body.size();
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  header.e_shstrndx = static_cast<Elf64_Half>(sections.size() - 1);
  std::string file(bytes_of(header));
  file += body;
  for (const Elf64_Shdr& section : sections) file += bytes_of(section);
  return {file.begin(), file.end()};
}

TEST(CubinHash, IgnoresNotesOfAnyLength) {
  const Bytes old_toolkit = make_elf({{".note.nv.tkinfo", "V13.0.88"}, {".text.k", "code"}}, 90);
  const Bytes new_toolkit = make_elf({{".note.nv.tkinfo", "V13.10.1 -v"}, {".text.k", "code"}}, 90);
  EXPECT_NE(old_toolkit, new_toolkit);
  EXPECT_EQ(cubin_hash(old_toolkit), cubin_hash(new_toolkit));
  EXPECT_EQ(cubin_hash(old_toolkit).size(), 32U);
}

TEST(CubinHash, SeesCodeNamesAndArchitecture) {
  const std::string base = cubin_hash(make_elf({{".text.k", "code"}}, 90));
  EXPECT_NE(base, cubin_hash(make_elf({{".text.k", "c0de"}}, 90)));
  EXPECT_NE(base, cubin_hash(make_elf({{".text.j", "code"}}, 90)));
  EXPECT_NE(base, cubin_hash(make_elf({{".text.k", "code"}}, 80)));
}

TEST(CubinHash, HashesDamagedFilesWhole) {
  Bytes file = make_elf({{".note.nv.tkinfo", "V13"}, {".text.k", "code"}}, 90);
  const std::string whole = cubin_hash(file);
  file.resize(file.size() - 10);  // the last section header is cut off
  const std::string cut = cubin_hash(file);
  EXPECT_NE(cut, whole);
  file[sizeof(Elf64_Ehdr)] ^= 1U;  // in the note, which counts now
  EXPECT_NE(cubin_hash(file), cut);
  EXPECT_NE(cubin_hash({}), cubin_hash({0}));
}

}  // namespace
}  // namespace tilewright::cuda
