#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/trial.hpp"
#include "tuner/backend/compiler.hpp"

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

// Whether the options of a manifest choose the standard of C++.
bool sets_standard(const std::vector<std::string>& options);

// Whether NVRTC must be asked for the symbol, because the entry names a template or a namespace.
bool is_name_expression(const std::string& entry);

// The symbols of kernels that a plain name means, of those that the code has: that of an extern "C"
// kernel of this name, or else those of all C++ kernels of this name outside namespaces with a
// name. Several are overloads.
std::vector<std::string> symbols_meant(const std::string& name,
                                       const std::map<std::string, Resources>& kernels);

// Gives the result the entry, if the name means one kernel. Else its log says why not: it lists the
// overloads, or else the kernels that there are. A missing kernel is not a failure, because no
// launch may need it.
void add_entry(const std::string& name, const std::vector<std::string>& meant,
               const std::map<std::string, Resources>& kernels, CompileResult& result);

// A symbol as people write it: "reduce(float*, int)". One that is not C++'s stays as it is.
std::string readable(const std::string& symbol);

}  // namespace tilewright::cuda
