#include "definition/library/hook.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "definition/problem.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

constexpr const char* kBias = R"(schema = 1
[snippet]
name = "bias"
hook = "epilogue"
about = "adds"
code = '''
return value + bias[column] * scale;
'''
[[snippet.argument]]
name = "bias"
count = "column + taps"
[[snippet.argument]]
name = "scale"
kind = "scalar"
)";

Dimension dimension(const std::string& name, std::int64_t value) {
  Dimension result;
  result.name = name;
  result.default_value = value;
  return result;
}

// An operation with rows of `N + 1` columns, one implementation that calls its hook and one that
// does not.
Family hooked_family() {
  Family family;
  Operation& operation = family.operation;
  operation.name = "filter";
  operation.dimensions = {dimension("N", 10), dimension("taps", 3)};
  operation.hooks = {{"epilogue", "", {{"column", Expression::parse("N + 1")}}}};
  operation.bytes = Expression::parse("4 * N");
  operation.reference.builtin = "filter";
  operation.reference.source = "reference.cu";
  Implementation calls;
  calls.name = "calls";
  calls.operation = "filter";
  LaunchArgument hook;
  hook.name = "epilogue";
  calls.launches = {Launch{}};
  calls.launches[0].arguments = {hook};
  Implementation ignores = calls;
  ignores.name = "ignores";
  ignores.launches[0].arguments.clear();
  family.implementations = {calls, ignores};
  return family;
}

class HookTest : public testing::Test {
 protected:
  Snippet read(const std::string& text) const {
    return read_snippet(folder_.write("bias.toml", text));
  }
  static std::string changed(const std::string& from, const std::string& to) {
    std::string text = kBias;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }
  // Of reading the changed snippet and giving it to the example.
  std::string error_of(const std::string& from, const std::string& to) const {
    try {
      with_snippet(hooked_family(), read(changed(from, to)));
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }
  void expect_error(const std::string& from, const std::string& to, const std::string& part) const {
    const std::string error = error_of(from, to);
    EXPECT_NE(error.find("bias.toml"), std::string::npos) << error;
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }

  FolderOfFiles folder_;
};

TEST_F(HookTest, ReadsASnippetWithTheLineOfItsCode) {
  const Snippet snippet = read(kBias);
  EXPECT_EQ(snippet.name, "bias");
  EXPECT_EQ(snippet.hook, "epilogue");
  EXPECT_EQ(snippet.code, "return value + bias[column] * scale;\n");
  EXPECT_EQ(snippet.line, 7U);
  ASSERT_EQ(snippet.arguments.size(), 2U);
  EXPECT_EQ(snippet.arguments[1].kind, ArgumentKind::scalar);
  const Snippet in_one_line =
      read(changed("'''\nreturn value + bias[column] * scale;\n'''", "\"return value;\""));
  EXPECT_EQ(in_one_line.line, 6U);
}

TEST_F(HookTest, RefusesASnippetThatMakesAnExpressionTooComplex) {
  std::string more;
  for (int i = 0; i < 300; ++i)
    more += "[[snippet.argument]]\nname = \"more" + std::to_string(i) + "\"\ncount = 1\n";
  const std::string scale = "[[snippet.argument]]\nname = \"scale\"";
  expect_error(scale, more + scale, "makes the bytes of the operation too complex: nested more");
}

TEST_F(HookTest, TheLabelFollowsWhatIsCompiled) {
  const std::string label = read(kBias).label();
  EXPECT_EQ(label.substr(0, 5), "bias_");
  EXPECT_EQ(label.size(), 5U + 16U);
  EXPECT_EQ(read(changed("adds", "adds a bias")).label(), label);
  EXPECT_NE(read(changed("* scale", "/ scale")).label(), label);
  EXPECT_NE(read(changed("column + taps", "column")).label(), label);
  EXPECT_NE(read(changed("name = \"bias\"\nhook", "name = \"bios\"\nhook")).label(), label);
}

TEST_F(HookTest, ATextCanKeepTheLabelOfAnEarlierOne) {
  const std::string label = read(kBias).label();
  std::string text = changed("* scale", "/ scale");
  text.insert(text.find("about"), "same_as = \"" + label.substr(5) + "\"\n");
  EXPECT_EQ(read(text).label(), label);
  expect_error("about", "same_as = \"bias\"\nabout",
               "'same_as' is 'bias'; expected the 16 hexadecimal digits of a label");
}

TEST_F(HookTest, TheOperationTakesTheSnippetsArguments) {
  const Family family = with_snippet(hooked_family(), read(kBias));
  const Operation& operation = family.operation;
  ASSERT_EQ(operation.arguments.size(), 2U);
  EXPECT_EQ(operation.arguments[0].name, "epilogue_bias");
  EXPECT_EQ(operation.arguments[0].count.text(), "(N + 1) + taps");
  EXPECT_EQ(operation.arguments[1].name, "epilogue_scale");
  const Settings values = {{"N", 10}, {"taps", 3}};
  EXPECT_EQ(operation.bytes.evaluate(scope_over({&values})), 4 * 10 + 4 * 14);
  EXPECT_EQ(operation.reference.builtin, "");
  EXPECT_TRUE(family.implementation("calls").constraints.empty());
  ASSERT_EQ(family.implementation("ignores").constraints.size(), 1U);
  EXPECT_EQ(family.implementation("ignores").constraints[0].why,
            "it does not call the hook 'epilogue'");
}

TEST_F(HookTest, AProblemIsOfItsSnippet) {
  const std::vector<std::string> none;
  EXPECT_EQ(make_problem(hooked_family().operation, none, Device{}).values.at("epilogue"),
            Value{kNoSnippet});
  const Snippet snippet = read(kBias);
  const Operation operation = with_snippet(hooked_family(), snippet).operation;
  const Value label = snippet.label();
  EXPECT_EQ(make_problem(operation, none, Device{}).values.at("epilogue"), label);
  for (const std::string& text : {std::string("bias"), snippet.label()})
    EXPECT_EQ(make_problem(operation, Settings{{"epilogue", text}}, Device{}).values.at("epilogue"),
              label);
  EXPECT_THROW(make_problem(operation, Settings{{"epilogue", kNoSnippet}}, Device{}), InputError);
  EXPECT_THROW(make_problem(hooked_family().operation, Settings{{"epilogue", "bias"}}, Device{}),
               InputError);
}

TEST_F(HookTest, ValuesNameSnippetsByNameLabelOrFile) {
  const Snippet snippet = read(kBias);
  const std::string file = folder_.path() / "bias.toml";
  for (const std::string& text : {std::string("bias"), snippet.label(), file}) {
    Settings values = {{"N", 4}, {"epilogue", text}};
    EXPECT_TRUE(name_snippets(hooked_family().operation, values));
    const Family family = with_snippets(hooked_family(), values, {snippet});
    EXPECT_EQ(values.at("epilogue"), Value{snippet.label()});
    EXPECT_FALSE(name_snippets(family.operation, values)) << "it has it now";
  }
  Settings none = {{"epilogue", kNoSnippet}};
  EXPECT_FALSE(name_snippets(hooked_family().operation, none));
  EXPECT_TRUE(with_snippets(hooked_family(), none, {snippet}).operation.arguments.empty());
  Settings unknown = {{"epilogue", "bais"}};
  try {
    with_snippets(hooked_family(), unknown, {snippet});
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "epilogue=bais: there is no such snippet; give FILE.toml or a name; "
                 "did you mean 'bias'?");
  }
}

TEST_F(HookTest, RefusesWhatTheHookHasNot) {
  expect_error("\"epilogue\"", "\"prologue\"",
               "'prologue', which operation 'filter' does not have");
  expect_error("column + taps", "row", "needs 'row' for the count of 'bias'");
  expect_error("name = \"scale\"", "name = \"column\"", "is a coordinate of the hook 'epilogue'");
}

TEST_F(HookTest, RefusesWhatIsNoSnippet) {
  expect_error("name = \"bias\"\nhook", "name = \"none\"\nhook", "'none' means no snippet");
  expect_error("name = \"bias\"\nhook", "name = \"Bias\"\nhook", "lower-case word");
  expect_error("kind = \"scalar\"", "kind = \"array\"\ncount = 1\ncapacity = 1", "'scale' must be");
  expect_error("kind = \"scalar\"", "count = 1\nrole = \"output\"", "'scale' must be an input");
  expect_error("kind = \"scalar\"", "kind = \"scalar\"\ntype = \"float16\"",
               "a snippet's arguments are float32, float64 or integers");
  expect_error("name = \"scale\"", "name = \"value\"", "is reserved");
  expect_error("about = \"adds\"", "abuot = \"adds\"", "did you mean 'about'?");
  expect_error("[snippet]", "[operation]\nname = \"x\"\n[snippet]", "a file of its own");
  EXPECT_THROW(read("schema = 1\n"), InputError);
}

TEST(EpilogueExample, IsWhatItsDocumentQuotes) {
  const std::filesystem::path root = TILEWRIGHT_SOURCE_DIR;
  const auto text_of = [&](const char* file) {
    std::ifstream stream(root / file);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const std::string example = text_of("examples/epilogue/bias_leaky.toml");
  ASSERT_FALSE(example.empty());
  EXPECT_NE(text_of("docs/hooks.md").find("```toml\n" + example + "```"), std::string::npos);
}

TEST(BuiltInSnippets, FitTheHooksOfTheOperationsThatTheyAreFor) {
  const Library library = Library::load({TILEWRIGHT_SOURCE_DIR "/kernel_templates"});
  ASSERT_GE(library.snippets().size(), 6U);
  for (const Snippet& snippet : library.snippets()) {
    SCOPED_TRACE(snippet.name);
    EXPECT_EQ(snippet.file.stem(), snippet.name);
    std::size_t fitting = 0;
    for (const auto& [name, family] : library.families()) try {
        with_snippet(family, snippet);
        ++fitting;
      } catch (const InputError&) {
        continue;
      }
    EXPECT_GE(fitting, 1U);
  }
}

}  // namespace
}  // namespace tilewright
