// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/show/disassemble.hpp"

#include <fmt/format.h>

#include "definition/text/text_file.hpp"
#include "tilewright/error.hpp"
#include "tools/input/paths.hpp"
#include "tuner/host/compile/command.hpp"

namespace tilewright::tools {

Disassembler find_disassembler() {
  for (const Disassembler& known :
       {Disassembler{"nvdisasm", {"--print-code"}}, Disassembler{"cuobjdump", {"-sass"}}})
    if (const auto program = toolkit_program(known.program.string()); !program.empty())
      return {program, known.options};
  throw MachineError(
      "SASS needs nvdisasm or cuobjdump of the CUDA toolkit, and neither is on PATH, in "
      "CUDA_HOME/bin "
      "or in /usr/local/cuda/bin; --ptx needs NVRTC alone");
}

std::string disassemble(const Disassembler& disassembler, const std::vector<std::uint8_t>& cubin) {
  const host::ScratchFolder folder(temporary_folder());
  constexpr const char* kFile = "kernel.cubin";
  write_file(folder.path() / kFile, std::string(cubin.begin(), cubin.end()));
  std::vector<std::string> words = disassembler.options;
  words.emplace_back(kFile);
  const host::CommandResult run = host::run_command(disassembler.program, words, folder.path());
  if (run.status != 0)
    throw MachineError(fmt::format("{} ended with status {}: {}", disassembler.program.string(),
                                   run.status, run.output.substr(0, run.output.find('\n'))));
  return run.output;
}

}  // namespace tilewright::tools
