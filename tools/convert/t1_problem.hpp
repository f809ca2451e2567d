#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/convert/python_value.hpp"

namespace tilewright::tools {

struct T1Parameter {
  std::string name;
  PythonList values;
  std::int64_t default_value = 0;
};

struct T1Condition {
  std::string require;  // in the language of manifests
  std::string python;
};

struct T1Argument {
  std::string name;
  std::string type;     // of an element, as manifests call it
  std::string literal;  // of a number; empty: an array
  std::int64_t count = 0;
  std::string role;
  std::string fill;          // a table of TOML; empty: none
  std::string file;          // that the fill reads
  bool is_constant = false;  // it fills the symbol of its name, too
  bool is_launched = true;
};

// A problem of the exchange format T1 (github.com/odgaard/TuningSchema), which Kernel Tuner, KTT
// and BAT read, in the terms of manifests.
struct T1Problem {
  std::string kernel;
  std::filesystem::path source;  // it exists
  std::vector<std::string> options;
  std::vector<T1Parameter> parameters;
  std::vector<T1Condition> conditions;
  std::vector<std::int64_t> sizes;  // along x, y, z; of none the extent is in `grid` alone
  std::vector<std::string> grid, block;
  std::int64_t shared_bytes = 0;
  std::vector<T1Argument> arguments;
  std::vector<std::string> notes;  // sentences about what the manifest does not have
};

// Reads the text of a problem that is in `folder`. Throws InputError that names the place and what
// is accepted.
T1Problem read_t1(std::string_view text, const std::filesystem::path& folder);

}  // namespace tilewright::tools
