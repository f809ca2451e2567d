#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "definition/manifest/manifest.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tilewright/error.hpp"

namespace tilewright {

// Every key of the specification once.
inline constexpr const char* kComplete = R"toml(schema = 1

[operation]
name = "blur"
about = "a moving mean"
flops = "2 * length * taps"
bytes = "8 * length"
classes = ["pitch % 4 == 0"]
checks = [{ length = 7, taps = 3 }, { boundary = "wrap" }]

[[operation.dimension]]
name = "length"
default = 1024
host_default = 64
maximum = 65535

[[operation.dimension]]
name = "taps"
about = "filter taps"
default = 9
minimum = 3
role = "class"

[[operation.dimension]]
name = "pitch"
default = 0
minimum = 0
role = "none"

[[operation.choice]]
name = "boundary"
values = ["zero", "wrap"]
default = "wrap"
role = "none"

[[operation.argument]]
name = "signal"
count = "length"

[[operation.argument]]
name = "filter"
kind = "array"
capacity = 33
count = "taps"
fill = { kind = "constant", value = 0.5 }

[[operation.argument]]
name = "size"
kind = "scalar"
type = "int64"
value = "length * 2"

[[operation.argument]]
name = "result"
role = "output"
type = "float64"
count = "length"

[operation.reference]
source = "kernel.cu"
[[operation.reference.launch]]
entry = "slow"
grid = ["length"]
block = [1]
arguments = ["signal", "filter", "result", "boundary"]

[operation.compare]
reduction = "taps"
scale = 2
how = "reduced"

[[operation.workload]]
name = "short"
about = "a few blocks"
sizes = { length = [64, 512, 64], taps = [3, 33] }
choices = ["boundary"]

[[implementation]]
name = "fast"
epoch = 3
source = "kernel.cu"
include = ["."]
options = ["--use_fast_math"]
requires = "sm_90a"
compiled_in = ["boundary", { name = "taps", when = "FIXED == 1" }]
seeds = [{ BLOCK = 128 }, { BLOCK = 64, LOADING = "all" }]
general = [[{ BLOCK = 64 }, { BLOCK = 128 }], [{}, { LOADING = "one" }]]

[[implementation.parameter]]
name = "BLOCK"
about = "threads"
values = [64, 128]
default = 128

[[implementation.parameter]]
name = "LOADING"
values = ["one", "all", "none"]
default = "all"
active = "BLOCK > 64"

[[implementation.parameter]]
name = "FIXED"
values = [0, 1]
default = 1
follows = "BLOCK == 64 && taps < 9"

[[implementation.constraint]]
require = "BLOCK <= 1024"
why = "a block has at most 1024 threads"

[[implementation.launch]]
entry = "blur<float>"
when = "LOADING != 'none'"
grid = ["ceil_div(length, BLOCK)", 2]
block = ["BLOCK"]
cluster = [2]
shared_bytes = "4 * BLOCK"
arguments = ["signal", "workspace", { workspace = "4 * BLOCK" }, "length", "boundary", "LOADING", { value = "length * taps", type = "uint64" }, { value = "LOADING" }]

[implementation.workspace]
bytes = "8 * BLOCK"
zero = "each"

[implementation.estimate]
shared_bytes = "4 * BLOCK"
registers = 24

[implementation.cost]
blocks = "ceil_div(length, BLOCK)"
multiprocessors = "device.sm_count / 2"
resident = 4
work = "BLOCK * taps"
latency = "20 * taps"
least = "length / 8"
overhead = 4000
)toml";

// Of the table that holds `taps`.
inline constexpr const char* kSecondDimension = ":17:1:";

class ManifestTest : public testing::Test {
 protected:
  ManifestTest() { folder_.write("kernel.cu", "// a kernel\n"); }

  Manifest read(const std::string& text) const {
    return read_manifest(folder_.write("test.toml", text));
  }

  // kComplete with one text replaced.
  static std::string changed(const std::string& from, const std::string& to) {
    std::string text = kComplete;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }

  // What read_manifest says, without the path before `:line:column: `.
  std::string error_of(const std::string& text) const {
    try {
      read(text);
    } catch (const InputError& error) {
      const std::string message = error.what();
      const std::string path = (folder_.path() / "test.toml").string();
      EXPECT_EQ(message.substr(0, path.size()), path);
      return message.substr(std::min(path.size(), message.size()));
    }
    return "no error";
  }

  void expect_error(const std::string& from, const std::string& to, const std::string& place,
                    const std::string& part) const {
    const std::string message = error_of(changed(from, to));
    EXPECT_EQ(message.substr(0, place.size()), place) << message;
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }

  // The place `:line:column:` of a text in kComplete.
  static std::string place_of(const std::string& text, std::size_t further = 0) {
    const std::string all = kComplete;
    const std::size_t at = all.find(text);
    const std::size_t begin = all.rfind('\n', at) + 1;
    const auto line = std::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    return ':' + std::to_string(line + 1) + ':' + std::to_string(at - begin + 1 + further) + ':';
  }

  // The line alone, `:line:`.
  static std::string line_of(const std::string& text) {
    const std::string place = place_of(text);
    return place.substr(0, place.find(':', 1) + 1);
  }

  FolderOfFiles folder_;
};

}  // namespace tilewright
