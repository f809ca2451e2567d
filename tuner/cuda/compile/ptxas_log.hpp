#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "tilewright/trial.hpp"

namespace tilewright::cuda {

// Registers, static shared memory, stack and spills of each entry function, by symbol. `log` is the
// output of `--ptxas-options=-v` in the format of CUDA 12 or 13.
std::map<std::string, Resources> parse_ptxas_log(std::string_view log);

// What no architecture exceeds: only dynamic shared memory has an opt-in.
inline constexpr std::int64_t kMostStaticSharedBytes = 49152;

// If kernels have more static shared memory than the assembler accepts, a sentence that names them
// and says what to do, for the log of a failed compile. NVRTC 13.0 reports no error then. Empty if
// the log has another error.
std::string static_shared_note(std::string_view log);

// The log without lines that vary from run to run ("Compile time = …").
std::string stable_log(std::string_view log);

}  // namespace tilewright::cuda
