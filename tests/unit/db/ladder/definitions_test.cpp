#include "db/ladder/question.hpp"

#include <gtest/gtest.h>

#include "tests/support/folder_of_files.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

const std::filesystem::path kTemplates =
    std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates";

constexpr const char* kOperation = R"(schema = 1
[operation]
name = "NAME"
[[operation.dimension]]
name = "n"
default = 8
[[operation.argument]]
name = "data"
role = "inout"
count = "n"
[operation.reference]
builtin = "sum"
[[implementation]]
name = "plain"
source = "kernel.cu"
[[implementation.launch]]
entry = "kernel"
grid = ["n"]
block = [1]
arguments = ["data"]
)";

constexpr const char* kGemm = R"(schema = 1
[[implementation]]
name = "mine"
operation = "gemm"
source = "kernel.cu"
[[implementation.launch]]
entry = "kernel"
grid = ["M"]
block = [1]
arguments = ["c"]
)";

class DefinitionsTest : public testing::Test {
 protected:
  DefinitionsTest() { folder_.write("kernel.cu", ""); }

  std::filesystem::path write(const std::string& file, std::string text,
                              const std::string& name) const {
    if (const std::size_t at = text.find("NAME"); at != std::string::npos)
      text.replace(at, 4, name);
    return folder_.write(file, text);
  }

  template <class Call>
  static std::string message_of(const Call& call) {
    try {
      call();
    } catch (const InputError& error) {
      return error.what();
    }
    return "(nothing was thrown)";
  }

  FolderOfFiles folder_;
};

TEST_F(DefinitionsTest, ChoosesAllOrOneImplementation) {
  const auto definitions = Library::load({kTemplates}, {});
  EXPECT_GE(choose_operation(definitions, "gemm").implementations.size(), 2U);
  const ChosenOperation one = choose_operation(definitions, "gemm/tiled");
  EXPECT_EQ(one.operation->name, "gemm");
  ASSERT_EQ(one.implementations.size(), 1U);
  EXPECT_EQ(one.implementations.front()->full_name(), "gemm/tiled");
}

TEST_F(DefinitionsTest, NamesTheNearestKnownOne) {
  const auto definitions = Library::load({kTemplates}, {});
  EXPECT_NE(message_of([&] { choose_operation(definitions, "gem"); }).find("'gemm'"),
            std::string::npos);
  EXPECT_NE(message_of([&] { choose_operation(definitions, "gemm/tiledd"); }).find("'tiled'"),
            std::string::npos);
  EXPECT_THROW(choose_operation(definitions, ""), InputError);
  EXPECT_THROW(choose_operation(definitions, "gemm/"), InputError);
}

TEST_F(DefinitionsTest, TakesSingleFilesBesideFolders) {
  const auto definitions = Library::load(
      {kTemplates}, {write("own.toml", kOperation, "own"), write("mine.toml", kGemm, "")});
  EXPECT_EQ(choose_operation(definitions, "own").implementations.size(), 1U);
  EXPECT_EQ(choose_operation(definitions, "gemm").implementations.size(),
            1 + choose_operation(Library::load({kTemplates}), "gemm").implementations.size());
  EXPECT_EQ(choose_operation(definitions, "gemm/mine").implementations.front()->name, "mine");
}

TEST_F(DefinitionsTest, GivesAnOperationTheSnippetsThatAQuestionNames) {
  const std::string text =
      "schema = 1\n[snippet]\nname = \"NAME\"\nhook = \"epilogue\"\n"
      "code = \"return value;\"\n";
  const auto definitions = Library::load({kTemplates}, {write("mine.toml", text, "mine")});
  for (const std::string name : {"mine", "bias_relu"}) {
    Settings values = {{"M", 8}, {"epilogue", name}};
    const ChosenOperation choice = choose_operation(definitions, "gemm/tiled", values);
    ASSERT_EQ(choice.implementations.size(), 1U);
    EXPECT_EQ(choice.operation->hooks.at(0).snippet->name, name);
    EXPECT_EQ(values.at("epilogue"), Value{choice.operation->hooks.at(0).snippet->label()});
  }
  Settings none = {{"M", 8}};
  EXPECT_FALSE(choose_operation(definitions, "gemm", none).operation->hooks.at(0).snippet);
  Settings unknown = {{"epilogue", "theirs"}};
  EXPECT_THROW(choose_operation(definitions, "gemm", unknown), InputError);
  EXPECT_THROW(Library::load({kTemplates}, {write("again.toml", text, "bias_relu")}), InputError);
}

TEST_F(DefinitionsTest, RefusesOneNameTwice) {
  const auto own = write("own.toml", kOperation, "own");
  const auto again = write("again.toml", kOperation, "own");
  const std::string twice = message_of([&] { Library::load({kTemplates}, {own, again}); });
  EXPECT_NE(twice.find("again.toml: the operation 'own'"), std::string::npos) << twice;
  EXPECT_NE(twice.find("is already defined by " + own.string()), std::string::npos) << twice;
  EXPECT_THROW(Library::load({kTemplates}, {write("gemm.toml", kOperation, "gemm")}), InputError);
  const auto mine = write("mine.toml", kGemm, "");
  const auto mine_again = write("mine_again.toml", kGemm, "");
  const std::string message = message_of([&] { Library::load({kTemplates}, {mine, mine_again}); });
  EXPECT_NE(message.find("'gemm/mine'"), std::string::npos) << message;
}

}  // namespace
}  // namespace tilewright
