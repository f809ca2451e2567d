#pragma once

#include "runtime/bundle/bundle_file.hpp"

namespace tilewright {

// Checks everything in a bundle that a launch or a look-up uses without looking again: that each
// recipe has its build and each build its code, undamaged; indices, sizes and extents of launches,
// against the limits of the recipe's device and of all devices; numbers of answers and rows. Throws
// InputError that names the recipe, build or row, the value and what is accepted. The code itself
// cannot be checked: a bundle must come from somebody whom the user trusts.
void check_bundle(const BundleContents& contents);

}  // namespace tilewright
