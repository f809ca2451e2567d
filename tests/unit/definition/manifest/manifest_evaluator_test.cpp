#include <gtest/gtest.h>

#include "definition/command.hpp"
#include "definition/manifest/manifest.hpp"
#include "definition/source.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tilewright/error.hpp"

namespace tilewright {
namespace {

constexpr const char* kOperation =
    "schema = 1\n[operation]\nname = \"scale\"\n[[operation.dimension]]\nname = \"n\"\n"
    "default = 64\n";
constexpr const char* kImplementation =
    "[[implementation]]\nname = \"own\"\nevaluator = [\"python3\", \"own.py\", \"-v\"]\n";
constexpr const char* kParameter =
    "[[implementation.parameter]]\nname = \"TILE\"\nvalues = [16, 32]\ndefault = 16\n";

// The evaluator's own.py is there, and data/table.txt.
class ManifestEvaluator : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("own.py", "print(1)");
    folder_.write("data/table.txt", "1 2 3");
  }

  Implementation read(const std::string& more = "",
                      const std::string& implementation = kImplementation) {
    const Manifest manifest =
        read_manifest(folder_.write("own.toml", kOperation + implementation + more + kParameter));
    check_against(manifest.implementations.at(0), manifest.operations.at(0));
    return manifest.implementations.at(0);
  }

  std::string error_of(const std::string& more,
                       const std::string& implementation = kImplementation) {
    try {
      read(more, implementation);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing was refused";
  }

  FolderOfFiles folder_;
};

TEST_F(ManifestEvaluator, HasACommandAndFiles) {
  const Implementation one = read("files = [\"data/table.txt\", \"own.py\"]\n");
  EXPECT_TRUE(one.is_evaluator());
  EXPECT_EQ(one.evaluator, std::vector<std::string>({"python3", "own.py", "-v"}));
  const std::string own = (folder_.path() / "own.py").string();
  EXPECT_EQ(command_of(one).words, std::vector<std::string>({"python3", own, "-v"}));
  EXPECT_TRUE(command_of(one).is_timed_by_author());
  EXPECT_EQ(one.files,
            std::vector<std::filesystem::path>({own, folder_.path() / "data/table.txt"}));
  EXPECT_EQ(one.launches.size(), 1U);
}

TEST_F(ManifestEvaluator, IsIdentifiedByTheContentsOfItsFilesWhereverTheyAre) {
  const std::string files = "files = [\"data/table.txt\"]\n";
  const std::string before = read_source(read(files)).hash;
  EXPECT_EQ(read_source(read(files)).hash, before);
  EXPECT_NE(read_source(read()).hash, before);
  const FolderOfFiles elsewhere;
  std::filesystem::copy(folder_.path(), elsewhere.path(), std::filesystem::copy_options::recursive);
  read(files);
  std::filesystem::copy_file(folder_.path() / "own.toml", elsewhere.path() / "own.toml",
                             std::filesystem::copy_options::overwrite_existing);
  const Manifest moved = read_manifest(elsewhere.path() / "own.toml");
  EXPECT_EQ(read_source(moved.implementations.at(0)).hash, before);
  folder_.write("data/table.txt", "1 2 4");
  EXPECT_NE(read_source(read(files)).hash, before);
}

TEST_F(ManifestEvaluator, MayBeInTheCurrentFolder) {
  const std::string hash = read_source(read()).hash;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  const Implementation here = read_manifest("own.toml").implementations.at(0);
  const std::vector<std::string> command = command_of(here).words;
  EXPECT_EQ(read_source(here).hash, hash);
  std::filesystem::current_path(before);
  EXPECT_EQ(command.at(1), folder_.path() / "own.py");
}

TEST_F(ManifestEvaluator, RefusesWhatOnlyCodeHas) {
  EXPECT_NE(error_of("source = \"own.cu\"\n").find("'source' does not go with 'evaluator'"),
            std::string::npos);
  EXPECT_NE(error_of("options = [\"-O3\"]\n").find("'options' does not go with 'evaluator'"),
            std::string::npos);
  EXPECT_NE(error_of("files = [\"none.txt\"]\n").find("'files': there is no file"),
            std::string::npos);
  const std::string begin = "[[implementation]]\nname = \"own\"\n";
  EXPECT_NE(error_of("", begin + "evaluator = []\n").find("the words of a command"),
            std::string::npos);
  EXPECT_NE(error_of("", begin + "evaluator = [\"true\"]\n").find("name in 'files' those"),
            std::string::npos);
  EXPECT_NE(error_of("", begin + "evaluator = \"true\"\n").find("'evaluator' must be an array"),
            std::string::npos)
      << error_of("", begin + "evaluator = \"true\"\n");
  EXPECT_NE(error_of("", begin + "files = [\"own.py\"]\nsource = \"own.py\"\n")
                .find("'files' does not go with a kernel"),
            std::string::npos);
}

TEST_F(ManifestEvaluator, ACommandHasAnEvaluatorOfOurs) {
  const std::string begin =
      "[[implementation]]\nname = \"own\"\ncommand = [\"./own.py\", \"{n}\", "
      "\"-t={TILE}\", \"{device}\"]\n";
  const Implementation one = read("time = \"took {ms}\"\nexpect = \"OK\"\n", begin);
  EXPECT_TRUE(one.is_evaluator());
  EXPECT_EQ(one.files.size(), 1U);
  const auto command = command_in(command_of(one).words);
  ASSERT_TRUE(command);
  EXPECT_EQ(command->words, std::vector<std::string>({(folder_.path() / "own.py").string(), "{n}",
                                                      "-t={TILE}", "{device}"}));
  EXPECT_EQ(command->time, "took {ms}");
  EXPECT_EQ(command->expect, "OK");

  const std::pair<std::string, const char*> bad[] = {
      {begin + "time = \"took\"\n", "'time': 'took' does not say where a time is"},
      {begin + "evaluator = [\"own.py\"]\n", "'evaluator' does not go with 'command'"},
      {begin + "source = \"own.cu\"\n", "'source' does not go with 'command'"},
      {std::string(kImplementation) + "time = \"{s}\"\n", "'time' does not go with 'evaluator'"},
      {"[[implementation]]\nname = \"own\"\nsource = \"own.py\"\nexpect = \"OK\"\n",
       "'expect' does not go with a kernel"},
      {"[[implementation]]\nname = \"own\"\ncommand = []\n", "the words of a command"},
      {"[[implementation]]\nname = \"own\"\ncommand = [\"true\"]\n",
       "no word of 'command' is a file"},
      {"[[implementation]]\nname = \"own\"\ncommand = [\"./own.py\", \"x{TIL}\"]\n",
       "'TIL' has no value in 'x{TIL}'; did you mean 'TILE'?"}};
  for (const auto& [text, message] : bad)
    EXPECT_NE(error_of("", text).find(message), std::string::npos) << error_of("", text);
}

TEST_F(ManifestEvaluator, WhoseCallsTilewrightTimesNeedsOperands) {
  const std::string error = error_of("timed_by = \"tilewright\"\n");
  EXPECT_NE(error.find("has no argument with role output"), std::string::npos) << error;
  const std::string output =
      "[[operation.argument]]\nname = \"y\"\nrole = \"output\"\ncount = \"n\"\n";
  const Implementation one = read("", output + kImplementation + "timed_by = \"tilewright\"\n");
  EXPECT_EQ(command_of(one).timed_by, TimedBy::tilewright);
  EXPECT_FALSE(command_of(one).is_timed_by_author());
  EXPECT_NE(error_of("timed_by = \"me\"\n").find("'timed_by' cannot be 'me'"), std::string::npos)
      << error_of("timed_by = \"me\"\n");
}

TEST_F(ManifestEvaluator, AKernelNeedsAnOperationWithOutputs) {
  const std::string error = error_of(
      "[[implementation.launch]]\nentry = \"f\"\ngrid = [1]\nblock = [1]\narguments = []\n",
      "[[implementation]]\nname = \"own\"\nsource = \"own.py\"\n");
  EXPECT_NE(error.find("has no argument with role output or inout"), std::string::npos) << error;
}

TEST(Comparable, KernelsComeWithoutEvaluators) {
  Implementation kernel;
  Implementation evaluator;
  evaluator.evaluator = {"true"};
  EXPECT_EQ(comparable({kernel, evaluator, kernel}).size(), 2U);
  const std::vector<Implementation> evaluators = {evaluator, evaluator};
  EXPECT_EQ(comparable(evaluators).size(), 2U);
  EXPECT_TRUE(comparable(evaluators).front()->is_evaluator());
  EXPECT_NO_THROW(require_kernel(kernel, "cannot"));
  EXPECT_THROW(require_kernel(evaluator, "cannot"), InputError);
}

}  // namespace
}  // namespace tilewright
