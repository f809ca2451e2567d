#include "tuner/cuda/compile/cubin.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tuner/cuda/small_elf.hpp"
#include "tuner/backend/units.hpp"

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

std::string bytes(std::initializer_list<int> all) {
  std::string text;
  for (const int one : all) text += static_cast<char>(one);
  return text;
}

// As NVRTC 13 writes them for (const float*, int) and, of 20000 bytes, (Big).
const std::string kSecond = bytes({4, 0x17, 12, 0, 0, 0, 0, 0, 1, 0, 8, 0, 0, 0xf0, 0x11, 0});
const std::string kFirst = bytes({4, 0x17, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x21, 0});
const std::string kAll = bytes({3, 0x19, 12, 0});
const std::string kBig = bytes({4, 0x45, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0x4e, 0, 0});
const std::string kOther = bytes({3, 0x1b, 0xff, 0, 2, 0x4a, 0, 0, 4, 0x37, 4, 0, 1, 2, 3, 4});

using Sizes = std::vector<std::int64_t>;

std::optional<Sizes> parameters_in(const std::string& attributes) {
  return kernel_parameters(make_elf({{".text.k", "code"}, {".nv.info.k", attributes}}, 90), "k");
}

TEST(KernelParameters, AreWhatTheCodeSays) {
  EXPECT_EQ(parameters_in(kOther + kSecond + kFirst + kAll), (Sizes{8, 4}));
  EXPECT_EQ(parameters_in(kAll + kFirst + kSecond + kOther), (Sizes{8, 4}));
  EXPECT_EQ(parameters_in(kBig + bytes({3, 0x19, 0x20, 0x4e})), (Sizes{20000}));
  EXPECT_EQ(parameters_in(kOther), Sizes{});
}

TEST(KernelParameters, AreNotKnownOfCodeThatDoesNotSay) {
  EXPECT_EQ(kernel_parameters({}, "k"), std::nullopt);
  Bytes units = join_units({make_elf({{".nv.info.k", kOther}}, 90), {}});
  EXPECT_EQ(kernel_parameters(units, "0:k"), Sizes{});
  EXPECT_EQ(kernel_parameters(units, "2:k"), std::nullopt);
  units.pop_back();
  EXPECT_EQ(kernel_parameters(units, "0:k"), std::nullopt);
  EXPECT_EQ(kernel_parameters(make_elf({{".nv.info.j", kOther}}, 90), "k"), std::nullopt);
  EXPECT_EQ(parameters_in(kSecond + kAll), std::nullopt) << "the first is missing";
  EXPECT_EQ(parameters_in(kFirst + kFirst + kAll), std::nullopt);
  EXPECT_EQ(parameters_in(kFirst + kAll), std::nullopt) << "they end elsewhere";
  EXPECT_EQ(parameters_in(kFirst + kSecond), std::nullopt) << "nothing says where they end";
  EXPECT_EQ(parameters_in(kAll), std::nullopt) << "they are said in another way";
  const std::string whole = kAll + kFirst + kSecond;
  for (std::size_t length = 1; length < whole.size(); ++length)
    EXPECT_EQ(parameters_in(whole.substr(0, length)), std::nullopt) << length;
  EXPECT_EQ(parameters_in(bytes({4, 0x17, 2, 0, 1, 2})), std::nullopt)
      << "too short for a parameter";
  EXPECT_EQ(parameters_in(bytes({4, 0x17, 0xff, 0xff, 1, 2})), std::nullopt) << "beyond the end";
}

}  // namespace
}  // namespace tilewright::cuda
