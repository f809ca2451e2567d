#include "tuner/plan/hook_header.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "definition/text/escape.hpp"

namespace tilewright {
namespace {

std::string header_name(const Hook& hook) {
  return hook.name + ".cuh";
}

char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

// `row_filter` → `RowFilter`.
std::string struct_name(const Hook& hook) {
  std::string name;
  bool begins = true;
  for (const char c : hook.name) {
    if (c != '_') name += begins ? upper(c) : c;
    begins = c == '_';
  }
  return name;
}

std::string macro_name(const Hook& hook, const std::string& part) {
  std::string name;
  for (const char c : hook.name) name += upper(c);
  return name + '_' + part;
}

// The type of the kernel's parameter, and of the member that keeps it.
std::string parameter_type(const Argument& argument) {
  const std::string cuda(facts_of(argument.type).cuda);
  return argument.kind == ArgumentKind::scalar ? cuda : fmt::format("const {}*", cuda);
}

// What a snippet of real numbers may call beside CUDA's functions. As float it takes four
// instructions, and the relative error is about |x| · 2^-24 + 2^-21.
std::string sigmoid(const std::string& real) {
  if (real != "float")
    return "  static __device__ __forceinline__ double sigmoid(double x) {\n"
           "    return 1.0 / (1.0 + exp(-x));\n  }\n";
  return R"(  static __device__ __forceinline__ float sigmoid(float x) {
#if defined(__CUDA_ARCH__)
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x * -1.44269504f));
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(result + 1.0f));
    return result;
#else
    return 1.0f / (1.0f + expf(-x));
#endif
  }
)";
}

std::string call_operator(const Hook& hook, const std::string& header) {
  std::string text = "  __device__ __forceinline__ real operator()(const real value";
  for (const Coordinate& coordinate : hook.coordinates)
    text += fmt::format(", const int {}", coordinate.name);
  const Snippet& snippet = *hook.snippet;
  text += fmt::format(") const {{\n#line {} {}\n{}\n", snippet.line,
                      cpp_literal(snippet.file.filename().string()), snippet.code);
  return text + fmt::format("#line 1 {}\n  }}\n", cpp_literal(header));
}

}  // namespace

std::string hook_header(const Hook& hook, const std::string& real) {
  std::string members;
  std::string parameters;
  std::string values;
  for (const Argument& argument : hook.snippet->arguments) {
    const std::string type = parameter_type(argument);
    const std::string name = hook_argument(hook, argument);
    const bool is_scalar = argument.kind == ArgumentKind::scalar;
    members += fmt::format("  {} {};\n", type, argument.name);
    parameters += fmt::format(", {}{} {}", type, is_scalar ? "" : " __restrict__", name);
    values += fmt::format("{}{}", values.empty() ? "" : ", ", name);
  }
  if (real != "int" && hook.snippet->code.find("sigmoid") != std::string::npos)
    members += sigmoid(real);
  return fmt::format(
      "{}\n#pragma once\nstruct {} {{\n  typedef {} real;\n{}{}}};\n"
      "#define {}{}\n#define {} {{{}}}\n",
      cpp_comment(fmt::format("The snippet '{}' of {}.", hook.snippet->name,
                              hook.snippet->file.filename().string())),
      struct_name(hook), real, members, call_operator(hook, header_name(hook)),
      macro_name(hook, "PARAMETERS"), parameters.empty() ? "" : ' ' + parameters,
      macro_name(hook, "ARGUMENTS"), values);
}

std::map<std::string, std::string> with_snippets(std::map<std::string, std::string> headers,
                                                 const Operation& operation,
                                                 const RealOf& real_of) {
  for (const Hook& hook : operation.hooks)
    for (auto& [name, text] : headers)
      if (hook.snippet && std::filesystem::path(name).filename() == header_name(hook))
        text = hook_header(hook, real_of(hook));
  return headers;
}

CompileRequest snippet_request(const Hook& hook, const std::string& real,
                               const std::string& architecture) {
  std::string zeros;
  for (std::size_t i = 0; i < hook.coordinates.size(); ++i) zeros += ", 0";
  CompileRequest request;
  request.source = fmt::format(
      "#include \"{0}\"\nextern \"C\" __global__ void call_snippet({1}::real* value {2}) {{\n"
      "  const {1} snippet = {3};\n  *value = snippet(*value{4});\n}}\n",
      header_name(hook), struct_name(hook), macro_name(hook, "PARAMETERS"),
      macro_name(hook, "ARGUMENTS"), zeros);
  request.source_name = hook.name + ".cu";
  request.headers = {{header_name(hook), hook_header(hook, real)}};
  request.architecture = architecture;
  request.entries = {"call_snippet"};
  return request;
}

}  // namespace tilewright
