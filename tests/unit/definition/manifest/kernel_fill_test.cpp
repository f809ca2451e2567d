#include "tests/unit/definition/manifest/manifest_fixture.hpp"

namespace tilewright {
namespace {

class KernelFill : public ManifestTest {
 protected:
  static std::string with(const std::string& fill) {
    return changed(
        "name = \"signal\"\ncount = \"length\"",
        "name = \"signal\"\ncount = \"length\"\nfill = { kind = \"kernel\", " + fill + " }");
  }
};

TEST_F(KernelFill, IsALaunchWithTheReferencesSource) {
  const Operation operation =
      read(with("entry = \"k<float>\", arguments = [\"filter\", \"signal\", \"taps\"]"))
          .operations.at(0);
  const Reference& fill = operation.kernel_fills.at("signal");
  EXPECT_EQ(fill.source, operation.reference.source);
  ASSERT_EQ(fill.launches.size(), 1U);
  const Launch& launch = fill.launches.front();
  const Settings settings = {{"length", 1000}};
  const Scope scope = scope_over({&settings});
  EXPECT_EQ(launch.grid[0].evaluate(scope), 4);  // a thread for each element
  EXPECT_EQ(launch.block[0].evaluate(scope), 256);
  EXPECT_EQ(launch.arguments.size(), 3U);
  const Operation own =
      read(with("entry = \"k\", grid = [\"taps\", 2], block = [32], shared_bytes = 64, options = "
                "[\"-lineinfo\"], arguments = [\"signal\"]"))
          .operations.at(0);
  const Launch& other = own.kernel_fills.at("signal").launches.front();
  EXPECT_EQ(other.grid[1].evaluate({}), 2);
  EXPECT_EQ(other.shared_bytes.evaluate({}), 64);
  EXPECT_EQ(own.kernel_fills.at("signal").options, std::vector<std::string>{"-lineinfo"});
}

TEST_F(KernelFill, IsRefusedInOneSentence) {
  const auto expect = [&](const std::string& fill, const char* part) {
    const std::string error = error_of(with(fill));
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  expect("arguments = [\"signal\"]", "'entry'");
  expect("entry = \"k\"", "'arguments'");
  expect("entry = \"\", arguments = [\"signal\"]", "'entry' must not be empty");
  expect("entry = \"k\", arguments = [\"filter\"]", "'arguments' lacks 'signal'");
  expect("entry = \"k\", arguments = [\"signal\", \"result\"]", "'result' is an output");
  expect("entry = \"k\", arguments = [\"signal\", \"workspace\"]", "has no workspace");
  expect("entry = \"k\", arguments = [\"signal\", \"filtr\"]", "no argument, dimension or choice");
  expect("entry = \"k\", grid = [\"lenth\"], arguments = [\"signal\"]",
         "unknown name 'lenth'; did you mean 'length'?");
  expect("entry = \"k\", source = \"none.cu\", arguments = [\"signal\"]", "there is no file");
  expect("entry = \"k\", low = 0, arguments = [\"signal\"]", "unknown key 'low'");
}

TEST_F(KernelFill, IsForBuffersWithContents) {
  const std::string fill = "fill = { kind = \"kernel\", entry = \"k\", arguments = [\"";
  EXPECT_NE(error_of(changed("fill = { kind = \"constant\", value = 0.5 }", fill + "filter\"] }"))
                .find("a kernel fills buffers only"),
            std::string::npos);
  EXPECT_NE(error_of(changed("type = \"float64\"\ncount = \"length\"",
                             "type = \"float64\"\ncount = \"length\"\n" + fill + "result\"] }"))
                .find("an output is not filled"),
            std::string::npos);
}

}  // namespace
}  // namespace tilewright
