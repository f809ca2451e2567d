// Mistakes in what a call does beside its launches.
#include "tests/unit/definition/manifest/manifest_fixture.hpp"

namespace tilewright {
namespace {

TEST_F(ManifestTest, RefusesConstantsThatCannotBeFilled) {
  const std::string key = "requires = \"sm_90a\"";
  const auto expect = [&](const std::string& constants, const std::string& part) {
    expect_error(key, key + "\nconstant = [" + constants + "]", ":", part);
  };
  expect("{ symbol = \"d_x\" }", "lacks 'from'");
  expect("{ from = \"signal\" }", "lacks 'symbol'");
  expect("{ symbol = \"d_x\", from = \"signal\", size = 4 }", "unknown key 'size'");
  expect("{ symbol = \"d_x[3]\", from = \"signal\" }",
         "'d_x[3]' is not the name of a variable, such as d_filter or mine::d_filter");
  for (const std::string name : {"", "::x", "x::", "a::::b", "x;y", "x y", "a:b"})
    expect("{ symbol = \"" + name + "\", from = \"signal\" }", "'");
  expect("{ symbol = \"d_x\", from = \"signl\" }",
         "no input buffer 'signl' to fill 'd_x' from; did you mean 'signal'?");
  expect("{ symbol = \"d_x\", from = \"filter\" }", "no input buffer 'filter'");  // an array
  expect("{ symbol = \"d_x\", from = \"result\" }", "no input buffer 'result'");
  expect("{ symbol = \"d_x\", from = \"signal\", when = \"length > 3\" }",
         "'when' of a constant may use only parameters, which 'length' is not");
  expect("{ symbol = \"d_x\", from = \"signal\", unit = \"low\" }",
         "there is no [[implementation.unit]] 'low'");
  expect("{ symbol = \"x\", from = \"signal\" }, { symbol = \"x\", from = \"signal\" }",
         "'x' is filled twice");
  std::string many;
  for (int i = 0; i < 65; ++i)
    many += "{ symbol = \"x" + std::to_string(i) + "\", from = \"signal\" },";
  expect(many, "there are more than 64 constants");
  expect_error("[[operation.reference.launch]]",
               "constant = [{ symbol = \"x\", from = \"sgnal\" }]\n[[operation.reference.launch]]",
               ":", "no input buffer 'sgnal' to fill 'x' from; did you mean 'signal'?");
  expect_error("[[operation.reference.launch]]",
               "constant = [{ symbol = \"x\", from = \"signal\", when = \"1\" }]\n"
               "[[operation.reference.launch]]",
               ":", "unknown key 'when'");
}

TEST_F(ManifestTest, RefusesUnknownBracesInAnEntry) {
  const auto expect = [&](const std::string& entry, const std::string& part) {
    expect_error("entry = \"blur<float>\"", "entry = \"" + entry + "\"", ":", part);
  };
  expect("blur<{typ}>", "'{typ}' in the entry 'blur<{typ}>' is no choice whose values are types");
  expect("blur<{boundary}>", "'{boundary}' in the entry");  // its values are no types
  expect("blur<{BLOCK}>", "parameters are macros and need no braces");
  expect_error("entry = \"slow\"", "entry = \"slow<{typ}>\"", ":", "'{typ}' in the entry");
}

TEST_F(ManifestTest, RefusesLoopsThatCannotBe) {
  const std::string launch = "[[implementation.launch]]\nentry = \"blur<float>\"\n";
  const auto expect = [&](const std::string& loops, const std::string& of_launch,
                          const std::string& part) {
    expect_error(launch, loops + launch + of_launch + "\n", ":", part);
  };
  const auto loop = [](const std::string& more) {
    return "[[implementation.loop]]\nname = \"steps\"\n" + more + "\n";
  };
  const std::string good = loop("trips = 3");
  const std::string in_loop = "loop = \"steps\"";
  expect("", in_loop, "there is no loop 'steps'");
  expect(good, "loop = \"step\"", "no launch is in the loop 'steps'; give one of them loop");
  expect(good + good, in_loop, "used twice");
  expect(loop(""), in_loop, "lacks 'trips'");
  expect(loop("trips = \"lenth\""), in_loop, "did you mean 'length'?");
  const auto swap = [&](const std::string& places) {
    return loop("trips = 3\nswap = [" + places + "]");
  };
  expect(swap("\"result\""), in_loop, "'swap' has two elements, not 1");
  expect(swap("\"result\", 3"), in_loop, "an element of 'swap' is the name of a buffer");
  expect(swap("\"result\", \"reslt\""), in_loop,
         "no output or inout buffer 'reslt' to change places; did you mean 'result'?");
  expect(swap("\"result\", \"signal\""), in_loop, "no output or inout buffer 'signal'");
  expect(swap("\"result\", { workspace = \"BLOK\" }"), in_loop, "did you mean 'BLOCK'?");
  expect(good, in_loop + "\ncooperative = \"BLOK\"", "did you mean 'BLOCK'?");
  const std::string second =
      "[[implementation.launch]]\nentry = \"b\"\ngrid = [1]\nblock = [1]\narguments = []\n" +
      in_loop +
      "\n\n[[implementation.launch]]\nentry = \"c\"\ngrid = [1]\nblock = [1]\n"
      "arguments = []\n\n";
  expect(good + second, in_loop, "the launches of the loop 'steps' must stand together");
  expect_error("arguments = [\"signal\", \"workspace\"", "arguments = [\"trip\", \"workspace\"",
               ":", "'trip' is for launches in a loop");
  for (const std::string name : {"resident", "trip"})
    expect_error("name = \"pitch\"", "name = \"" + name + "\"", place_of("\"pitch\""),
                 "is reserved");
  expect_error("block = [\"BLOCK\"", "block = [\"resident\"", ":", "unknown name 'resident'");
  expect_error("block = [\"BLOCK\"", "block = [\"trip\"", ":", "unknown name 'trip'");
  const std::string pass = "[[implementation.launch]]\nentry = \"b\"\ngrid = [\"trip + 1\"]\n";
  expect(good + pass + "block = [1]\narguments = []\nwhen = \"trip\"\n" + in_loop + "\n\n", "",
         "unknown name 'trip'");
}

TEST_F(ManifestTest, RefusesMacrosOfLaunchesThatCannotBe) {
  const std::string launch = "[[implementation.launch]]\nentry = \"blur<float>\"\n";
  const auto expect = [&](const std::string& more, const std::string& part) {
    expect_error(launch, launch + more + "\n", ":", part);
  };
  expect("macros = { A = \"BLOK\" }", "did you mean 'BLOCK'?");
  expect("macros = { BLOCK = 1 }", "the macro BLOCK would be defined twice");
  expect("macros = { \"A-B\" = 1 }", "'A-B' is not the name of a macro");
  expect("macros = { A = 1 }\nunit = \"low\"", "'unit' does not go with 'macros'");
  expect_error("entry = \"slow\"", "entry = \"slow\"\nmacros = { A = 1 }", ":", "'macros'");
}

TEST_F(ManifestTest, RefusesVectorsThatAreNoElements) {
  expect_error("name = \"signal\"\n", "name = \"signal\"\ntype = \"float32x3\"\n", ":",
               "float32x3");
  expect_error("name = \"signal\"\n", "name = \"signal\"\ntype = \"complex64x2\"\n", ":",
               "complex64x2");
  expect_error("type = \"int64\"", "type = \"int64x2\"", ":",
               "only buffers have elements of several numbers, such as int64x2");
}

TEST_F(ManifestTest, RefusesTensorMapsThatCannotBe) {
  const std::string last = "{ value = \"LOADING\" }";
  const auto expect = [&](const std::string& map, const std::string& part) {
    expect_error(last, "{ " + map + " }", line_of(last), part);
  };
  const std::string sizes = ", dims = [4, 4], strides = [4], box = [4, 4]";
  expect("tensor_map = \"filter\"" + sizes, "no buffer 'filter' to pass a tensor map of");
  expect("tensor_map = \"signl\"" + sizes, "did you mean 'signal'?");
  expect("tensor_map = \"signal\", capacity = 4" + sizes,
         "'capacity' does not go with 'tensor_map'");
  expect("value = 4, box = [4]", "'box' does not go with 'value'");
  expect("tensor_map = \"signal\"", "lacks 'dims'");
  expect("tensor_map = \"signal\", dims = [1, 2, 3, 4, 5, 6], box = [1]",
         "'dims' has 1 to 5 numbers, not 6");
  expect("tensor_map = \"signal\", dims = [4, 4], strides = [4], box = [4]",
         "'box' has as many numbers as 'dims', 2, not 1");
  expect("tensor_map = \"signal\", dims = [4, 4], box = [4, 4]",
         "'strides' has a number for each of 'dims' but the first, 1, not 0");
  expect("tensor_map = \"signal\", dims = [4], box = [\"BLOK\"]", "did you mean 'BLOCK'?");
  expect("tensor_map = \"signal\", dims = [4], box = [4], swizzle = \"BLOK\"",
         "did you mean 'BLOCK'?");
  expect("value = 1, when = \"BLOK\"", "did you mean 'BLOCK'?");
}

TEST_F(ManifestTest, RefusesTensorMapsInIm2colModeThatCannotBe) {
  const std::string last = "{ value = \"LOADING\" }";
  const auto expect = [&](const std::string& map, const std::string& part) {
    expect_error(last, "{ tensor_map = \"signal\", " + map + " }", line_of(last), part);
  };
  const std::string sizes = "dims = [8, 4, 4, 2], strides = [8, 32, 128], ";
  const std::string corners = "lower_corner = [0, 0], upper_corner = [0, 0]";
  const std::string pixels = "'dims' but the first and the last, 2, not 1";
  expect(sizes + "box = [8, 1, 1, 1], " + corners,
         "'box' has the channels and the pixels of one copy, 2, not 4");
  expect("dims = [8, 4], strides = [8], box = [8, 4], lower_corner = [0]",
         "'dims' has 3 to 5 numbers, not 2");
  expect(sizes + "box = [8, 4], lower_corner = [0], upper_corner = [0, 0]",
         "'lower_corner' has a number for each of " + pixels);
  expect(sizes + "box = [8, 4], lower_corner = [], upper_corner = [0, 0]",
         "'lower_corner' has a number for each of 'dims' but the first and the last, 2, not 0");
  expect(sizes + "box = [8, 4], lower_corner = [0, 0], upper_corner = [0]",
         "'upper_corner' has a number for each of " + pixels);
  expect(sizes + "box = [8, 4], lower_corner = [0, 0]", "'upper_corner' has a number for each of");
  expect(sizes + "box = [8, 4], element_strides = [1], " + corners,
         "'element_strides' has a number for each of " + pixels);
  expect(sizes + "box = [8, 1, 1, 1], element_strides = [1, 1, 1]",
         "'element_strides' has a number for each of 'dims' but the first and the last, 2, not 3");
  expect("dims = [8], box = [8], element_strides = [1]",
         "'element_strides' has a number for each of 'dims' but the first and the last, 0, not 1");
  expect(sizes + "box = [8, 1, 1, 1], upper_corner = [1, 1]",
         "'upper_corner' does not go with a tensor map without 'lower_corner'");
  expect(sizes + "box = [8, 4], lower_corner = [0, \"BLOK\"], upper_corner = [0, 0]",
         "did you mean 'BLOCK'?");
  expect(sizes + "box = [8, 1, 1, 1], nan_fill = \"BLOK\"", "did you mean 'BLOCK'?");
  expect_error(last, "{ value = 4, nan_fill = 1 }", line_of(last),
               "'nan_fill' does not go with 'value'");
}

TEST_F(ManifestTest, RefusesTensorMapsOfTheWorkspaceThatCannotBe) {
  const std::string last = "{ value = \"LOADING\" }";
  const auto expect = [&](const std::string& map, const std::string& part) {
    expect_error(last, "{ " + map + ", dims = [4], box = [4] }", line_of(last), part);
  };
  const std::string workspace = "tensor_map = \"workspace\"";
  expect(workspace, "lacks 'type'");
  expect(workspace + ", type = \"boundary\"", "'zero' is none of float32, float64,");
  expect(workspace + ", type = \"float33\"", "unknown name 'float33'");
  expect(workspace + ", type = \"int8\", offset = \"BLOK\"", "did you mean 'BLOCK'?");
  expect("tensor_map = \"signal\", type = \"int8\"", "'type' does not go with a tensor map of");
  expect("tensor_map = \"signal\", offset = 16", "'offset' does not go with a tensor map of");
  expect_error(last, "{ value = 4, offset = 16 }", line_of(last),
               "'offset' does not go with 'value'");
}

TEST_F(ManifestTest, AMapOfTheWorkspaceNeedsOne) {
  const std::string last = "{ value = \"LOADING\" }";
  const std::string map =
      "{ tensor_map = \"workspace\", type = \"int8\", dims = [64], box = [64] }";
  std::string text = changed("\"workspace\", { workspace = \"4 * BLOCK\" }, ", "");
  text.replace(text.find(last), last.size(), map);
  EXPECT_EQ(error_of(text), "no error");
  const std::string workspace =
      "[implementation.workspace]\nbytes = \"8 * BLOCK\"\nzero = \"each\"\n";
  text.erase(text.find(workspace), workspace.size());
  EXPECT_NE(error_of(text).find("a launch uses the workspace, but there is no"), std::string::npos);
  const std::string reference = "\"result\", \"boundary\"]";
  expect_error(reference, "\"result\", " + map + "]", ":", "a reference kernel has no workspace");
}

// The signal is prepared by a launch before the other.
class PreparationTest : public ManifestTest {
 protected:
  // kComplete with such a launch, whose keys and arguments are these.
  static std::string with(const std::string& choice, const std::string& keys,
                          const std::string& arguments) {
    std::string text =
        changed("bytes = \"8 * BLOCK\"\n", "bytes = \"8 * BLOCK\"\nprepared = \"4 * length\"\n");
    const auto insert = [&](const std::string& before, const std::string& more) {
      text.insert(text.find(before), more);
    };
    insert("[[operation.argument]]", choice);
    insert("[[implementation.launch]]",
           "[[implementation.launch]]\nentry = \"prepare\"\ngrid = [1]\nblock = [1]\n" + keys +
               "arguments = [" + arguments + "]\n");
    return text;
  }
  static std::string choice(const std::string& name = "signal",
                            const std::string& values = "\"each_call\", \"prepared\"") {
    return "[[operation.choice]]\nname = \"" + name + "\"\nvalues = [" + values +
           "]\ndefault = \"each_call\"\nabsent = \"each_call\"\n\n";
  }
  void expect(const std::string& text, const std::string& part) const {
    EXPECT_NE(error_of(text).find(part), std::string::npos) << error_of(text);
  }

  const std::string prepares_ = "prepares = \"signal\"\n";
  const std::string good_ = "\"signal\", \"prepared\", \"length\", \"boundary\", \"BLOCK\"";
};

TEST_F(PreparationTest, IsReadFromAManifest) {
  const Manifest manifest = read(with(choice(), prepares_, good_));
  const Operation& operation = manifest.operations.at(0);
  ASSERT_NE(preparation_of(operation), nullptr);
  EXPECT_EQ(preparation_of(operation)->name, "signal");
  const auto input_with = [&](const Settings& values) {
    return prepared_input(operation, scope_over({&values}));
  };
  EXPECT_EQ(input_with({}), std::nullopt);
  EXPECT_EQ(input_with({{"signal", "each_call"}}), std::nullopt);
  EXPECT_EQ(input_with({{"signal", "prepared"}}), 0);
  const Implementation& fast = manifest.implementations.at(0);
  EXPECT_EQ(fast.launches.at(0).prepares, "signal");
  EXPECT_TRUE(fast.launches.at(0).arguments.at(1).prepared);
  EXPECT_EQ(fast.launches.at(1).prepares, "");
  const Settings length = {{"length", 3}};
  EXPECT_EQ(fast.workspace.prepared.evaluate(scope_over({&length})), 12);
  const std::string map = "{ tensor_map = \"prepared\", type = \"int8\", dims = [64], box = [64] }";
  const LaunchArgument mapped = read(with(choice(), prepares_, "\"signal\", " + map))
                                    .implementations[0]
                                    .launches[0]
                                    .arguments[1];
  EXPECT_EQ(mapped.kind, LaunchArgument::Kind::workspace_map);
  EXPECT_TRUE(mapped.prepared);
}

TEST_F(PreparationTest, OnlyOneChoiceHasTheNameOfAnInputBuffer) {
  const std::string part =
      "is used twice; only one choice, with the values each_call and prepared, may have the name "
      "of an input buffer";
  expect(with(choice("signal", "\"each_call\", \"never\""), prepares_, good_), part);
  expect(with(choice("signal", "\"each_call\""), prepares_, good_), part);
  expect(with(choice("result"), prepares_, good_), part);  // an output
  expect(with(choice("filter"), prepares_, good_), part);  // an array
  expect(with(choice() + choice("result"), prepares_, good_), part);
  std::string text = with(choice(), prepares_, good_);
  const std::string compiled_in = "compiled_in = [\"boundary\"";
  text.replace(text.find(compiled_in), compiled_in.size(), compiled_in + ", \"signal\"");
  expect(text, "'signal' says who prepares that input; the code is the same");
}

TEST_F(PreparationTest, RefusesWhatCannotBePrepared) {
  expect(with("", prepares_, good_),
         "'signal' is no input for which the operation 'blur' has a choice of its name");
  expect(with(choice(), "prepares = \"result\"\n", good_), "'result' is no input for which");
  expect(with(choice(), prepares_ + "loop = \"all\"\n", good_),
         "'loop' does not go with 'prepares'");
  const std::string nothing_else =
      "a launch that prepares 'signal' takes 'signal' in device memory, 'prepared' and numbers";
  const std::string by_value = "{ by_value = \"signal\", capacity = 64 }";
  for (const std::string& of_call :
       {std::string("\"result\""), std::string("\"filter\""), std::string("\"workspace\""),
        std::string("{ workspace = 4 }"), std::string("{ texture = \"signal\", dims = [64] }"),
        by_value})
    expect(with(choice(), prepares_, good_ + ", " + of_call), nothing_else);
  std::string text = with(choice(), prepares_, good_);
  const std::string prepared = "prepared = \"4 * length\"\n";
  text.erase(text.find(prepared), prepared.size());
  expect(text,
         "a launch uses the prepared input, but [implementation.workspace] has no 'prepared'");
  const std::string bytes = "bytes = \"8 * BLOCK\"\n";
  text.erase(text.find(bytes), bytes.size());
  expect(text, "lacks 'bytes'");
  expect_error("\"signal\", \"filter\", \"result\"", "\"prepared\", \"filter\", \"result\"", ":",
               "a reference kernel has no workspace");
  expect_error("name = \"pitch\"", "name = \"prepared\"", ":", "is reserved");
  expect_error("entry = \"slow\"", "entry = \"slow\"\nprepares = \"signal\"", ":",
               "unknown key 'prepares'");
}

}  // namespace
}  // namespace tilewright
