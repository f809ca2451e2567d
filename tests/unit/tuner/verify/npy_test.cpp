
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/folder_of_files.hpp"
#include "tests/unit/tuner/verify/samples.hpp"
#include "tilewright/error.hpp"
#include "tuner/verify/fill.hpp"

namespace tilewright {
namespace {

// As numpy 1.24 and 2.1 write it: the header is padded with spaces.
std::string npy(const std::string& descr, const std::string& order, const std::string& shape,
                const std::string& elements, char version = 1) {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  while ((header.size() + 11) % 64 != 0) header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY";
  file += {version, '\0', static_cast<char>(header.size()), '\0'};
  if (version > 1) file += {'\0', '\0'};
  return file + header + elements;
}

class Npy : public testing::Test {
 protected:
  std::vector<std::uint8_t> read(const std::string& bytes, ElementType type, std::int64_t count) {
    PlannedBuffer buffer = make_buffer("x", count, type);
    buffer.fill = {.kind = Fill::Kind::file, .file = folder_.write("x.npy", bytes)};
    return fill_buffer(buffer, 0, 1);
  }
  std::string refusal(const std::string& bytes, ElementType type, std::int64_t count) {
    try {
      read(bytes, type, count);
    } catch (const InputError& error) {
      const std::string what = error.what();
      EXPECT_EQ(what.rfind("the file that fills argument 'x': ", 0), 0U) << what;
      return what.substr(what.find("x.npy: ") + 7);
    }
    return "no error";
  }

  FolderOfFiles folder_;
};

using Bytes = std::vector<std::uint8_t>;

TEST_F(Npy, GivesTheElements) {
  EXPECT_EQ(read(npy("<i2", "False", "(2, 2)", "abcdefgh"), ElementType::int16, 4),
            (Bytes{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'}));
  EXPECT_EQ(read(npy("<i2", "False", "(4,)", "abcdefgh"), ElementType::int16, 2),
            (Bytes{'a', 'b', 'c', 'd'}));
  EXPECT_EQ(read(npy("|u1", "True", "(1,)", "a", 2), ElementType::uint8, 1), Bytes{'a'});
  EXPECT_EQ(read(npy("<f4", "False", "()", "abcd", 3), ElementType::float32, 1),
            (Bytes{'a', 'b', 'c', 'd'}));
  EXPECT_EQ(read(npy("<V2", "False", "(1,)", "ab"), ElementType::bfloat16, 1), (Bytes{'a', 'b'}));
  EXPECT_EQ(read(npy("|V1", "False", "(1,)", "a"), ElementType::float8_e4m3, 1), Bytes{'a'});
  EXPECT_EQ(read(npy("<f2", "False", "(1,)", "ab"), ElementType::float16, 1), (Bytes{'a', 'b'}));
  EXPECT_EQ(read(npy("<c8", "False", "(1,)", "abcdefgh"), ElementType::complex64, 1).size(), 8U);
}

TEST_F(Npy, RefusesOtherContentsByName) {
  EXPECT_EQ(refusal(npy("<f8", "False", "(4,)", ""), ElementType::float32, 1),
            "its elements are '<f8', and float32 is '<f4'");
  EXPECT_EQ(refusal(npy(">f4", "False", "(4,)", ""), ElementType::float32, 1),
            "its elements are '>f4', and float32 is '<f4'");
  EXPECT_EQ(refusal(npy("<f4", "True", "(2, 2)", ""), ElementType::float32, 1),
            "it is in Fortran's order; save numpy.ascontiguousarray() of it");
  EXPECT_EQ(refusal(npy("<f4", "False", "(2, 2)", ""), ElementType::float32, 5),
            "has 4 elements; 5 are needed");
  EXPECT_NE(refusal(npy("<f4", "False", "(2, 2)", "abcd"), ElementType::float32, 4)
                .find("bytes; 144 are needed"),
            std::string::npos);
}

TEST_F(Npy, RefusesWhatIsDamaged) {
  const std::string good = npy("<f4", "False", "(4,)", "0123456789abcdef");
  EXPECT_EQ(refusal("", ElementType::float32, 1), "it is not a .npy file");
  EXPECT_EQ(refusal(std::string(64, 'x'), ElementType::float32, 1), "it is not a .npy file");
  EXPECT_EQ(refusal(good.substr(0, 40), ElementType::float32, 1), "it ends within its header");
  std::string huge = npy("<f4", "False", "(4,)", "", 2);
  huge[11] = '\x7f';
  EXPECT_NE(refusal(huge, ElementType::float32, 1).find("the most is 65536"), std::string::npos);
  for (const char* shape : {"4", "(-4,)", "(4, x)", "(9223372036854775807, 2)", "(4"}) {
    SCOPED_TRACE(shape);
    EXPECT_EQ(refusal(npy("<f4", "False", shape, ""), ElementType::float32, 1),
              "its header has no type, order and shape as numpy.save() writes them");
  }
}

}  // namespace
}  // namespace tilewright
