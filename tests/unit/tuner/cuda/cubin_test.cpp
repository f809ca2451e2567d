#include "tuner/cuda/compile/cubin.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/cuda/small_elf.hpp"

namespace tilewright::cuda {
namespace {

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

TEST(CubinVariables, AreItsObjects) {
  const std::vector<std::string> names = {"d_filter", "gains"};
  EXPECT_EQ(cubin_variables(make_elf(symbol_parts(names, STT_OBJECT), 90)), names);
  EXPECT_TRUE(cubin_variables(make_elf(symbol_parts(names, STT_FUNC), 90)).empty());
  EXPECT_TRUE(cubin_variables({}).empty());
}

TEST(CubinVariables, OfDamagedFilesAreThoseWithANameInIt) {
  std::vector<Part> parts = symbol_parts({"d_filter", "gains"}, STT_OBJECT);
  parts[0].contents.resize(2);  // the second name begins behind its end
  EXPECT_EQ(cubin_variables(make_elf(parts, 90)), std::vector<std::string>{"d"});
  parts[1].link = 9;  // there is no such section
  EXPECT_TRUE(cubin_variables(make_elf(parts, 90)).empty());
}

}  // namespace
}  // namespace tilewright::cuda
