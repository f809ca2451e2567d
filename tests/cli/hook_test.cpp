// Snippets for the hooks of operations, through the program, on the host device.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

const std::string kHookSource = TILEWRIGHT_SOURCE_DIR;

std::string snippet(const std::string& code) {
  return "schema = 1\n[snippet]\nname = \"mine\"\nhook = \"epilogue\"\ncode = '''\n" + code +
         "\n'''\n[[snippet.argument]]\nname = \"bias\"\ncount = \"row\"\n";
}

class HookOnHost : public ::testing::Test {
 protected:
  Finished run(std::vector<std::string> words, const std::vector<std::string>& more) const {
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--device", "host"});
    return run_tilewright(home_.path(), words);
  }
  Finished sweep(const std::vector<std::string>& words) const {
    return run({"sweep", "gemm/naive", "M=N=K=24", "--budget", "2"}, words);
  }
  Finished best(const std::vector<std::string>& words) const {
    return run({"best", "gemm/naive", "M=N=K=24", "--require", "exact"}, words);
  }
  std::string write(const std::string& name, const std::string& text) const {
    write_text(home_ / name, text);
    return home_ / name;
  }

  TemporaryFolder home_;
};

TEST_F(HookOnHost, ASnippetIsPartOfTheProblem) {
  const Finished finished = sweep({"epilogue=bias_gelu"});
  ASSERT_EQ(finished.status, 0) << finished.err << finished.out;
  EXPECT_NE(finished.err.find("epilogue=bias_gelu_"), std::string::npos) << finished.err;
  EXPECT_EQ(best({"epilogue=bias_gelu"}).status, 0);
  EXPECT_EQ(best({}).status, 1) << "without one it is another problem";
  EXPECT_EQ(best({"epilogue=bias_relu"}).status, 1);
  const Finished json =
      run({"best", "gemm/naive", "M=N=K=24", "epilogue=bias_gelu"}, {"--format", "json"});
  const std::string label = nlohmann::json::parse(json.out).at("problem").at("epilogue");
  EXPECT_EQ(best({"epilogue=" + label}).status, 0);
  const Finished recheck = run({"recheck", "gemm", "--json"}, {"--compile-only"});
  EXPECT_EQ(recheck.status, 0) << recheck.err << recheck.out;
}

TEST_F(HookOnHost, AFolderMayHaveSnippetsAlone) {
  std::filesystem::create_directories(home_ / "own/snippets");
  write("own/snippets/mine.toml", snippet("return value + bias[row];"));
  const Finished best = run({"best", TILEWRIGHT_SOURCE_DIR "/tests/definitions/slopes.toml"},
                            {"--kernels", home_ / "own"});
  EXPECT_EQ(best.status, 0) << best.err;
}

// Scales of rows and columns are for products of 8 bits. Where C has integers, a snippet computes
// in integers, also beside the reference, and one that cannot is refused.
TEST_F(HookOnHost, ASnippetMayFollowAProductOfIntegers) {
  for (const char* const type : {"type_c=int32", "type_c=bfloat16", "type_c=int8"}) {
    const Finished finished = sweep({"type_a=int8", type, "epilogue=scaled"});
    ASSERT_EQ(finished.status, 0) << finished.err << finished.out;
    EXPECT_NE(finished.out.find("2 of 30 tried"), std::string::npos) << finished.out;
  }
  const Finished refused = sweep({"type_a=int8", "epilogue=bias_gelu"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("does not compile, with real as int"), std::string::npos)
      << refused.err;
}

TEST_F(HookOnHost, ASnippetOfOnesOwnIsAFile) {
  ASSERT_EQ(sweep({"epilogue=" + kHookSource + "/examples/epilogue/bias_leaky.toml"}).status, 0);
  const std::string file = write("mine.toml", snippet("return value - bias[row];"));
  const Finished finished = sweep({"epilogue=" + file});
  ASSERT_EQ(finished.status, 0) << finished.err << finished.out;
  EXPECT_EQ(best({"epilogue=" + file}).status, 0);
  const Finished header =
      run({"best", "gemm/naive", "M=N=K=24", "epilogue=" + file}, {"--format", "hook"});
  EXPECT_EQ(header.status, 0) << header.err;
  EXPECT_NE(header.out.find("struct Epilogue {"), std::string::npos) << header.out;
  write("mine.toml", snippet("return value + bias[row];"));
  EXPECT_EQ(best({"epilogue=" + file}).status, 1) << "another text is another problem";
  const Finished recheck = run({"recheck", "gemm"}, {"--compile-only"});
  EXPECT_NE(recheck.out.find("there is no such snippet"), std::string::npos) << recheck.out;
}

TEST_F(HookOnHost, ASnippetThatDoesNotCompileIsBadInputWithItsLine) {
  const std::string file =
      write("bad.toml", snippet("const real x = value;\nreturn x + bais[row];"));
  for (const char* command : {"sweep", "plan"}) {
    if (command == std::string("plan") && !why_no_compiler().empty()) continue;
    std::vector<std::string> words = {command, "gemm/naive", "M=N=K=24", "epilogue=" + file};
    if (command == std::string("sweep"))
      words.insert(words.end(), {"--device", "host"});
    else
      words.insert(words.end(), {"--compile", "1"});
    const Finished finished = run_tilewright(home_.path(), words);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_NE(finished.err.find("the snippet 'mine' does not compile"), std::string::npos)
        << finished.err;
    const bool has_line = finished.err.find("bad.toml:7") != std::string::npos ||
                          finished.err.find("bad.toml(7)") != std::string::npos;
    EXPECT_TRUE(has_line) << finished.err;
  }
  const Finished results = run_tilewright(home_.path(), {"results", "gemm", "--json"});
  EXPECT_EQ(results.out.find("compile_failed"), std::string::npos) << results.out;
}

TEST_F(HookOnHost, AKernelThatForgetsTheHookIsWrong) {
  std::string source = content_of(kHookSource + "/kernel_templates/gemm/naive/naive.cu");
  const std::string call = "epilogue(value, row, column, batch, index)";
  source.replace(source.find(call), call.size(), "value");
  write("forgets.cu", source);
  std::string manifest = content_of(kHookSource + "/kernel_templates/gemm/naive/naive.toml");
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"naive\"", "\"forgets\""},
           {"naive.cu", "forgets.cu"},
           {"../../common", kHookSource + "/kernel_templates/common"},
           {"\"../common", "\"" + kHookSource + "/kernel_templates/gemm/common"}})
    manifest.replace(manifest.find(from), from.size(), to);
  const std::string file = write("forgets.toml", manifest);
  const Finished finished =
      run({"sweep", file, "M=N=K=24", "epilogue=bias_relu", "--budget", "1"}, {"--json"});
  EXPECT_EQ(finished.status, 1) << finished.err;
  EXPECT_NE(finished.out.find("wrong_answer"), std::string::npos) << finished.out;
  const Finished without = run({"sweep", file, "M=N=K=24", "--budget", "1"}, {});
  EXPECT_EQ(without.status, 0) << without.err;
}

TEST_F(HookOnHost, EachLineOfAShapesFileMayHaveItsOwn) {
  const std::string file =
      write("shapes.txt", "M=N=K=8 epilogue=bias_relu\nM=N=K=8 epilogue=row_bias\nM=N=K=8\n");
  const Finished finished =
      run({"sweep", "gemm/naive", "--shapes", file, "--budget", "1"}, {"--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const auto json = nlohmann::json::parse(finished.out);
  std::string labels;
  for (const auto& item : json.at("problems"))
    labels += item.at("problem").at("epilogue").get<std::string>().substr(0, 5) + ' ';
  EXPECT_EQ(labels, "bias_ row_b none ") << finished.out;
}

TEST_F(HookOnHost, KernelsListsTheSnippets) {
  const Finished finished = run_tilewright(home_.path(), {"kernels", "gemm"});
  EXPECT_NE(finished.out.find("bias_gelu"), std::string::npos) << finished.out;
}

}  // namespace
}  // namespace tilewright::test
