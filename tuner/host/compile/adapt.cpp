#include "tuner/host/compile/adapt.hpp"

#include <fmt/format.h>

#include <optional>
#include <sstream>

#include "definition/source.hpp"
#include "definition/text/escape.hpp"
#include "definition/text/scanner.hpp"
#include "tuner/backend/standard_headers.hpp"
#include "tuner/plan/compile_request.hpp"
#include "tuner/plan/flat_source.hpp"

namespace tilewright::host {
namespace {

constexpr const char* kShimFile = "tilewright_host.h";
constexpr const char* kNarrowFile = "tilewright_narrow.h";
constexpr const char* kGroupsFile = "tilewright_groups.h";

std::string_view without_blanks_behind(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

using Replacement = std::optional<std::string>;

void skip_alignment(Scanner& scanner) {
  Scanner here = scanner;
  if (!here.word("__align__") && !here.word("alignas")) return;
  here.blanks();
  if (!here.piece("(") || !here.until(")") || !here.piece(")")) return;
  here.blanks();
  scanner = here;
}

// `extern __shared__ T name[];` with an alignment on either side. Shared memory is static here, so
// it cannot be extern.
Replacement dynamic_shared(Scanner& scanner) {
  if (!scanner.blanks()) return std::nullopt;
  skip_alignment(scanner);
  if (!scanner.word("__shared__") || !scanner.blanks()) return std::nullopt;
  skip_alignment(scanner);
  const auto declared = scanner.until(";[]=(){}");
  if (!declared || !scanner.piece("[")) return std::nullopt;
  scanner.blanks();
  if (!scanner.piece("]")) return std::nullopt;
  scanner.blanks();
  if (!scanner.piece(";")) return std::nullopt;
  const std::string_view text = without_blanks_behind(*declared);
  std::size_t name = text.size();
  while (name > 0 && is_of_name(text[name - 1])) --name;
  if (name == text.size()) return std::nullopt;
  return fmt::format(
      "{0}* const& {1} = *reinterpret_cast<{0}* const*>(&tilewright_host_state.dynamic_shared);",
      without_blanks_behind(text.substr(0, name)), text.substr(name));
}

// Shared memory is static as it is.
std::string adapt_shared(const std::string& text) {
  const std::string dynamic = replace_at(text, "extern", dynamic_shared);
  const std::string first = replace_at(dynamic, "static", [](Scanner& scanner) -> Replacement {
    if (!scanner.blanks() || !scanner.word("__shared__")) return std::nullopt;
    return "__shared__";
  });
  return replace_at(first, "__shared__", [](Scanner& scanner) -> Replacement {
    if (!scanner.blanks() || !scanner.word("static")) return std::nullopt;
    return "__shared__";
  });
}

// The file name, in one folder, for the name of an include.
std::string file_name_of(const std::string& include) {
  std::string name;
  for (const char c : include) name += c == '/' || c == '\\' ? '_' : c;
  return "include_" + name;
}

// The file that takes the place of a header of the toolkit: one for all numbers of 8 and 16 bits,
// and none ("") for what tilewright_host.h has.
std::optional<std::string> in_place_of(const std::string& header) {
  static const auto& kPlaces =
      *new const std::map<std::string, std::string>{{"cuda_fp16.h", kNarrowFile},
                                                    {"cuda_bf16.h", kNarrowFile},
                                                    {"cuda_fp8.h", kNarrowFile},
                                                    {"cooperative_groups.h", kGroupsFile},
                                                    {"cooperative_groups/reduce.h", kGroupsFile},
                                                    {"cuda_runtime.h", ""},
                                                    {"cuda_runtime_api.h", ""},
                                                    {"device_functions.h", ""},
                                                    {"device_launch_parameters.h", ""},
                                                    {"math_functions.h", ""},
                                                    {"vector_functions.h", ""},
                                                    {"vector_types.h", ""}};
  const auto found = kPlaces.find(header);
  if (found == kPlaces.end()) return std::nullopt;
  return found->second;
}

// Includes get names that stay in one folder. Those of the C++ library stay as they are.
std::string rename_includes(const std::string& text, const CompileRequest& request,
                            const StandardHeaders& standard) {
  std::map<std::size_t, std::string> lines;  // by their number
  for (const IncludeLine& include : includes_of(text)) {
    const bool is_own = include.is_quoted && request.headers.contains(include.name);
    if (is_own || standard.texts.contains(include.name))
      lines[include.line] = fmt::format("#include \"{}\"", file_name_of(include.name));
    else if (const auto place = in_place_of(include.name))
      lines[include.line] = place->empty() ? "" : fmt::format("#include \"{}\"", *place);
  }
  if (lines.empty()) return text;
  std::string result;
  std::istringstream stream(text);
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    const auto changed = lines.find(++number);
    result += (changed == lines.end() ? line : changed->second) + '\n';
  }
  if (!text.ends_with('\n')) result.pop_back();
  return result;
}

std::string adapt_text(const std::string& text, const CompileRequest& request,
                       const StandardHeaders& standard) {
  std::string result = rename_includes(text, request, standard);
  if (result.find("__shared__") == std::string::npos) return result;
  return adapt_shared(result);
}

std::string main_text(const CompileRequest& request, const StandardHeaders& standard) {
  std::string text;
  // In front of the shim, whose macros they would not survive. The lines that ask for them may be
  // under a condition, so they stay: they decide what is missing, and have no effect otherwise.
  for (const std::string& header : standard.cpp) text += include_if_present(header);
  // Macros become text after the shim. As options of the compiler they would change its names, too.
  text += fmt::format("#include \"{}\"\n{}{}", kShimFile,
                      rename_includes(standard.prelude, request, standard),
                      define_lines(request.options));
  const std::string name = request.source_name.empty() ? "kernel.cu" : request.source_name;
  text += fmt::format("#line 1 {}\n{}\n#line 1 \"entries\"\n", cpp_literal(name),
                      adapt_text(request.source, request, standard));
  for (std::size_t i = 0; i < request.entries.size(); ++i)
    text += fmt::format("TILEWRIGHT_ENTRY({}, {})\n", i, request.entries[i]);
  for (std::size_t i = 0; i < request.constants.size(); ++i)
    text += fmt::format("TILEWRIGHT_CONSTANT({}, {})\n", i, request.constants[i]);
  return text;
}

}  // namespace

// By "./", because GCC 12 accepts a later include of a missing name that it was asked for.
std::string include_if_present(const std::string& header) {
  return fmt::format("#if __has_include(<./{0}>)\n#include <{0}>\n#endif\n", header);
}

std::map<std::string, std::string> shim_files() {
  return {{kShimFile, std::string(kHostShim)},
          {"tilewright_host_math.h", std::string(kHostMathShim)},
          {"tilewright_textures.h", std::string(kTexturesShim)},
          {kNarrowFile, std::string(kNarrowShim)},
          {kGroupsFile, std::string(kGroupsShim)},
          {"tilewright_warp.h", std::string(kWarpShim)}};
}

std::map<std::string, std::string> adapt_sources(const CompileRequest& request) {
  std::map<std::string, std::string> files = shim_files();
  const StandardHeaders standard = standard_headers(request);
  files[kMainFile] = main_text(request, standard);
  for (const auto& [name, text] : standard.texts)
    files[file_name_of(name)] = rename_includes(text, request, standard);
  for (const auto& [name, text] : request.headers)
    files[file_name_of(name)] =
        fmt::format("#line 1 {}\n{}", cpp_literal(name), adapt_text(text, request, standard));
  return files;
}

CompileRequest adapt_for_program(CompileRequest request) {
  request.entries.clear();
  request.constants.clear();
  request.headers = adapt_sources(request);
  request.source = request.headers.at(kMainFile);
  request.options.clear();
  request.headers[kShimFile].clear();
  for (const auto& [name, text] : standard_headers({}).texts)
    if (!name.ends_with(".h"))
      request.headers[file_name_of(name)] = fmt::format("#include <{}>\n", name);
  return request;
}

std::string entry_symbol(std::size_t number) {
  return fmt::format("tilewright_entry_{}", number);
}

std::string constant_symbol(std::size_t number) {
  return fmt::format("tilewright_constant_{}", number);
}

}  // namespace tilewright::host
