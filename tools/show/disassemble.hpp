// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tilewright::tools {

// The toolkit's program that turns cubins into text.
struct Disassembler {
  std::filesystem::path program;
  std::vector<std::string> options;  // before the file
};

// nvdisasm, else cuobjdump. Throws MachineError that says where it looked.
Disassembler find_disassembler();

// A cubin as text. Throws MachineError with the program's own words where it fails.
std::string disassemble(const Disassembler& disassembler, const std::vector<std::uint8_t>& cubin);

}  // namespace tilewright::tools
