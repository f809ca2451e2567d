// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "tilewright/tune.hpp"
#include "tuner/sweep/sweep.hpp"

namespace tilewright {

// The request's arrays and the answers of its reference in files of the folder, which are needed as
// long as the sweep runs. With a reference every input is given, so that it is asked once about the
// data on which all is judged. Nothing where the request has neither. Throws InputError for an
// array that does not fit the problem, MachineError, and what the reference throws.
GivenData write_caller_data(const TuneRequest& request, const Operation& operation,
                            const Problem& problem, const Device& device,
                            const std::filesystem::path& folder);

}  // namespace tilewright
