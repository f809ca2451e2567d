// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include "campaign/priors.hpp"
#include "db/store/store.hpp"
#include "definition/definition.hpp"

namespace tilewright {

// What a sweep records of an implementation, so that a changed source, space or launch makes
// it another sweep. Throws InputError when the source cannot be read.
ImplementationKey key_of(const Implementation& implementation, const Operation& operation);

// What makes two sweeps the same sweep. Throws as the above.
SweepKey key_of(const SweepRequest& request, PriorUse priors);

}  // namespace tilewright
