#include "tuner/host/threads/module.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>

namespace tilewright::host {
namespace {

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();

// A library with one writable section from 0x1000 to 0x1100, and a symbol in it.
struct Library {
  Elf64_Ehdr header{};
  Elf64_Shdr data{}, symbols{}, names{};
  Elf64_Sym symbol{};
  char name[8] = "_ZZx";

  Library() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_shoff = offsetof(Library, data);
    header.e_shnum = 3;
    data.sh_flags = SHF_WRITE;
    data.sh_addr = 0x1000;
    data.sh_size = 0x100;
    symbols.sh_type = SHT_SYMTAB;
    symbols.sh_link = 2;
    symbols.sh_offset = offsetof(Library, symbol);
    symbols.sh_size = sizeof symbol;
    names.sh_offset = offsetof(Library, name);
    symbol.st_info = STT_OBJECT;
    symbol.st_value = 0x1010;
    symbol.st_size = 16;
  }

  std::size_t found() const {
    std::vector<std::uint8_t> code(sizeof *this);
    std::memcpy(code.data(), this, sizeof *this);
    return static_locals(code).size();
  }
};

TEST(StaticLocals, AreTheWritableVariablesOfFunctions) {
  EXPECT_EQ(Library().found(), 1U);
  Library other;
  other.name[2] = 'N';
  EXPECT_EQ(other.found(), 0U);
  other = {};
  other.data.sh_flags = 0;
  EXPECT_EQ(other.found(), 0U);
  EXPECT_TRUE(static_locals({}).empty());
}

TEST(StaticLocals, IgnoreWhatWouldWrapOrLieOutside) {
  using Field = std::uint64_t* (*)(Library&);
  const Field fields[] = {
      [](Library& l) { return &l.header.e_shoff; }, [](Library& l) { return &l.symbols.sh_offset; },
      [](Library& l) { return &l.names.sh_offset; }, [](Library& l) { return &l.symbol.st_value; },
      [](Library& l) { return &l.symbol.st_size; }};
  for (const Field& field : fields)
    for (const std::uint64_t value : {kHuge, kHuge - 2, kHuge - 16, kHuge / 2, kHuge - 0x1000}) {
      Library library;
      *field(library) = value;
      EXPECT_EQ(library.found(), 0U) << &field - fields << ' ' << value;
    }
}

TEST(StaticLocals, ReadNoMoreSymbolsThanThereAre) {
  Library library;
  library.symbols.sh_size = kHuge;
  library.header.e_shnum = std::numeric_limits<Elf64_Half>::max();
  EXPECT_EQ(library.found(), 1U);
}

}  // namespace
}  // namespace tilewright::host
