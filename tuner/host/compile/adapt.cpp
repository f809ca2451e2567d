#include "tuner/host/compile/adapt.hpp"

#include <fmt/format.h>

#include <regex>

#include "definition/text/escape.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/plan/flat_source.hpp"

namespace tilewright::host {
namespace {

constexpr const char* kShimFile = "tilewright_host.h";
constexpr const char* kMathFile = "tilewright_host_math.h";
constexpr const char* kTexturesFile = "tilewright_textures.h";
constexpr const char* kNarrowFile = "tilewright_narrow.h";
constexpr const char* kGroupsFile = "tilewright_groups.h";

// Matches `extern __shared__ T name[];` with an alignment on either side. Shared memory is static
// here, so it cannot be extern.
std::string declare_dynamic_shared(const std::string& text) {
  static const std::regex kDynamic(
      R"(\bextern\s+(?:(?:__align__|alignas)\s*\([^)]*\)\s*)?__shared__\s+)"
      R"((?:(?:__align__|alignas)\s*\([^)]*\)\s*)?([^;\[\]=(){}]*?)\s*\b(\w+)\s*\[\s*\]\s*;)");
  return std::regex_replace(text, kDynamic,
                            "$1* const& $2 = *reinterpret_cast<$1* const*>("
                            "&tilewright_host_state.dynamic_shared);");
}

std::string drop_second_static(const std::string& text) {
  static const std::regex kTwice(R"(\bstatic\s+__shared__\b|\b__shared__\s+static\b)");
  return std::regex_replace(text, kTwice, "__shared__");
}

// The file name, in one folder, for the name of a quoted include.
std::string file_name_of(const std::string& include) {
  std::string name;
  for (const char c : include) name += c == '/' || c == '\\' ? '_' : c;
  return "include_" + name;
}

std::string rename_includes(const std::string& text) {
  static const std::regex kInclude(R"re((^|\n)([ \t]*#[ \t]*include[ \t]*)"([^"\n]+)")re");
  std::string result;
  auto rest = text.cbegin();
  for (std::sregex_iterator match(text.begin(), text.end(), kInclude), end; match != end; ++match) {
    result.append(rest, (*match)[0].first);
    result += match->str(1) + match->str(2) + '"' + file_name_of(match->str(3)) + '"';
    rest = (*match)[0].second;
  }
  return result.append(rest, text.cend());
}

// CUDA's headers for numbers of 8 and 16 bits, of which one file takes the place, and that for
// groups of threads.
std::string replace_cuda_headers(const std::string& text) {
  static const std::regex kHeader(
      R"re((^|\n)([ \t]*#[ \t]*include[ \t]*)<cuda_(?:fp16|bf16|fp8)\.h>)re");
  static const std::regex kGroups(
      R"re((^|\n)([ \t]*#[ \t]*include[ \t]*)<cooperative_groups\.h>)re");
  const std::string numbers =
      std::regex_replace(text, kHeader, fmt::format("$1$2\"{}\"", kNarrowFile));
  return std::regex_replace(numbers, kGroups, fmt::format("$1$2\"{}\"", kGroupsFile));
}

std::string main_text(const CompileRequest& request) {
  // Macros become text after the shim. As options of the compiler they would change its names, too.
  std::string text = fmt::format("#include \"{}\"\n{}", kShimFile, define_lines(request.options));
  const std::string name = request.source_name.empty() ? "kernel.cu" : request.source_name;
  text += fmt::format("#line 1 {}\n{}\n#line 1 \"entries\"\n", cpp_literal(name),
                      adapt_text(request.source));
  for (std::size_t i = 0; i < request.entries.size(); ++i)
    text += fmt::format("TILEWRIGHT_ENTRY({}, {})\n", i, request.entries[i]);
  for (std::size_t i = 0; i < request.constants.size(); ++i)
    text += fmt::format("TILEWRIGHT_CONSTANT({}, {})\n", i, request.constants[i]);
  return text;
}

}  // namespace

std::string adapt_text(const std::string& text) {
  std::string result = replace_cuda_headers(rename_includes(text));
  if (result.find("__shared__") == std::string::npos) return result;
  return drop_second_static(declare_dynamic_shared(result));
}

std::map<std::string, std::string> adapt_sources(const CompileRequest& request) {
  std::map<std::string, std::string> files;
  files[kShimFile] = std::string(kHostShim);
  files[kMathFile] = std::string(kHostMathShim);
  files[kTexturesFile] = std::string(kTexturesShim);
  files[kNarrowFile] = std::string(kNarrowShim);
  files[kGroupsFile] = std::string(kGroupsShim);
  files[kMainFile] = main_text(request);
  for (const auto& [name, text] : request.headers)
    files[file_name_of(name)] = fmt::format("#line 1 {}\n{}", cpp_literal(name), adapt_text(text));
  return files;
}

std::string entry_symbol(std::size_t number) {
  return fmt::format("tilewright_entry_{}", number);
}

std::string constant_symbol(std::size_t number) {
  return fmt::format("tilewright_constant_{}", number);
}

}  // namespace tilewright::host
