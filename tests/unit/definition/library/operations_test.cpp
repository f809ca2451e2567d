#include <gtest/gtest.h>

#include "definition/library/library.hpp"
#include "tests/unit/definition/manifest/manifest_fixture.hpp"

namespace tilewright {
namespace {

std::string operation_text(const std::string& name, const std::string& dimension) {
  return "[[operation]]\nname = \"" + name + "\"\n[[operation.dimension]]\nname = \"" + dimension +
         "\"\ndefault = 8\n[[operation.argument]]\nname = \"out\"\nrole = \"output\"\ncount = \"" +
         dimension + "\"\n\n";
}

std::string implementation_text(const std::string& operation, const std::string& name,
                                const std::string& grid) {
  return "[[implementation]]\nname = \"" + name + "\"\n" +
         (operation.empty() ? "" : "operation = \"" + operation + "\"\n") +
         "source = \"kernel.cu\"\n[[implementation.launch]]\nentry = \"kernel\"\ngrid = [\"" +
         grid + "\"]\nblock = [32]\narguments = [\"out\"]\n\n";
}

const std::string kTwoInOneFile =
    "schema = 1\n" + operation_text("first", "m") + operation_text("second", "n") +
    implementation_text("first", "a", "m") + implementation_text("second", "b", "n") +
    implementation_text("second", "a", "n");

class SeveralOperations : public ManifestTest {
 protected:
  std::filesystem::path file() const { return folder_.write("test.toml", kTwoInOneFile); }
};

TEST_F(SeveralOperations, StandInOneFileWithTheirImplementations) {
  const Manifest manifest = read(kTwoInOneFile);
  EXPECT_EQ(manifest.operations.size(), 2U);
  ASSERT_NE(manifest.find("second"), nullptr);
  EXPECT_EQ(manifest.find("second")->dimensions.at(0).name, "n");
  EXPECT_EQ(manifest.find("third"), nullptr);
  const std::vector<Family> families = load_families(file(), Library{});
  ASSERT_EQ(families.size(), 2U);
  EXPECT_EQ(families[0].operation.name, "first");
  EXPECT_EQ(families[1].implementations.size(), 2U);
  EXPECT_EQ(load_manifest(file(), Library{}, "second").implementation("b").full_name(), "second/b");
  const Library library = Library::load({}, {file()});
  EXPECT_EQ(library.family("first").implementations.size(), 1U);
  EXPECT_EQ(library.family("second").implementations.size(), 2U);
  EXPECT_EQ(Library::of({manifest}).family("second").implementations.size(), 2U);
}

TEST_F(SeveralOperations, OneMustBeNamedAndKnown) {
  const auto error = [&](const std::string& name) -> std::string {
    try {
      load_manifest(file(), Library{}, name);
    } catch (const InputError& thrown) {
      return thrown.what();
    }
    return "";
  };
  EXPECT_NE(error("").find("of 2 operations; name one: "), std::string::npos) << error("");
  EXPECT_NE(error("").find("test.toml/second"), std::string::npos) << error("");
  EXPECT_NE(error("third").find("has no 'third'; it has "), std::string::npos) << error("third");
}

TEST_F(SeveralOperations, MistakesAreFoundInTheRightOne) {
  const auto expect = [&](const std::string& from, const std::string& to, const char* part) {
    std::string text = kTwoInOneFile;
    text.replace(text.rfind(from), from.size(), to);
    const std::string error = error_of(text);
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  expect("count = \"n\"", "count = \"m\"", ":20:10: unknown name 'm'");
  expect("name = \"second\"", "name = \"first\"", ":12:1: the operation 'first' is defined twice");
  expect("operation = \"second\"", "", "'operation'");
  expect("grid = [\"n\"]", "grid = [\"m\"]", "unknown name 'm'");
  EXPECT_NE(error_of("schema = 1\noperation = []\n").find("empty array"), std::string::npos);
  EXPECT_NE(error_of("schema = 1\noperation = [3]\n" + implementation_text("x", "a", "1"))
                .find("must be a table"),
            std::string::npos)
      << error_of("schema = 1\noperation = [3]\n" + implementation_text("x", "a", "1"));
}

TEST_F(SeveralOperations, MayUseKnownOperationsToo) {
  const Library library = Library::of({read(kTwoInOneFile)});
  const auto more =
      folder_.write("more.toml", "schema = 1\n" + implementation_text("first", "c", "m") +
                                     implementation_text("second", "c", "n"));
  const std::vector<Family> families = load_families(more, library);
  ASSERT_EQ(families.size(), 2U);
  EXPECT_EQ(families[1].operation.name, "second");
  EXPECT_EQ(families[1].implementations.size(), 1U);
}

}  // namespace
}  // namespace tilewright
