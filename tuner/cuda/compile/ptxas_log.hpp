#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tilewright/trial.hpp"

namespace tilewright::cuda {

// Registers, static shared memory, stack and spills of each entry function, by symbol. `log` is the
// output of `--ptxas-options=-v` in the format of CUDA 12 or 13.
std::map<std::string, Resources> parse_ptxas_log(std::string_view log);

// The log without lines that vary from run to run ("Compile time = …").
std::string stable_log(std::string_view log);

}  // namespace tilewright::cuda
