#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/backend/compiler.hpp"

namespace tilewright::cuda {

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
