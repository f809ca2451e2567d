#include "definition/texture.hpp"

#include "tests/unit/definition/manifest/manifest_fixture.hpp"

namespace tilewright {
namespace {

class TextureManifest : public ManifestTest {
 protected:
  static constexpr const char* kLast = "{ value = \"LOADING\" }";

  Texture texture(const std::string& more) const {
    const Manifest manifest =
        read(changed(kLast, "{ texture = \"signal\", dims = [\"length\"" + more + " }"));
    const LaunchArgument& last = manifest.implementations.at(0).launches.at(0).arguments.back();
    EXPECT_EQ(last.kind, LaunchArgument::Kind::texture);
    EXPECT_EQ(last.name, "signal");
    return last.texture;
  }
  void expect(const std::string& argument, const std::string& part) const {
    expect_error(kLast, "{ " + argument + " }", line_of(kLast), part);
  }
};

TEST_F(TextureManifest, HasTheSafestModesByDefault) {
  const Texture plain = texture("]");
  EXPECT_EQ(plain.dims.at(0).text(), "length");
  EXPECT_TRUE(plain.strides.empty());
  EXPECT_EQ(modes_of(plain, {}), TextureModes{});
}

TEST_F(TextureManifest, HasLabelsExpressionsAndAModeForEachDimension) {
  const Texture all = texture(
      ", 4, 2], strides = [\"BLOCK\", \"4 * BLOCK\"], memory = \"BLOCK > 4 ? 'array' : 'linear'\", "
      "address = [\"wrap\", \"border\", \"BLOCK == 64 ? 'mirror' : 'clamp'\"], filter = "
      "\"linear\", coordinates = \"normalized\"");
  EXPECT_EQ(all.dims.size(), 3U);
  EXPECT_EQ(all.strides.at(1).text(), "4 * BLOCK");
  const Settings values = {{"BLOCK", 64}};
  const TextureModes modes = modes_of(all, scope_over({&values}));
  EXPECT_EQ(modes.memory, TextureMemory::array);
  EXPECT_EQ(modes.address,
            (std::array{TextureAddress::wrap, TextureAddress::border, TextureAddress::mirror}));
  EXPECT_EQ(modes.filter, TextureFilter::linear);
  EXPECT_EQ(modes.read, TextureRead::element);
  EXPECT_EQ(modes.coordinates, TextureCoordinates::normalized);
  const TextureModes one = modes_of(texture(", 4], address = \"border\""), {});
  EXPECT_EQ(one.address,
            (std::array{TextureAddress::border, TextureAddress::border, TextureAddress::clamp}));
}

TEST_F(TextureManifest, IsRefusedInOneSentence) {
  expect("texture = \"signl\", dims = [4]",
         "no input buffer 'signl' to pass as a texture; did you mean 'signal'?");
  expect("texture = \"filter\", dims = [4]", "no input buffer 'filter' to pass as a texture");
  expect("texture = \"result\", dims = [4]", "no input buffer 'result' to pass as a texture");
  expect("texture = \"workspace\", dims = [4]", "no input buffer 'workspace'");
  expect("texture = \"signal\"", "lacks 'dims'");
  expect("texture = \"signal\", dims = [1, 2, 3, 4]",
         "'dims' of a texture has 1 to 3 numbers, not 4");
  expect("texture = \"signal\", dims = [1, 2], strides = [1, 2]",
         "'strides' has a number for each of 'dims' but the first, 1, not 2");
  expect("texture = \"signal\", dims = [\"lenth\"]", "did you mean 'length'?");
  expect("texture = \"signal\", dims = [4], box = [4]", "'box' does not go with 'texture'");
  expect("tensor_map = \"signal\", dims = [4], box = [4], filter = \"point\"",
         "'filter' does not go with 'tensor_map'");
  expect("texture = \"signal\", dims = [4], filter = \"cubic\"", "unknown name 'cubic'");
  expect("texture = \"signal\", dims = [4], filter = \"boundary\"",
         "'zero' is none of point, linear");
  expect("texture = \"signal\", dims = [4], filter = 1",
         "a number stands where one of point, linear is needed");
  expect("texture = \"signal\", dims = [4, 4], address = [\"wrap\"]",
         "'address' has one mode for all of 'dims' or one for each, 2, not 1");
  expect("texture = \"signal\", dims = [4], read = [\"element\"]", "an expression");
}

TEST_F(TextureManifest, ModesThatNoTextureHasAreRefused) {
  expect("texture = \"signal\", dims = [4], address = \"wrap\"",
         "address = 'wrap' needs coordinates = 'normalized'");
  expect("texture = \"signal\", dims = [4], read = \"normalized\"",
         "read = 'normalized' is for integers of 8 and 16 bits, not for float32");
  expect("texture = \"signal\", dims = [4, 1, 1], memory = \"linear\"",
         "memory = 'linear' is for 1 or 2 dimensions, not for 3");
  expect("texture = \"signal\", dims = [4], memory = \"linear\", filter = \"linear\"",
         "memory = 'linear' in one dimension is read by tex1Dfetch");
}

std::string error_of_modes(ElementType type, TextureFilter filter, TextureRead read) {
  TextureModes modes;
  modes.filter = filter;
  modes.read = read;
  return texture_mode_error(modes, 2, type).value_or("none");
}

TEST(ModesOfTextures, DependOnTheType) {
  using enum ElementType;
  for (const ElementType type : {float32, float16, complex64}) {
    EXPECT_EQ(error_of_modes(type, TextureFilter::linear, TextureRead::element), "none");
    EXPECT_NE(error_of_modes(type, TextureFilter::point, TextureRead::normalized), "none");
  }
  for (const ElementType type : {int8, uint8, int16, uint16}) {
    EXPECT_EQ(error_of_modes(type, TextureFilter::linear, TextureRead::normalized), "none");
    EXPECT_EQ(error_of_modes(type, TextureFilter::point, TextureRead::element), "none");
  }
  EXPECT_EQ(error_of_modes(int8, TextureFilter::linear, TextureRead::element),
            "filter = 'linear' is for elements that are read as float, and int8 is only with read "
            "= 'normalized'");
  EXPECT_EQ(error_of_modes(int32, TextureFilter::linear, TextureRead::element),
            "filter = 'linear' is for elements that are read as float, and int32 is not");
  EXPECT_EQ(error_of_modes(uint32, TextureFilter::point, TextureRead::element), "none");
  for (const ElementType type : {float64, int64, uint64, bfloat16, float8_e4m3, float8_e5m2})
    EXPECT_EQ(error_of_modes(type, TextureFilter::point, TextureRead::element),
              "a texture has elements of float32, float16, complex64 or integers of 8, 16 or 32 "
              "bits, not of " +
                  to_text(type));
}

}  // namespace
}  // namespace tilewright
