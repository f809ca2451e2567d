// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include "campaign/priors.hpp"
#include "db/store/store.hpp"
#include "definition/definition.hpp"

namespace tilewright {

// What a sweep records of an implementation. A changed source, space or launch makes a different
// sweep. Throws InputError if the source cannot be read.
ImplementationKey key_of(const Implementation& implementation, const Operation& operation);

// Two sweeps with equal keys are the same sweep. Throws like the above.
SweepKey key_of(const SweepRequest& request, PriorUse priors);

}  // namespace tilewright
