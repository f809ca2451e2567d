// conv2d/fft and conv1d/fft give right answers without a GPU: every tile and every boundary, on
// ragged sizes, sizes smaller than the filter, any anchor, rows with gaps, the largest filters and
// prepared filters. The operation's checks are proved with each of them.
#include <gtest/gtest.h>

#include "tests/host/host_support.hpp"

namespace tilewright::test {
namespace {

using Assignments = std::vector<std::string>;

const Library& filter_templates() {
  static const Library library =
      Library::load({std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / "kernel_templates"});
  return library;
}

// One configuration for each condition.
void prove_fourier(const std::string& operation, const Assignments& problem,
                   const Assignments& wheres, Part part = {}) {
  const Family& family = filter_templates().family(operation);
  prove_conditions(family, family.implementation("fft"), problem, wheres, part);
}

// A side of 256 is for more taps than one of 64. The default is in every part.
TEST(HostFourier2d, EachTile) {
  const auto prove = [](const std::string& columns, const std::string& rows,
                        const Assignments& tiles) {
    prove_fourier("conv2d",
                  {"width=281", "height=263", "pitch=285", "filter_width=" + columns,
                   "filter_height=" + rows, "anchor_x=13"},
                  tiles, {1, 2});
  };
  prove("32", "32",
        {"TILE_ROWS == 64 && TILE_COLUMNS == 64", "TILE_ROWS == 64 && TILE_COLUMNS == 128",
         "TILE_ROWS == 128 && TILE_COLUMNS == 64", "TILE_ROWS == 128 && TILE_COLUMNS == 128"});
  prove("34", "33",
        {"TILE_ROWS == 64 && TILE_COLUMNS == 256", "TILE_ROWS == 128 && TILE_COLUMNS == 256"});
  prove("33", "34",
        {"TILE_ROWS == 256 && TILE_COLUMNS == 128", "TILE_ROWS == 256 && TILE_COLUMNS == 64"});
}

TEST(HostFourier2d, EachBoundary) {
  const std::vector<Assignments> problems = {
      {"boundary=zero", "width=130", "height=90", "filter_width=11", "flip=yes"},
      {"boundary=replicate", "width=131", "height=67", "pitch=140", "filter_width=7",
       "filter_height=12", "anchor_x=0", "anchor_y=11"},
      {"boundary=reflect", "width=70", "height=133", "filter_width=20", "filter_height=3",
       "channels=3", "batch=2", "filters=per_channel", "flip=yes"},
      {"boundary=mirror", "width=150", "height=45", "filter_width=9", "anchor_x=-5", "anchor_y=14"},
      {"boundary=wrap", "width=129", "height=129", "filter_width=7", "channels=2", "batch=2"}};
  for (std::size_t i = 0; i < problems.size(); ++i)
    prove_fourier("conv2d", problems[i],
                  {"TILE_ROWS == 64 && MULTIPLE == 1", "TILE_ROWS == 128 && MULTIPLE == 8"},
                  {i, 2});
}

// Samples come from many periods of a boundary.
TEST(HostFourier2d, AFilterLargerThanTheImage) {
  const Assignments boundaries = {"reflect", "zero", "mirror", "replicate", "wrap"};
  for (std::size_t i = 0; i < boundaries.size(); i += step_of_part(2))
    prove_fourier("conv2d",
                  {"boundary=" + boundaries[i], "width=12", "height=7", "pitch=16",
                   "filter_width=25", "filter_height=31"},
                  {"TILE_ROWS == 64 && TILE_COLUMNS == 64 && MULTIPLE == 1"});
}

TEST(HostFourier2d, TheLargestFilters) {
  prove_fourier("conv2d", {"width=150", "height=170", "filter_width=111", "boundary=mirror"},
                {"TILE_ROWS == 128 && MULTIPLE == 1", "TILE_ROWS == 256"}, {0, 2});
  prove_fourier("conv2d", {"width=40", "height=300", "filter_width=1", "filter_height=111"},
                {"TILE_COLUMNS == 64 && TILE_ROWS == 256"});
  prove_fourier("conv2d", {"width=300", "height=40", "filter_width=111", "filter_height=2"},
                {"TILE_COLUMNS == 128 && MULTIPLE == 8"});
}

TEST(HostFourier2d, PreparedFilters) {
  prove_fourier("conv2d",
                {"width=130", "height=70", "filter_width=9", "filter_height=6", "channels=3",
                 "batch=2", "filters=per_channel", "filter=prepared"},
                {"TILE_ROWS == 64 && MULTIPLE == 8", "TILE_ROWS == 128 && MULTIPLE == 1"});
}

TEST(HostFourier1d, EachTile) {
  const Assignments tiles = {"512", "1024", "2048", "4096", "8192", "16384"};
  for (std::size_t i = 0; i < tiles.size(); i += step_of_part(2))
    prove_fourier("conv1d", {"length=1021", "taps=77", "batch=3", "boundary=reflect"},
                  {"TILE == " + tiles[i] + " && MULTIPLE == 1"});
}

TEST(HostFourier1d, EachBoundary) {
  const std::vector<Assignments> problems = {
      {"boundary=zero", "length=20011", "taps=500", "flip=yes"},
      {"boundary=replicate", "length=9000", "taps=130", "batch=2"},
      {"boundary=reflect", "length=10007", "taps=1027"},
      {"boundary=mirror", "length=8200", "taps=16", "flip=yes"},
      {"boundary=wrap", "length=12000", "taps=35", "batch=2"}};
  for (std::size_t i = 0; i < problems.size(); ++i)
    prove_fourier("conv1d", problems[i],
                  {"TILE <= 8192 && MULTIPLE == 32", "TILE == 16384 && MULTIPLE == 1"}, {i, 2});
}

TEST(HostFourier1d, APreparedFilter) {
  prove_fourier("conv1d",
                {"length=9001", "taps=130", "batch=2", "boundary=wrap", "filter=prepared"},
                {"TILE == 8192 && MULTIPLE == 1", "TILE == 4096 && MULTIPLE == 32"});
}

TEST(HostFourier1d, TheLongestFilterOnASignalThatIsShorter) {
  const Assignments boundaries = {"wrap", "zero", "mirror", "replicate", "reflect"};
  for (std::size_t i = 0; i < boundaries.size(); i += step_of_part(2))
    prove_fourier("conv1d", {"boundary=" + boundaries[i], "length=999", "taps=4097", "batch=2"},
                  {"TILE == 8192 && MULTIPLE == 1"});
}

}  // namespace
}  // namespace tilewright::test
