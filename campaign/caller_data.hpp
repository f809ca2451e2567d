#pragma once

#include <filesystem>

#include "tilewright/tune.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tilewright {

// Writes the request's arrays and the answers of its reference to files in the folder, which the
// sweep needs until it ends. If there is a reference, every input is written, because the reference
// is called once on exactly these data. Empty if the request has neither. Throws InputError if an
// array does not fit the problem, MachineError, and what the reference throws.
GivenData write_caller_data(const TuneRequest& request, const Operation& operation,
                            const Problem& problem, const Device& device,
                            const std::filesystem::path& folder);

}  // namespace tilewright
