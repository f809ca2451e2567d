#include "tests/unit/definition/manifest/manifest_fixture.hpp"

namespace tilewright {
namespace {

constexpr const char* kRoutine = R"toml(schema = 1
[[implementation]]
name = "library"
operation = "copy"
routine = "lib"
parameter = [{ name = "WAYS", values = [1, 2], default = 1 }]
workspace = { bytes = "WAYS * 1024" }
)toml";

TEST_F(ManifestTest, ReadsARoutine) {
  const Manifest manifest = read(kRoutine);
  const Implementation& read = manifest.implementations.at(0);
  EXPECT_TRUE(read.is_routine());
  EXPECT_EQ(read.routine, "lib");
  EXPECT_TRUE(read.source.empty());
  EXPECT_TRUE(read.launches.empty());
}

TEST_F(ManifestTest, ARoutineHasNoSourceAndNoLaunches) {
  for (const char* more : {"source = 'a.cu'", "options = ['-O3']", "launch = []", "cost = {}"})
    EXPECT_NE(error_of(std::string(kRoutine) + more + '\n')
                  .find("does not go with 'routine', because a library has the code"),
              std::string::npos)
        << more;
}

TEST_F(ManifestTest, OnlyARoutineHasARelativeCost) {
  std::string text = kRoutine;
  text.insert(text.find("parameter"), "relative_cost = \"N < 100 ? 1500 : 900\"\n");
  EXPECT_EQ(read(text).implementations.at(0).relative_cost.text(), "N < 100 ? 1500 : 900");
  text.replace(text.find("routine = \"lib\""), 15, "source = \"a.cu\"");
  EXPECT_NE(error_of(text).find("does not go with an implementation without 'routine'"),
            std::string::npos);
}

}  // namespace
}  // namespace tilewright
