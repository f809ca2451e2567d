// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <string>

#include "db/store/store.hpp"
#include "runtime/bundle_maker.hpp"
#include "tools/input/target.hpp"

namespace tilewright::tools {

// Adds what a bundle is to serve other problems with on the device: a portfolio of the
// configurations tried there whose code most sizes can share, chosen from the store if there is
// one, for the spares' problems and all tuned ones. Lines on `out` say which.
void choose_spares(BundleSpares& spares, const Target& target, const Store* store,
                   std::ostream& out);

}  // namespace tilewright::tools
