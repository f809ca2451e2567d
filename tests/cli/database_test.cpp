#include <gtest/gtest.h>

#include "tests/cli/run_program.hpp"
#include "tests/cli/sample_store.hpp"

namespace tilewright::test {
namespace {

TEST(DatabasePlace, OptionThenVariableThenDataFolder) {
  const TemporaryFolder home;
  add_sample_sweep(home / "a.db");
  const std::string file = home / "a.json";
  ASSERT_EQ(run_tilewright(home.path(), {"export", "--output", file, "--db", home / "a.db"}).status,
            0);
  run_tilewright(home.path(), {"import", file, "--db", home / "option.db"},
                 {"TILEWRIGHT_DB=" + (home / "variable.db").string()});
  EXPECT_TRUE(std::filesystem::exists(home / "option.db"));
  EXPECT_FALSE(std::filesystem::exists(home / "variable.db"));
  run_tilewright(home.path(), {"import", file},
                 {"TILEWRIGHT_DB=" + (home / "variable.db").string(),
                  "XDG_DATA_HOME=" + (home / "data").string()});
  EXPECT_TRUE(std::filesystem::exists(home / "variable.db"));
  EXPECT_FALSE(std::filesystem::exists(home / "data"));
  run_tilewright(home.path(), {"import", file}, {"XDG_DATA_HOME=" + (home / "data").string()});
  EXPECT_TRUE(std::filesystem::exists(home / "data/tilewright/tilewright.db"));
}

}  // namespace
}  // namespace tilewright::test
