#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/trial.hpp"

namespace tilewright::cuda {

// Whether NVRTC must be asked for the symbol, because the entry names a template or a namespace.
bool is_name_expression(const std::string& entry);

// The symbols of kernels that a plain name means, of those that the code has: that of an extern "C"
// kernel of this name, or else those of all C++ kernels of this name outside namespaces with a
// name. Several are overloads.
std::vector<std::string> symbols_meant(const std::string& name,
                                       const std::map<std::string, Resources>& kernels);

// Why a name means no kernel, for the log: it lists the overloads, or else the kernels that there
// are.
std::string entry_note(const std::string& name, const std::vector<std::string>& meant,
                       const std::map<std::string, Resources>& kernels);

// A symbol as people write it: "reduce(float*, int)". One that is not C++'s stays as it is.
std::string readable(const std::string& symbol);

}  // namespace tilewright::cuda
