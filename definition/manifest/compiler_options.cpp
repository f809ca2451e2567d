// The key 'options': as people write options for nvcc, so that they mean the same with NVRTC and on
// the host device.
#include <fmt/format.h>

#include <array>
#include <sstream>

#include "definition/manifest/manifest_parts.hpp"
#include "definition/text/suggest.hpp"

namespace tilewright {
namespace {

enum class Does {
  keep,
  search,  // names a folder of headers
  join,    // takes a value, which NVRTC wants behind "="
  value,   // takes a value, which is joined to the option without a sign
  refuse,  // contradicts the sweep
  drop,    // concerns the host's compiler or the linker
  drop_with_value,
};

struct Rule {
  std::string_view names;  // with one and with two dashes
  Does does;
  const char* name_or_why;  // search, join, value: the name for NVRTC; refuse: why
};

// The first that fits decides. Others are NVRTC's own, or it says that it does not know them.
constexpr std::array kRules = {
    Rule{"-lineinfo -Ofast-compile", Does::keep, ""},
    Rule{"-I --include-path -isystem --system-include", Does::search, ""},
    Rule{"-D --define-macro", Does::value, "-D"},
    Rule{"-U --undefine-macro", Does::value, "-U"},
    Rule{"-std --std", Does::join, "-std"},
    Rule{"-Xptxas --ptxas-options", Does::join, "--ptxas-options"},
    Rule{"-maxrregcount --maxrregcount", Does::join, "--maxrregcount"},
    Rule{"-diag-suppress --diag-suppress", Does::join, "--diag-suppress"},
    Rule{"-arch --gpu-architecture -code --gpu-code -gencode --generate-code", Does::refuse,
         "the sweep compiles for the device that it measures"},
    Rule{"-G --device-debug", Does::refuse, "times of code for a debugger mean nothing"},
    Rule{"-o --output-file -odir --output-directory -c --compile -cubin --cubin -ptx --ptx "
         "-fatbin --fatbin -E --preprocess -run --run",
         Does::refuse, "the sweep itself makes the compiled code"},
    Rule{"-O --optimize -W -g --debug -fPIC -fpic -v --verbose -keep --keep -m64 --m64 "
         "-shared --shared -expt-relaxed-constexpr --expt-relaxed-constexpr",
         Does::drop, ""},
    Rule{"-Xcompiler --compiler-options -Xlinker --linker-options -ccbin --compiler-bindir "
         "-cudart --cudart -keep-dir --keep-dir -l --library -L --library-path -x --x -t --threads",
         Does::drop_with_value, ""},
};

// An option in words: "-I", "dir", "-Idir" and "--include-path=dir" are one with the value "dir".
struct Matched {
  const Rule* rule = nullptr;
  std::string value;  // what is joined to the option
};

bool may_join(std::string_view name) {
  constexpr std::array<std::string_view, 7> kJoined = {"-I", "-D", "-U", "-O", "-W", "-l", "-L"};
  return is_among(name, kJoined);
}

Matched rule_of(const std::string& option) {
  for (const Rule& rule : kRules) {
    std::istringstream names{std::string(rule.names)};
    for (std::string name; names >> name;) {
      if (!option.starts_with(name)) continue;
      const std::string rest = option.substr(name.size());
      if (rest.empty()) return {&rule, ""};
      if (rest.front() == '=') return {&rule, rest.substr(1)};
      if (may_join(name)) return {&rule, rest};
    }
  }
  return {};
}

bool takes_value(Does does) {
  return does == Does::search || does == Does::join || does == Does::value ||
         does == Does::drop_with_value;
}

}  // namespace

void read_compiler_options(const TableReader& table, DeviceCompiler compiler,
                           CompilerOptions result) {
  const std::vector<std::string> words = table.texts("options");
  result.options.clear();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& option = words[i];
    auto [rule, value] = rule_of(option);
    if (rule == nullptr || rule->does == Does::keep) {
      result.options.push_back(option);
      continue;
    }
    const auto fail = [&](const std::string& why) {
      table.fail(table.elements("options")[i], "'options': {}: {}", option, why);
    };
    if (rule->does == Does::refuse) fail(fmt::format("leave it out: {}", rule->name_or_why));
    const bool is_apart = takes_value(rule->does) && value.empty();
    if (is_apart && i + 1 == words.size()) fail("its value is missing");
    if (is_apart) value = words[++i];
    const bool drops = rule->does == Does::drop || rule->does == Does::drop_with_value;
    if (rule->does == Does::search) {
      result.include_directories.push_back(path_of(table.file(), value));
    } else if (compiler == DeviceCompiler::nvcc) {
      result.options.push_back(option);
      if (is_apart) result.options.push_back(value);
    } else if (drops) {
      result.dropped.push_back(is_apart ? option + ' ' + value : option);
    } else {
      const std::string joined =
          rule->name_or_why + (rule->does == Does::join ? '=' + value : value);
      result.options.push_back(is_apart || rule->does == Does::value ? joined : option);
    }
  }
}

}  // namespace tilewright
