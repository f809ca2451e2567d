// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "db/ladder/ladder.hpp"
#include "runtime/bundle/bundle_kernels.hpp"
#include "runtime/launch/kernel_state.hpp"

namespace tilewright {

// To launch what a bundle holds for its own problem, and what it has for another.
KernelAttempt attempt_of(const std::shared_ptr<const BundleKernels>& bundle,
                         const BundledRecipe& bundled);
KernelAttempt attempt_of(BundleKernels::Launchable launchable);

// What failed as a bundle has it, for its ladder to exclude.
std::vector<Exclusion> not_from_bundles(std::span<const FailedAttempt> failed);

// Adds what failed to the `passed_over` of the answer.
void say_what_failed(std::span<const FailedAttempt> failed, Answer& answer);

}  // namespace tilewright
