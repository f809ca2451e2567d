#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/show/reproducer.hpp"
#include "tools/show/subject.hpp"

namespace tilewright::tools {

// The request that a sweep would compile.
CompileRequest compile_request_of(const ShowSubject& subject);

// The kernel's source with its macros and headers in one text. On the host device it is the C++
// that the host compiler gets.
std::string source_text(const ShowSubject& subject);

// With all problems on which a sweep verifies the configuration, except those that it skips.
Reproducer reproducer_of(const ShowSubject& subject);

// The command that compiles `file`: --source to a cubin or a host library, --reproducer to a
// program. Throws MachineError if the host device has no compiler.
enum class Product { code, program };
std::string command_for(const ShowSubject& subject, Product product, const std::string& file);

// "gemm_tiled.cu"; on the host device "gemm_tiled.cpp".
std::string default_file(const ShowSubject& subject);

// A program of the toolkit that turns cubins into text.
struct Disassembler {
  std::filesystem::path program;
  std::vector<std::string> options;  // before the file
};

// nvdisasm, else cuobjdump. Throws a MachineError that says where it looked.
Disassembler find_disassembler();

// A cubin as text. If the program fails, throws a MachineError with its message.
std::string disassemble(const Disassembler& disassembler, const std::vector<std::uint8_t>& cubin);

}  // namespace tilewright::tools
