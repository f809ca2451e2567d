#pragma once

#include <ostream>

#include "tools/input/command.hpp"

namespace tilewright::tools {

// The texts of `tilewright --help`, which the manual pages have as well.
inline constexpr const char* kAboutProgram =
    "finds, keeps and serves the fastest configuration of a CUDA kernel";
inline constexpr const char* kProgramExample =
    "  tilewright plan gemm/tiled M=1024 N=1024 K=1024 --arch sm_90\n"
    "  tilewright sweep gemm M=1024 N=1024 K=1024\n"
    "  tilewright best gemm M=1024 N=1024 K=1024\n";
inline constexpr const char* kExitStatus =
    "0 done; 1 nothing found, legal or measured, or a check that does not hold;\n"
    "2 bad input; 3 the machine cannot do it; 130 interrupted.";

// Of the program, which has these commands, and of one of them.
void print_help(std::ostream& out, const std::vector<Command>& commands);
void print_help(std::ostream& out, const Command& command);

// The manual pages tilewright(1) and tilewright-NAME(1) with the same texts, for man.
void print_manual(std::ostream& out, const std::vector<Command>& commands);
void print_manual(std::ostream& out, const Command& command);

}  // namespace tilewright::tools
