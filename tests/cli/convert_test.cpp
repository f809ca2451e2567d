#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

const std::string kExamples = TILEWRIGHT_SOURCE_DIR "/examples/kernel_tuner/";

nlohmann::json example() {
  std::ifstream file(kExamples + "convolution.json");
  return nlohmann::json::parse(file);
}

TEST(Convert, AProblemIsPlanned) {
  const TemporaryFolder home;
  const std::string manifest = home / "convolution.toml";
  const Finished converted =
      run_tilewright(home.path(), {"convert", kExamples + "convolution.json", "-o", manifest});
  ASSERT_EQ(converted.status, 0) << converted.err;
  EXPECT_EQ(converted.out, "");
  EXPECT_NE(converted.err.find("note: right answers are not described"), std::string::npos);
  EXPECT_NE(converted.err.find("next: tilewright plan"), std::string::npos);
  const Finished planned =
      run_tilewright(home.path(), {"plan", manifest, "--arch", "sm_90", "--json"});
  ASSERT_EQ(planned.status, 0) << planned.err;
  const auto part = nlohmann::json::parse(planned.out).at("implementations").at(0);
  EXPECT_EQ(part.at("implementation"), "convolution_kernel/kernel");
  EXPECT_EQ(part.at("combinations"), 8 * 6 * 3 * 3 * 2);
  // 34 blocks have a legal number of threads. 16 of them have a width for which padding matters.
  std::int64_t cut = 0;
  for (const auto& one : part.at("cuts"))
    if (one.at("rule").get<std::string>().starts_with("condition: "))
      cut += one.at("count").get<int>();
  EXPECT_EQ(part.at("combinations").get<int>() - cut, 9 * (34 + 16));
}

TEST(Convert, ItsCodeCompiles) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  const TemporaryFolder home;
  const std::string manifest = home / "convolution.toml";
  run_tilewright(home.path(), {"convert", kExamples + "convolution.json", "-o", manifest});
  const Finished planned = run_tilewright(
      home.path(), {"plan", manifest, "--arch", "sm_90", "--compile", "2", "--json"});
  ASSERT_EQ(planned.status, 0) << planned.err;
  const auto part = nlohmann::json::parse(planned.out).at("implementations").at(0);
  const auto& compile = part.at("compile");
  EXPECT_EQ(compile.at("compiled").get<int>() + compile.at("from_cache").get<int>(), 2)
      << planned.out;
}

// With a reference by hand, which T1 has no words for, it can be swept.
TEST(Convert, AManifestIsCompletedByHand) {
  const TemporaryFolder home;
  write_text(home / "add.cu",
             "__global__ void add(float *c, float *a, int n) {\n"
             "  int i = blockIdx.x * block_size_x + threadIdx.x;\n"
             "  if (i < n) c[i] = a[i] + 1;\n}\n");
  nlohmann::json json = example();
  json["ConfigurationSpace"] = {
      {"TuningParameters", {{{"Name", "block_size_x"}, {"Type", "int"}, {"Values", "[32, 64]"}}}}};
  json["KernelSpecification"] = nlohmann::json::parse(R"({
    "Language": "CUDA", "KernelName": "add", "KernelFile": "add.cu", "ProblemSize": [100],
    "GlobalSize": {"X": "100"}, "LocalSize": {"X": "block_size_x"},
    "Arguments": [
      {"Name": "c", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 100},
      {"Name": "a", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": 100},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 100}]})");
  write_text(home / "add.json", json.dump());
  const Finished converted = run_tilewright(home.path(), {"convert", home / "add.json"});
  ASSERT_EQ(converted.status, 0) << converted.err;
  write_text(home / "reference.cu",
             "__global__ void right(float *c, const float *a) {\n"
             "  c[threadIdx.x] = (float)(a[threadIdx.x] + 1.0);\n}\n");
  // The tables are relative to the folder in which the program ran, as the sources are.
  std::string text = converted.out;
  const std::string source = "source = \"";
  const std::size_t at = text.find(source) + source.size();
  text.replace(at, text.find('"', at) - at, "add.cu");
  write_text(home / "add.toml",
             text +
                 "[operation.reference]\nsource = \"reference.cu\"\n"
                 "[[operation.reference.launch]]\nentry = \"right\"\ngrid = [1]\n"
                 "block = [100]\narguments = [\"c\", \"a\"]\n");
  const Finished swept =
      run_tilewright(home.path(), {"sweep", home / "add.toml", "--device", "host", "--json"});
  ASSERT_EQ(swept.status, 0) << swept.err << swept.out;
  EXPECT_EQ(nlohmann::json::parse(swept.out).at("report").at("outcomes").at("measured"), 2);
}

class BadInputConvert : public ::testing::Test {
 protected:
  // Status 2, one line with the file and the reason, and no manifest.
  void expect_refused(const std::string& text, const std::string& reason) const {
    write_text(home_ / "p.json", text);
    const std::string manifest = home_ / "p.toml";
    const Finished finished =
        run_tilewright(home_.path(), {"convert", home_ / "p.json", "-o", manifest});
    EXPECT_EQ(finished.status, 2);
    EXPECT_NE(finished.err.find("p.json: " + reason), std::string::npos) << finished.err;
    EXPECT_EQ(std::ranges::count(finished.err, '\n'), 1) << finished.err;
    EXPECT_FALSE(std::filesystem::exists(manifest));
  }

  TemporaryFolder home_;
};

TEST_F(BadInputConvert, WhatIsNoProblem) {
  expect_refused("", "the text ends at byte 0");
  expect_refused("{", "the text ends at byte 1");
  expect_refused("[]", "this is no tuning problem of the format T1");
  expect_refused(R"({"cache": {}})", "this is no tuning problem of the format T1");
  expect_refused(std::string(1000, '['), "the JSON nests deeper than 100 levels");
}

TEST_F(BadInputConvert, WhatAManifestCannotSay) {
  nlohmann::json json = example();
  json["KernelSpecification"]["Language"] = "OpenCL";
  expect_refused(json.dump(), "KernelSpecification.Language: 'OpenCL'");
  json = example();
  write_text(home_ / "convolution.cu", "");
  json["ConfigurationSpace"]["TuningParameters"][0]["Name"] = "size_of";
  json["ConfigurationSpace"]["Conditions"] = nlohmann::json::array();
  json["KernelSpecification"]["LocalSize"]["X"] = "32";
  json["KernelSpecification"]["GridDivX"] = {"32"};
  expect_refused(json.dump(), "the manifest would not be accepted: ");
  json = example();
  json["KernelSpecification"]["KernelName"] = "a\x1b[2J";
  expect_refused(json.dump(), "KernelSpecification.KernelName: it must be one line of text");
}

TEST_F(BadInputConvert, Words) {
  const Finished none = run_tilewright(home_.path(), {"convert"});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("name one file"), std::string::npos);
  const Finished absent = run_tilewright(home_.path(), {"convert", "absent.json"});
  EXPECT_EQ(absent.status, 2);
  EXPECT_NE(absent.err.find("absent.json"), std::string::npos);
}

}  // namespace
}  // namespace tilewright::test
