// What others wrote into exports never becomes code, and never commands the terminal.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "definition/text/escape.hpp"
#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

const fs::path kAttacks = fs::path(TILEWRIGHT_SOURCE_DIR) / "tests/attack";

void expect_visible(const std::string& text) {
  EXPECT_EQ(visible(text), text);
}

// The lines of generated code that mention the attack and are neither comments nor in a literal.
std::vector<std::string> attacks_in(const std::string& code) {
  std::vector<std::string> found;
  std::istringstream lines(code);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t attack = line.find("pwn");
    if (attack == std::string::npos || line.starts_with("//")) continue;
    if (line.find("//") < attack || line.find('"') < attack) continue;
    found.push_back(line);
  }
  return found;
}

class ForeignText : public ::testing::TestWithParam<const char*> {
 protected:
  // False if the program refuses the file, which is right too.
  bool import() const {
    const Finished finished = run({"import", file_});
    EXPECT_TRUE(finished.status == 0 || finished.status == 2) << finished.err;
    return finished.status == 0;
  }

  Finished run(const std::vector<std::string>& words) const {
    const Finished finished = run_tilewright(home_.path(), words);
    expect_visible(finished.err);
    return finished;
  }

  std::vector<std::string> uuids() const {
    std::vector<std::string> uuids;
    for (const auto& sweep : nlohmann::json::parse(content_of(file_)).at("sweeps"))
      uuids.push_back(sweep.at("uuid"));
    return uuids;
  }

  fs::path file_ = kAttacks / GetParam();
  TemporaryFolder home_;
};

TEST_P(ForeignText, IsPrintedWithoutControlCharacters) {
  if (!import()) return;
  expect_visible(run({"results"}).out);
  expect_visible(run({"diff", file_, file_}).out);
  expect_visible(run({"results", "gemm", "--device", "no such device"}).out);
  for (const std::string& uuid : uuids()) {
    expect_visible(run({"results", "--sweep", uuid, "--all"}).out);
    const Finished json = run({"results", "--sweep", uuid, "--json"});
    expect_visible(json.out);
    EXPECT_NO_THROW(nlohmann::json::parse(json.out)) << json.out;
  }
}

TEST_P(ForeignText, IsNoCode) {
  if (!import()) return;
  for (const std::string& uuid : uuids())
    for (const std::string number : {"1", "2"})
      for (const std::string form : {"--source", "--reproducer"}) {
        const Finished shown =
            run({"show", "--trial", uuid + '/' + number, form, "--arch", "sm_90"});
        EXPECT_EQ(shown.out.find('\r'), std::string::npos);
        EXPECT_EQ(attacks_in(shown.out), std::vector<std::string>());
      }
  const fs::path header = home_ / "best.hpp";
  if (run({"export", "--format", "header", "--output", header}).status != 0) return;
  EXPECT_EQ(content_of(header).find('\r'), std::string::npos);
  EXPECT_EQ(attacks_in(content_of(header)), std::vector<std::string>());
  EXPECT_EQ(std::system(("c++ -std=c++17 -fsyntax-only -x c++ " + header.string()).c_str()), 0);
}

INSTANTIATE_TEST_SUITE_P(All, ForeignText,
                         ::testing::Values("reprocu.json", "devname.json", "esc.json",
                                           "port.json"));

TEST(ForeignTextInAManifest, IsPrintedWithoutControlCharacters) {
  const TemporaryFolder home;
  const fs::path manifest = home / "evil.toml";
  write_text(manifest,
             "[operation]\nname = \"evil\"\nabout = \"\\u001b[2J\\u009b\"\nunknown\\u001b = 1\n");
  const Finished finished = run_tilewright(home.path(), {"kernels", manifest});
  EXPECT_EQ(finished.status, 2);
  expect_visible(finished.err + finished.out);
  const Finished named = run_tilewright(home.path(), {"kernels", "\x1b[2J"});
  EXPECT_EQ(named.status, 2);
  EXPECT_NE(named.err.find("\\x1b[2J"), std::string::npos) << named.err;
}

}  // namespace
}  // namespace tilewright::test
