#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tuner/backend/compiler.hpp"

namespace tilewright {

// The text of tilewright_host.h, which takes the place of CUDA's built-ins, and of
// the files that it includes.
extern const std::string_view kHostShim;
extern const std::string_view kHostMathShim;
extern const std::string_view kTexturesShim;
extern const std::string_view kWarpShim;

// The text of tilewright_narrow.h, which takes the place of CUDA's headers for numbers of 8 and 16
// bits.
extern const std::string_view kNarrowShim;
extern const std::string_view kGroupsShim;

}  // namespace tilewright

namespace tilewright::host {

// A kernel's files in the form that a host compiler takes, by file name. kMainFile is the one to
// compile. Declarations of dynamic shared memory become references to the launch's memory. Includes
// get names that stay in one folder. The number of lines does not change.
inline constexpr const char* kMainFile = "kernel.cpp";
std::map<std::string, std::string> adapt_sources(const CompileRequest& request);

// tilewright_host.h and what it includes, and the files that take the place of CUDA's headers.
std::map<std::string, std::string> shim_files();

// As part of a program that has the C++ library and tilewright_host.h in front of it: the source
// defines its macros, and no function by which the host device would find its kernels.
CompileRequest adapt_for_program(CompileRequest request);

// Lines that include a header of the C++ library if there is one.
std::string include_if_present(const std::string& header);

// The symbol of entry `number` of a request.
std::string entry_symbol(std::size_t number);
// That of a function with the address and the size of constant `number`.
std::string constant_symbol(std::size_t number);

}  // namespace tilewright::host
