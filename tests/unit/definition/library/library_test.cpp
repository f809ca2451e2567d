#include "definition/library/library.hpp"

#include <gtest/gtest.h>

#include "definition/problem.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

std::string operation_text(const std::string& name) {
  return "[operation]\nname = \"" + name + R"("
[[operation.dimension]]
name = "n"
default = 8
[[operation.argument]]
name = "data"
role = "inout"
count = "n"
[operation.reference]
builtin = "sum"
)";
}

std::string implementation_text(const std::string& name, const std::string& operation) {
  return "[[implementation]]\nname = \"" + name + "\"\noperation = \"" + operation + R"("
source = "kernel.cu"
[[implementation.launch]]
entry = "kernel"
grid = ["n"]
block = [1]
arguments = ["data"]
)";
}

const std::string kSchema = "schema = 1\n";

class LibraryTest : public testing::Test {
 protected:
  LibraryTest() {
    add_operation("sort");
    add_implementation("sort", "quick", "sort");
    add_implementation("sort", "bubble", "sort");
    add_operation("add");
    add_implementation("add", "plain", "add");
    folder_.write("common/helpers.cuh", "");
    folder_.write("readme.txt", "");
  }

  void add_operation(const std::string& name) const {
    folder_.write(name + "/operation.toml", kSchema + operation_text(name));
  }
  void add_implementation(const std::string& folder, const std::string& name,
                          const std::string& operation) const {
    folder_.write(folder + '/' + name + "/kernel.cu", "");
    folder_.write(folder + '/' + name + '/' + name + ".toml",
                  kSchema + implementation_text(name, operation));
  }
  Library load() const { return Library::load({folder_.path()}); }

  std::string load_error() const {
    try {
      load();
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  FolderOfFiles folder_;
  FolderOfFiles other_;
};

TEST_F(LibraryTest, LoadsFamiliesSortedByName) {
  const Library library = load();
  ASSERT_EQ(library.families().size(), 2U);
  EXPECT_EQ(library.families().begin()->first, "add");
  const Family& sort = library.family("sort");
  ASSERT_EQ(sort.implementations.size(), 2U);
  EXPECT_EQ(sort.implementations[0].name, "bubble");
  EXPECT_EQ(sort.implementation("quick").full_name(), "sort/quick");
}

TEST_F(LibraryTest, NamesTheNearestOperationAndImplementation) {
  const Library library = load();
  try {
    library.family("sotr");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "no operation 'sotr'; did you mean 'sort'?");
  }
  try {
    library.family("sort").implementation("quik");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "the operation 'sort' has no implementation 'quik'; did you mean 'quick'?");
  }
}

TEST_F(LibraryTest, JoinsAnImplementationInASecondFolder) {
  other_.write("sort/merge/kernel.cu", "");
  other_.write("sort/merge/merge.toml", kSchema + implementation_text("merge", "sort"));
  const Library library = Library::load({other_.path(), folder_.path()});
  EXPECT_EQ(library.family("sort").implementations.size(), 3U);
}

TEST_F(LibraryTest, RefusesMissingFoldersAndOperations) {
  EXPECT_THROW(Library::load({folder_.path() / "none"}), InputError);
  add_implementation("shuffle", "fast", "shuffle");
  EXPECT_NE(load_error().find("no operation 'shuffle' for the implementation 'fast'"),
            std::string::npos);
}

TEST_F(LibraryTest, RefusesOneNameTwice) {
  add_implementation("sort", "other", "sort");
  folder_.write("sort/other/other.toml", kSchema + implementation_text("quick", "sort"));
  EXPECT_NE(load_error().find("'sort/quick' is already defined by"), std::string::npos);
  folder_.write("sort/other/other.toml", kSchema + implementation_text("other", "sort"));
  folder_.write("again/operation.toml", kSchema + operation_text("sort"));
  EXPECT_NE(load_error().find("operation 'sort' is already defined by"), std::string::npos);
}

TEST_F(LibraryTest, RefusesAnOperationOfTheUsersOwnWithAKnownName) {
  other_.write("kernel.cu", "");
  const auto file = other_.write(
      "user.toml", kSchema + operation_text("sort") + implementation_text("mine", "sort"));
  try {
    load_manifest(file, load());
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("user.toml: the operation 'sort' is already defined"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(load_manifest(file, Library::load({}, {file})).implementations.size(), 1U);
}

TEST_F(LibraryTest, ChecksImplementationsAgainstTheirOperation) {
  folder_.write("add/plain/plain.toml",
                kSchema + implementation_text("plain", "add") + "shared_bytes = \"m\"\n");
  EXPECT_NE(load_error().find("plain.toml:11:17: unknown name 'm'"), std::string::npos)
      << load_error();
}

TEST_F(LibraryTest, LoadsAKernelOfTheUsersOwn) {
  other_.write("kernel.cu", "");
  const auto file = other_.write("user.toml", kSchema + operation_text("mine") +
                                                  implementation_text("b", "mine") +
                                                  implementation_text("a", "mine"));
  const Family family = load_manifest(file, Library());
  EXPECT_EQ(family.operation.name, "mine");
  ASSERT_EQ(family.implementations.size(), 2U);
  EXPECT_EQ(family.implementations[0].name, "a");
}

TEST_F(LibraryTest, LoadsAnotherImplementationOfAKnownOperation) {
  other_.write("kernel.cu", "");
  const Library library = load();
  const Family family = load_manifest(
      other_.write("user.toml", kSchema + implementation_text("radix", "sort")), library);
  EXPECT_EQ(family.operation.name, "sort");
  ASSERT_EQ(family.implementations.size(), 1U);
  EXPECT_EQ(family.implementations[0].name, "radix");
  // The library's own file may be named too.
  EXPECT_EQ(load_manifest(folder_.path() / "sort/quick/quick.toml", library).implementations.size(),
            1U);
}

TEST_F(LibraryTest, RefusesFilesThatDefineNothingToRun) {
  other_.write("kernel.cu", "");
  const Library library = load();
  const auto refused = [&](const std::string& text) {
    EXPECT_THROW(load_manifest(other_.write("user.toml", kSchema + text), library), InputError)
        << text;
  };
  refused(operation_text("mine"));
  refused(implementation_text("quick", "sort"));
  refused(implementation_text("radix", "srot"));
  refused(implementation_text("radix", "sort") + implementation_text("radix", "add"));
}

TEST(BuiltInLibrary, EveryShippedManifestIsSound) {
  const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  for (const auto& [name, family] : library.families())
    EXPECT_FALSE(family.implementations.empty()) << name;
  EXPECT_EQ(library.family("gemm").implementation("tiled").parameters.empty(), false);
  EXPECT_EQ(library.family("conv1d").implementation("halo").parameters.empty(), false);
}

// Problems that are larger than the constraint allows, of each operation.
TEST(BuiltInLibrary, KernelsRefuseWhatIsBeyondTheirIndices) {
  using Assignments = std::vector<std::string>;
  const std::map<std::string, std::vector<Assignments>> large = {
      {"conv1d", {{"length=1073741824", "batch=2"}}},
      {"conv2d", {{"width=65536", "height=32768"}}},
      {"conv2d_separable", {{"width=65536", "height=32768"}}},
      {"conv3d", {{"width=2048", "height=1024", "depth=1024"}}},
      {"conv_layer",
       {{"channels_in=64", "channels_out=1", "width=4096", "batch=2"},
        {"channels_in=1", "channels_out=64", "width=4096", "batch=2"},
        {"channels_in=65536", "channels_out=32768", "width=1", "filter_width=1", "batch=1"}}},
      {"stencil3d", {{"width=2048", "height=1024", "depth=1024"}}},
      {"gemm",
       {{"M=65536", "N=16", "K=32768"},
        {"M=16", "N=65536", "K=32768"},
        {"M=65536", "N=32768", "K=16"},
        {"M=N=K=1024", "batch=2049"}}}};
  const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  const Device device;
  for (const auto& [name, family] : library.families()) {
    const Problem usual = make_problem(family.operation, Assignments{}, device);
    for (const Implementation& one : family.implementations) {
      if (one.is_routine()) continue;  // its indices are the library's
      const Configuration usual_one = default_configuration(one);
      const Constraint& rule = one.constraints.front();
      EXPECT_NE(rule.why.find("32 bits"), std::string::npos) << one.full_name();
      for (const Assignments& problem : large.at(name)) {
        const Problem beyond = make_problem(family.operation, problem, device);
        EXPECT_FALSE(rule.require.is_true(full_scope(beyond, usual_one, device)))
            << one.full_name() << ' ' << problem.front();
      }
      EXPECT_TRUE(rule.require.is_true(full_scope(usual, usual_one, device))) << one.full_name();
    }
  }
}

TEST(StencilExample, IsSound) {
  const std::filesystem::path folder =
      std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "examples" / "stencil5";
  const Family family = load_manifest(folder / "stencil5.toml", Library());
  const Implementation& tile = family.implementation("tile");
  EXPECT_EQ(tile.parameters.size(), 5U);
  EXPECT_EQ(tile.source, folder / "stencil5.cu");
  EXPECT_EQ(family.operation.reference.source, folder / "stencil5_reference.cu");
}

}  // namespace
}  // namespace tilewright
