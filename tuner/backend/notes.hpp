#pragma once

#include <string>
#include <vector>

#include "tuner/backend/device_report.hpp"
#include "tuner/backend/evaluator.hpp"

namespace tilewright {

// Notes of a compile log on entries that mean no kernel. Every backend writes the same ones.

inline constexpr const char* kEntryNote = "note: no kernel";

// `kernels` are those that the code has.
std::string missing_note(const std::string& entry, const std::vector<std::string>& kernels);
// `overloads` are the declarations that share the name, at least two.
std::string ambiguous_note(const std::string& entry, const std::vector<std::string>& overloads);

// Of a compile that failed because the source has no such variable: a line that says so. Else
// empty.
std::string missing_constant_note(const std::string& log,
                                  const std::vector<std::string>& constants);

// The note on an entry in a log, without "note: ". Empty if there is none.
std::string entry_note(const std::string& log, const std::string& entry);

// Where to look if the problem's reference kernel faults: "; check the fills of its integer inputs:
// row_ptr, col_idx are random from 0 to 100". Empty if no input of integers is filled so, as it is
// if the manifest gives no fill.
std::string integer_fill_note(const SessionProblem& problem);

// For a process that died when it opened the session, where reference kernels and those that fill
// run: "; it ran the reference kernel of star for (nx=64)". Empty if it ran none.
std::string opening_note(const SessionPlan& plan);

// A version of CUDA as its libraries number it: 13000 is 13.0.
std::string cuda_version_text(int version);

// "install driver 580.65.06 or newer": the oldest driver of this CUDA.
std::string driver_to_install(int cuda_version);

// A driver loads code of compilers of its CUDA's major version and of earlier ones. If that of the
// device is older than `compiler` ("NVRTC 13.0"), a sentence that names both and says what to
// install. Else empty, also for other compilers and if the driver is unknown.
std::string old_driver_note(const DeviceReport& device, const std::string& compiler);

}  // namespace tilewright
