// NAME.fit.toml beside a manifest.
#include "tests/unit/definition/manifest/manifest_fixture.hpp"

namespace tilewright {
namespace {

constexpr const char* kFitted = R"toml(# by hand
[fast]
seeds = [{ BLOCK = 64 }, "BLOCK=128 LOADING=all"]
general = [[{ BLOCK = 64 }, { BLOCK = 128 }]]
[fast.cost]
blocks = "ceil_div(length, BLOCK)"
work = "row_bytes * 3"
)toml";

class FittedTest : public ManifestTest {
 protected:
  // The complete manifest without what a fitted file has, and with a term.
  static std::string bare() {
    std::string text = kComplete;
    for (const std::string key : {"\nseeds = ", "\ngeneral = "}) {
      const std::size_t at = text.find(key);
      text.erase(at, text.find('\n', at + 1) - at);
    }
    text.erase(text.find("[implementation.cost]"));
    return text + "\n[implementation.terms]\nrow_bytes = \"4 * BLOCK\"\n";
  }
  Manifest read_with(const std::string& fitted) {
    folder_.write("test.fit.toml", fitted);
    return read(bare());
  }
  std::string error_with(const std::string& fitted, const std::string& manifest = bare()) {
    folder_.write("test.fit.toml", fitted);
    try {
      read(manifest);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(FittedTest, HasSeedsGeneralConfigurationsAndCost) {
  const Manifest manifest = read_with(kFitted);
  const Implementation& fast = manifest.implementations[0];
  ASSERT_EQ(fast.seeds.size(), 2U);
  EXPECT_EQ(to_text(fast.seeds[0]), "BLOCK=64");
  EXPECT_EQ(to_text(fast.seeds[1]), "BLOCK=128 LOADING=all");
  EXPECT_EQ(fast.general.size(), 2U);
  ASSERT_TRUE(fast.cost);
  EXPECT_EQ(fast.cost->work.text(), "(4 * BLOCK) * 3");
}

TEST_F(FittedTest, MeansTheSameAsATextInABundle) {
  folder_.write("test.fit.toml", kFitted);
  folder_.write("test.toml", bare());
  const ManifestText text = read_manifest_text(folder_.path() / "test.toml");
  EXPECT_EQ(text.name, "test.toml");
  EXPECT_EQ(read_manifest(text).implementations[0].general.size(), 2U);
}

TEST_F(FittedTest, MistakesAreNamedWhereTheyAre) {
  const auto expect = [&](const std::string& fitted, const std::string& place,
                          const std::string& part) {
    const std::string error = error_with(fitted);
    EXPECT_NE(error.find("test.fit.toml:" + place), std::string::npos) << error;
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  expect("[fast]\nseeds = [{ BLOK = 64 }]\n", "2:", "did you mean 'BLOCK'?");
  expect("[fast]\nseeds = [\"BLOK=64\"]\n", "2:", "did you mean 'BLOCK'?");
  expect("[fast]\nseeds = [\"BLOCK\"]\n", "2:", "'seeds' has NAME=VALUE, not 'BLOCK'");
  expect("[fast]\nseed = []\n", "2:", "unknown key 'seed' in [fast]");
  expect("[fats]\n", "1:", "the manifest has no implementation 'fats'");
  expect("[fast.cost]\nblocks = 1\nwork = \"2 * BLOK\"\n", "3:", "unknown name 'BLOK'");
  expect("[fast.cost]\nblocks = 1\n", "1:", "[fast.cost] lacks 'work'");
}

TEST_F(FittedTest, TakesThePlaceOfNothing) {
  const std::string error = error_with(kFitted, kComplete);
  EXPECT_NE(error.find("'seeds' does not go with"), std::string::npos) << error;
  EXPECT_NE(error.find("test.fit.toml, which has [fast]"), std::string::npos) << error;
}

}  // namespace
}  // namespace tilewright
