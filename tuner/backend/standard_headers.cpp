#include "tuner/backend/standard_headers.hpp"

#include <array>
#include <set>
#include <sstream>

#include "definition/source.hpp"
#include "definition/text/scanner.hpp"

namespace tilewright {
namespace {

// A header of C++ that gives names of one of C in the namespace std.
struct InStd {
  const char* name;
  const char* of;
  const char* names;
};
constexpr std::array kInStd = {
    InStd{"cstdint", "stdint.h",
          "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t "
          "intmax_t uintmax_t"},
    InStd{"cstddef", "stddef.h", "nullptr_t ptrdiff_t size_t"},
    InStd{"cmath", "math.h",
          "abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp "
          "exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp hypot isfinite isinf isnan ldexp "
          "lgamma log log10 log1p log2 lrint lround modf nearbyint pow remainder rint round "
          "signbit sin sinh sqrt tan tanh tgamma trunc"},
    InStd{"cstdio", "stdio.h", "printf"},
    InStd{"cstdlib", "stdlib.h", "abs free malloc size_t"},
    InStd{"cstring", "string.h", "memcpy memset size_t"},
};

// Whether the text declares the name, as a type, a macro or a variable, where each_name() finds it.
bool is_declared(std::string_view before, char behind, bool in_typedef) {
  const bool is_variable = behind == '=' && (before == "float" || before == "double" ||
                                             before == "int" || before == "unsigned");
  return before == "using" || before == "define" || is_variable || (in_typedef && behind == ';');
}

void each_use(std::string_view text, const auto& visit) {
  bool in_typedef = false;
  each_name(text, [&](std::string_view name, std::string_view before, char behind) {
    if (name == "typedef") in_typedef = true;
    visit(name, is_declared(before, behind, in_typedef));
    if (behind == ';') in_typedef = false;
  });
}

struct Library {
  std::map<std::string, std::string> texts;
  std::map<std::string, std::string, std::less<>>
      header_of;  // each name that a header of C defines
};

Library read_library() {
  Library library;
  std::istringstream lines{std::string(kStandardHeaders)};
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("//// ")) {
      std::istringstream words(line.substr(5));
      names.clear();
      for (std::string word; words >> word;) names.push_back(word);
    } else {
      for (const std::string& name : names) library.texts[name] += line + '\n';
    }
  }
  for (const auto& [header, text] : library.texts)
    each_use(text, [&, &name = header](std::string_view word, bool is_declared) {
      if (is_declared && name.ends_with(".h")) library.header_of.emplace(word, name);
    });
  for (const InStd& header : kInStd) {
    std::string& text = library.texts[header.name];
    text = std::string("#pragma once\n#include <") + header.of + ">\nnamespace std {\n";
    std::istringstream words(header.names);
    for (std::string word; words >> word;) text += "using ::" + word + ";\n";
    text += "}\n";
  }
  return library;
}

}  // namespace

StandardHeaders standard_headers(const CompileRequest& request) {
  static const auto& library = *new const Library(read_library());
  std::set<std::string> used, declared, cpp;
  const auto read = [&](const std::string& text) {
    each_use(text, [&](std::string_view name, bool is_declared) {
      const auto header = library.header_of.find(name);
      if (header != library.header_of.end()) (is_declared ? declared : used).insert(header->second);
    });
    for (const auto& [name, line, is_quoted] : includes_of(text))
      if (name.find_first_of("./") == std::string::npos && !library.texts.contains(name) &&
          !(is_quoted && request.headers.contains(name)))
        cpp.insert(name);
  };
  read(request.source);
  for (const auto& [name, text] : request.headers) read(text);
  StandardHeaders found{library.texts, {}, {cpp.begin(), cpp.end()}};
  for (const std::string& header : used)
    if (!declared.contains(header)) found.prelude += "#include <" + header + ">\n";
  return found;
}

}  // namespace tilewright
