#include "definition/json/json.hpp"

#include <gtest/gtest.h>

#include "tests/unit/definition/manifest/manifest_fixture.hpp"

namespace tilewright {
namespace {

constexpr const char* kManifest = R"text(
schema = 1
[operation]
name = "scale"
about = "y = factor · x"
[[operation.dimension]]
name = "width"
default = 8
[[operation.dimension]]
name = "pitch"
default = "width"
role = "none"
[[operation.choice]]
name = "type"
values = ["float32", "float64"]
default = "float32"
[[operation.argument]]
name = "x"
type = "type"
count = "pitch * 2"
[[operation.argument]]
name = "factor"
kind = "scalar"
[[operation.argument]]
name = "y"
type = "type"
role = "inout"
count = "pitch"
)text";

using OperationJson = ManifestTest;

TEST_F(OperationJson, HasWhatACallGives) {
  EXPECT_EQ(describe(read(kManifest).operations.at(0)).dump(),
            R"({"name":"scale","about":"y = factor · x",)"
            R"("dimensions":[{"name":"width","default":8,"role":"distance"},)"
            R"({"name":"pitch","default":"width","role":"none"}],)"
            R"("choices":[{"name":"type","labels":["float32","float64"],"default":"float32"}],)"
            R"("arguments":[{"name":"x","kind":"buffer","role":"input","count":"pitch * 2"},)"
            R"({"name":"factor","kind":"scalar","role":"input","count":"1"},)"
            R"({"name":"y","kind":"buffer","role":"inout","count":"pitch"}]})");
}

}  // namespace
}  // namespace tilewright
