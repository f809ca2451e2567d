#include "tuner/plan/compile_request.hpp"

#include <gtest/gtest.h>

#include "tests/support/folder_of_files.hpp"
#include "tests/unit/tuner/plan/filter_operation.hpp"

namespace tilewright {
namespace {

class SourceTest : public testing::Test {
 protected:
  std::vector<std::string> headers_of(const std::string& text) const {
    std::vector<std::string> names;
    const auto source = read_source(folder_.write("kernel.cu", text), {folder_.path() / "common"});
    for (const auto& header : source.headers) names.push_back(header.first);
    return names;
  }

  FolderOfFiles folder_;
};

using Names = std::vector<std::string>;

TEST_F(SourceTest, FollowsQuotedIncludes) {
  folder_.write("near.cuh", "#include \"sub/deep.cuh\"\n#include \"near.cuh\"\n");
  folder_.write("sub/deep.cuh", "#include \"beside.cuh\"\nint deep;\n");
  folder_.write("sub/beside.cuh", "int beside;\n");
  folder_.write("common/far.cuh", "int far;\n");
  EXPECT_EQ(headers_of("#include <cuda_fp16.h>\n  #  include \"near.cuh\"\n#include \"far.cuh\"\n"),
            (Names{"beside.cuh", "far.cuh", "near.cuh", "sub/deep.cuh"}));
}

TEST_F(SourceTest, PrefersTheIncludersFolder) {
  folder_.write("same.cuh", "near");
  folder_.write("common/same.cuh", "far");
  const auto source = read_source(folder_.write("kernel.cu", "#include \"same.cuh\"\n"),
                                  {folder_.path() / "common"});
  EXPECT_EQ(source.headers.at("same.cuh"), "near");
  EXPECT_EQ(source.name, "kernel.cu");
}

TEST_F(SourceTest, DoesNotFollowIncludesInComments) {
  EXPECT_EQ(headers_of("// #include \"a.cuh\"\n/* #include \"b.cuh\"\n#include \"c.cuh\"\n*/\n"
                       "const char* url = \"/*\";\n"),
            Names{});
  folder_.write("d.cuh", "");
  EXPECT_EQ(headers_of("const char* s = \"/*\";\n/**/#include \"d.cuh\" // \"e.cuh\"\n"),
            Names{"d.cuh"});
}

TEST_F(SourceTest, RefusesIncludesThatNestTooDeep) {
  const auto name = [](std::size_t i) { return "h" + std::to_string(i) + ".cuh"; };
  const auto chain = [&](std::size_t levels) {
    for (std::size_t i = 0; i + 1 < levels; ++i)
      folder_.write(name(i), "#include \"" + name(i + 1) + "\"\n");
    folder_.write(name(levels - 1), "int last;\n");
    return input_error([&] { headers_of("#include \"h0.cuh\"\n"); });
  };
  EXPECT_NE(chain(20'000).find("h199.cuh: quoted includes nest deeper than 200"),
            std::string::npos);
  EXPECT_EQ(chain(kDeepestInclude - 1), "no error");
}

TEST_F(SourceTest, RefusesTooManyHeadersAndTooMuchText) {
  std::string all;
  for (std::size_t i = 0; i <= kMostHeaders; ++i) {
    folder_.write("h" + std::to_string(i), "");
    all += "#include \"h" + std::to_string(i) + "\"\n";
  }
  EXPECT_NE(input_error([&] { headers_of(all); }).find("includes at most 1000 headers"),
            std::string::npos);
  all.clear();
  for (int i = 0; i < 5; ++i) {
    folder_.write("h" + std::to_string(i), "//" + std::string((std::size_t{16} << 20) - 2, ' '));
    all += "#include \"h" + std::to_string(i) + "\"\n";
  }
  EXPECT_NE(input_error([&] { headers_of(all); }).find("more than 64 MiB together"),
            std::string::npos);
  folder_.write("h0", std::string((std::size_t{16} << 20) + 1, ' '));
  EXPECT_NE(input_error([&] { headers_of(all); }).find("larger than 16 MiB"), std::string::npos);
}

TEST_F(SourceTest, NamesWhatCannotBeRead) {
  EXPECT_NE(input_error([&] { read_source(folder_.path() / "none.cu", {}); }).find("none.cu"),
            std::string::npos);
  EXPECT_THROW(read_source(folder_.path(), {}), InputError);
  const std::string message = input_error([&] { headers_of("\n#include \"gone.cuh\"\n"); });
  EXPECT_NE(message.find("kernel.cu:2: there is no \"gone.cuh\" in "), std::string::npos);
  EXPECT_NE(message.find("common"), std::string::npos);
}

TEST_F(SourceTest, RefusesOneNameForTwoFiles) {
  folder_.write("same.cuh", "1");
  folder_.write("sub/same.cuh", "2");
  folder_.write("sub/other.cuh", "#include \"same.cuh\"\n");
  const std::string message =
      input_error([&] { headers_of("#include \"same.cuh\"\n#include \"sub/other.cuh\"\n"); });
  EXPECT_NE(message.find("give one of them another name"), std::string::npos) << message;
}

TEST_F(SourceTest, HashFollowsTextsAndNamesButNotTheFolder) {
  folder_.write("a.cuh", "int a;\n");
  const std::string text = "#include \"a.cuh\"\n";
  const std::string hash = read_source(folder_.write("kernel.cu", text), {}).hash;
  EXPECT_EQ(hash.size(), 32U);
  FolderOfFiles other;
  other.write("a.cuh", "int a;\n");
  EXPECT_EQ(read_source(other.write("kernel.cu", text), {}).hash, hash);
  other.write("a.cuh", "int b;\n");
  EXPECT_NE(read_source(other.path() / "kernel.cu", {}).hash, hash);
  EXPECT_NE(read_source(folder_.write("other.cu", text), {}).hash, hash);
}

TEST_F(SourceTest, HeadersOfFoldersCountInTheHashWithWhatTheyInclude) {
  folder_.write("common/outer.cuh", "#include \"inner.cuh\"\n#include <vector>\n");
  folder_.write("common/inner.cuh", "int a;\n");
  const auto file = folder_.write("kernel.cu", "#include <outer.cuh>\n");
  const std::vector<std::filesystem::path> folders = {folder_.path() / "common"};
  const KernelSource source = read_source(file, folders);
  EXPECT_EQ(source.folders, folders);
  EXPECT_TRUE(source.headers.empty());
  folder_.write("common/inner.cuh", "int b;\n");
  EXPECT_NE(read_source(file, folders).hash, source.hash);
  EXPECT_NE(folder_options(read_source(file, folders)), folder_options(source));
}

TEST_F(SourceTest, AnImplementationHasASourceForEachUnit) {
  Implementation implementation;
  implementation.source = folder_.write("kernel.cu", "#include \"a.cuh\"\n");
  folder_.write("a.cuh", "int a;\n");
  const KernelSource alone = read_source(implementation.source, {});
  EXPECT_EQ(read_source(implementation).hash, alone.hash);
  implementation.units = {{"same", implementation.source}};
  const KernelSource shared = read_source(implementation);
  EXPECT_EQ(shared.hash, alone.hash);
  EXPECT_EQ(shared.units.at(0).headers, alone.headers);
  implementation.units.push_back({"other", folder_.write("other.cu", "int b;\n")});
  const KernelSource both = read_source(implementation);
  EXPECT_NE(both.hash, alone.hash);
  EXPECT_EQ(both.text, alone.text);
  EXPECT_EQ(both.units.at(1).text, "int b;\n");
  folder_.write("other.cu", "int c;\n");
  EXPECT_NE(read_source(implementation).hash, both.hash);
}

}  // namespace
}  // namespace tilewright
