#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/copy_kernel.hpp"
#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

// One sentence that names the manifest, nothing on standard output, nothing written, status 2.
void expect_refused(const Finished& finished, const fs::path& home,
                    const std::vector<std::string>& says) {
  EXPECT_EQ(finished.status, 2) << finished.err;
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
  for (const std::string& part : says)
    EXPECT_NE(finished.err.find(part), std::string::npos) << part << " in " << finished.err;
  EXPECT_TRUE(is_untouched(home));
}

struct Edited {
  const char* name;
  Edits edits;
  std::vector<std::string> says;
};

void PrintTo(const Edited& edited, std::ostream* out) {
  *out << edited.name;
}

class BadInputManifest : public ::testing::TestWithParam<Edited> {};

TEST_P(BadInputManifest, IsRefusedInOneSentence) {
  const TemporaryFolder home;
  const TemporaryFolder kernel;
  const fs::path manifest = write_copy_kernel(kernel.path(), GetParam().edits);
  expect_refused(run_tilewright(home.path(), {"sweep", manifest, "--device", "host"}), home.path(),
                 GetParam().says);
}

// A thousand operands of 8 GiB: more memory than any machine has, and each in reach of an index.
std::string too_much_memory() {
  std::string arguments;
  for (int i = 0; i < 1000; ++i)
    arguments += "[[operation.argument]]\nname = \"more" + std::to_string(i) +
                 "\"\ntype = \"float64\"\ncount = \"1073741824\"\n\n";
  return arguments + "[operation.reference]";
}

INSTANTIATE_TEST_SUITE_P(
    All, BadInputManifest,
    ::testing::Values(
        Edited{"malformed", {{"\"copy\"", "\"copy"}}, {"copy.toml:4:"}},
        Edited{"newer_schema", {{"schema = 1", "schema = 2"}}, {"copy.toml:1:10", "2", "reads 1"}},
        Edited{"unknown_key", {{"why =", "whi ="}}, {"copy.toml:", "'whi'", "'why'"}},
        Edited{"missing_key", {{"default = 4096", ""}}, {"copy.toml:", "'default'"}},
        Edited{"constraint_with_an_unknown_name",
               {{"BLOCK <= 1024", "BLOK <= 1024"}},
               {"copy.toml:", "'BLOK'", "'BLOCK'"}},
        Edited{"constraint_dividing_by_zero",
               {{"BLOCK <= 1024", "BLOCK % (n - 4096) == 0"}},
               {"copy/plain", "BLOCK % (n - 4096) == 0", "by zero", "BLOCK=32"}},
        Edited{"default_that_is_no_value",
               {{"default = 32", "default = 48"}},
               {"copy.toml:", "48", "32, 64"}},
        Edited{"default_that_breaks_a_constraint",
               {{"BLOCK <= 1024", "BLOCK >= 64"}},
               {"copy.toml:", "default", "a block has at most 1024 threads"}},
        Edited{"source_that_is_not_there",
               {{"\"copy.cu\"", "\"absent.cu\""}},
               {"copy.toml:", "absent.cu"}},
        Edited{"problem_that_does_not_fit_in_memory",
               {{"[operation.reference]", too_much_memory()}},
               {"does not fit", "GiB of operands", "has "}},
        Edited{"problem_beyond_any_memory",
               {{"count = \"n\"", "count = \"n * 1099511627776\""}},
               {"'in'", "4503599627370496 elements", "1099511627776"}}),
    [](const auto& test) { return test.param.name; });

TEST(BadInputManifestFile, AFolderIsNamed) {
  const TemporaryFolder home;
  const TemporaryFolder kernel;
  fs::create_directory(kernel / "folder.toml");
  expect_refused(run_tilewright(home.path(), {"plan", kernel / "folder.toml"}), home.path(),
                 {"folder.toml", "is a folder"});
}

TEST(BadInputManifestFile, OneThatMayNotBeReadIsNamed) {
  if (!can_drop_privileges()) GTEST_SKIP() << "the administrator may read every file";
  const TemporaryFolder home;
  const TemporaryFolder kernel;
  const fs::path manifest = write_copy_kernel(kernel.path());
  fs::permissions(manifest, fs::perms::none);
  expect_refused(run_tilewright_within(home.path(), without_privileges(), {"plan", manifest}),
                 home.path(), {"copy.toml", "cannot be read: Permission denied"});
}

TEST(BadInputManifestFile, OneWhoseReadingFailsIsNotTakenForAnEmptyOne) {
  const TemporaryFolder home;
  const TemporaryFolder kernel;
  fs::create_symlink("/proc/self/mem", kernel / "broken.toml");
  expect_refused(run_tilewright(home.path(), {"plan", kernel / "broken.toml"}), home.path(),
                 {"broken.toml", "cannot be read: Input/output error"});
}

class BadInputSource : public ::testing::Test {
 protected:
  Finished sweep(const std::string& values) const {
    const fs::path manifest =
        write_copy_kernel(kernel_.path(), {{"values = [32, 64]", "values = " + values},
                                           {"default = 32", "default = " + values.substr(1, 2)}});
    return run_tilewright(home_.path(), {"sweep", manifest, "--device", "host", "--json"});
  }

  nlohmann::json trials_of(const Finished& sweep) const {
    const std::string uuid = nlohmann::json::parse(sweep.out).at("sweep");
    return nlohmann::json::parse(
               run_tilewright(home_.path(), {"results", "--sweep", uuid, "--all", "--json"}).out)
        .at("trials");
  }

  TemporaryFolder home_;
  TemporaryFolder kernel_;
};

TEST_F(BadInputSource, OneThatDoesNotCompileCostsItsTrialAloneAndItsLogIsKept) {
  const Finished finished = sweep("[32, 96, 64]");
  ASSERT_EQ(finished.status, 0) << finished.err;
  int failed = 0;
  for (const auto& trial : trials_of(finished)) {
    const bool is_bad = trial.at("configuration").at("BLOCK") == 96;
    EXPECT_EQ(trial.at("outcome"), is_bad ? "compile_failed" : "measured");
    if (!is_bad) continue;
    ++failed;
    EXPECT_NE(trial.at("message").get<std::string>().find("a block of 96 is not written yet"),
              std::string::npos)
        << trial;
  }
  EXPECT_EQ(failed, 1);
}

TEST_F(BadInputSource, WhereNothingCompilesTheStatusIsOneWithTheLogsKept) {
  const Finished finished = sweep("[96]");
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.err.find("tilewright results --sweep"), std::string::npos) << finished.err;
  const auto trials = trials_of(finished);
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_NE(trials.at(0).at("message").get<std::string>().find("not written yet"),
            std::string::npos);
}

}  // namespace
}  // namespace tilewright::test
