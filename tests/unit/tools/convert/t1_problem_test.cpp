#include "tools/convert/t1_problem.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "definition/manifest/manifest.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tilewright/error.hpp"
#include "tools/convert/t1_manifest.hpp"

namespace tilewright::tools {
namespace {

using Pointer = nlohmann::json::json_pointer;

class T1Problems : public ::testing::Test {
 protected:
  std::string refusal() const {
    try {
      const T1Problem problem = read_t1(json_.dump(), files_.path());
      return "accepted: " + manifest_text(problem, files_.path());
    } catch (const InputError& error) {
      return error.what();
    }
  }

  // What one changed value is answered with.
  std::string refusal_of(const char* place, const nlohmann::json& value) {
    const nlohmann::json before = json_;
    json_[Pointer(place)] = value;
    const std::string answer = refusal();
    json_ = before;
    return answer;
  }

  void remove(const char* place, const char* key) { json_[Pointer(place)].erase(key); }

  void SetUp() override {
    files_.write("add.cu", "__global__ void add(float* c, const float* a, int n) {}");
  }

  FolderOfFiles files_;
  nlohmann::json json_ = nlohmann::json::parse(R"({
    "General": {"FormatVersion": 1},
    "ConfigurationSpace": {
      "TuningParameters": [
        {"Name": "block_size_x", "Type": "int", "Values": "[16*i for i in range(1, 5)]", "Default": 48},
        {"Name": "tile", "Type": "uint", "Values": [1, 2, 4], "Default": 1}
      ],
      "Conditions": [
        {"Expression": "32 <= block_size_x * tile <= 128", "Parameters": ["block_size_x", "tile"]},
        {"Expression": "block_size_x / tile > 8", "Parameters": ["block_size_x", "tile"]}
      ]
    },
    "KernelSpecification": {
      "Language": "CUDA", "KernelName": "add", "KernelFile": "add.cu", "CompilerOptions": ["-std=c++17"],
      "GlobalSizeType": "OpenCL",
      "GlobalSize": {"X": "1000 // tile"}, "LocalSize": {"X": "block_size_x", "Y": "1"},
      "Arguments": [
        {"Name": "c", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 1000},
        {"Name": "a", "Type": "float2", "MemoryType": "Vector", "AccessType": "ReadOnly",
         "FillType": "Random", "Size": "500 * max(tile) // 4"},
        {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 1000}
      ]
    }
  })");
};

TEST_F(T1Problems, BecomeManifests) {
  const std::string text = manifest_text(read_t1(json_.dump(), files_.path()), files_.path());
  const Manifest manifest = read_manifest({files_.path() / "add.toml", text});
  ASSERT_TRUE(manifest.operation);
  EXPECT_EQ(manifest.operation->arguments[1].count.text(), "1000");
  const Implementation& kernel = manifest.implementations.front();
  EXPECT_EQ(kernel.parameters[0].values.size(), 4);
  EXPECT_EQ(kernel.parameters[0].default_value, Value(std::int64_t{48}));
  ASSERT_EQ(kernel.constraints.size(), 2);
  EXPECT_EQ(kernel.constraints[1].require.text(), "block_size_x > 8 * tile");
  EXPECT_EQ(kernel.launches.front().grid[0].text(), "ceil_div(1000 / tile, block_size_x)");
}

TEST_F(T1Problems, OfKernelTunerHaveAProblemSize) {
  auto& kernel = json_["KernelSpecification"];
  kernel["ProblemSize"] = {1000, "2 * 10"};
  kernel["GridDivX"] = {"block_size_x/12", "tile"};  // Kernel Tuner rounds each down
  kernel["Arguments"][0]["Size"] = "ProblemSize[0] * ProblemSize[1]";
  const T1Problem problem = read_t1(json_.dump(), files_.path());
  EXPECT_EQ(problem.sizes, (PythonList{1000, 20}));
  EXPECT_EQ(problem.arguments[0].count, 20000);
  EXPECT_EQ(problem.grid[0], "ceil_div(problem_size_x, block_size_x / 12 * tile)");
  EXPECT_EQ(problem.grid[1], "problem_size_y");
  kernel["GridDivX"] = nlohmann::json::array();  // as if it were not there
  EXPECT_EQ(read_t1(json_.dump(), files_.path()).grid[0], "ceil_div(problem_size_x, block_size_x)");
  kernel["ProblemSize"] = nlohmann::json::array();
  EXPECT_EQ(refusal(), "KernelSpecification.ProblemSize: give 1 to 3 sizes");
}

TEST_F(T1Problems, FillArraysAndSymbols) {
  auto& a = json_["KernelSpecification"]["Arguments"][1];
  a["MemType"] = "Constant";
  a["FillType"] = "Constant";
  a["FillValue"] = 0.5;
  T1Problem problem = read_t1(json_.dump(), files_.path());
  std::string text = manifest_text(problem, files_.path());
  EXPECT_NE(text.find("constant = [{ symbol = \"a\", from = \"a\" }]"), std::string::npos) << text;
  EXPECT_NE(text.find("fill = { kind = \"constant\", value = 0.5 }"), std::string::npos) << text;
  EXPECT_NE(text.find("arguments = [\"c\", \"a\", { value = 1000, type = \"int32\" }]"),
            std::string::npos)
      << text;
  a.erase("MemType");
  a["MemoryType"] = "Symbol";
  a["FillType"] = "BinaryRaw";
  a["DataSource"] = "a.bin";
  text = manifest_text(read_t1(json_.dump(), files_.path()), files_.path());
  EXPECT_NE(text.find("arguments = [\"c\", { value"), std::string::npos) << text;
  EXPECT_NE(text.find("kind = \"file\", path = \"a.bin\""), std::string::npos) << text;
}

TEST_F(T1Problems, AreRefusedInOneSentence) {
  const std::string kernel = "/KernelSpecification/";
  const std::string space = "/ConfigurationSpace/";
  const auto expect = [this](const std::string& place, const nlohmann::json& value,
                             const std::string& sentence) {
    EXPECT_TRUE(refusal_of(place.c_str(), value).starts_with(sentence))
        << place << ": " << refusal_of(place.c_str(), value);
  };
  expect(kernel + "Language", "OpenCL", "KernelSpecification.Language: 'OpenCL': only CUDA");
  expect(kernel + "KernelFile", "absent.cu",
         "KernelSpecification.KernelFile: absent.cu is neither");
  expect(kernel + "KernelName", "a\nb", "KernelSpecification.KernelName: it must be one line");
  expect(kernel + "KernelName", "", "KernelSpecification.KernelName: it must not be empty");
  expect(kernel + "LocalSize", 3, "KernelSpecification.LocalSize: it must be an object");
  expect(kernel + "LocalSize/X", "w", "KernelSpecification.LocalSize.X: 'w': 'w' is no parameter");
  expect(kernel + "LocalSize/X", "tile - 1", "KernelSpecification.GlobalSize.X: 'tile - 1' may be");
  expect(kernel + "GlobalSizeType", "Metal", "KernelSpecification.GlobalSizeType: 'Metal': give");
  expect(kernel + "SharedMemory", "1", "KernelSpecification.SharedMemory: it must be an integer");
  expect(kernel + "Arguments", {}, "KernelSpecification: no argument has AccessType");
  expect(kernel + "Arguments/0/AccessType", "Any", "KernelSpecification.Arguments[0].AccessType");
  expect(kernel + "Arguments/0/MemoryType", "Local", "KernelSpecification.Arguments[0].MemoryType");
  expect(kernel + "Arguments/0/Type", "custom", "KernelSpecification.Arguments[0].Type: 'custom'");
  expect(kernel + "Arguments/0/Size", 0, "KernelSpecification.Arguments[0].Size: 0 elements");
  expect(kernel + "Arguments/0/Size", "w",
         "KernelSpecification.Arguments[0].Size: 'w': 'w' is not");
  expect(kernel + "Arguments/0/Name", "a", "KernelSpecification: two arguments are called 'a'");
  expect(kernel + "Arguments/0/Name", "a b",
         "KernelSpecification.Arguments[0].Name: 'a b' must be");
  expect(kernel + "Arguments/1/FillType", "Script", "KernelSpecification.Arguments[1].FillType");
  expect(kernel + "Arguments/2/FillValue", 0.5, "KernelSpecification.Arguments[2].FillValue: 0.5");
  expect(kernel + "Arguments/2/Type", "float4", "KernelSpecification.Arguments[2].Type: a number");
  expect(space + "TuningParameters/0/Type", "string",
         "ConfigurationSpace.TuningParameters[0].Type: 'string': values of a parameter must be");
  expect(space + "TuningParameters/0/Values", "[]",
         "ConfigurationSpace.TuningParameters[0].Values: it has no values");
  expect(space + "TuningParameters/0/Values", "[1, 1]",
         "ConfigurationSpace.TuningParameters[0].Values: 1 is there twice");
  expect(space + "TuningParameters/0/Values", "[1",
         "ConfigurationSpace.TuningParameters[0].Values: '[1' is no expression of Python");
  expect(space + "TuningParameters/0/Name", "tile",
         "ConfigurationSpace.TuningParameters[1]: 'tile' is there twice");
  expect(space + "Conditions/0/Expression", "tile & 1",
         "ConfigurationSpace.Conditions[0].Expression: 'tile & 1': 'tile & 1' has no counterpart");
  expect(space + "Conditions/0/Expression", "tile > 4",
         "ConfigurationSpace.Conditions: no configuration fulfils all of them");
}

TEST_F(T1Problems, NeedTheirParts) {
  remove("/KernelSpecification", "KernelName");
  EXPECT_EQ(refusal(), "KernelSpecification: the key 'KernelName' is missing");
  remove("", "KernelSpecification");
  EXPECT_TRUE(refusal().starts_with("this is no tuning problem of the format T1"));
  json_ = 3;
  EXPECT_TRUE(refusal().starts_with("this is no tuning problem of the format T1"));
}

}  // namespace
}  // namespace tilewright::tools
