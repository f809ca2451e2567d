#pragma once

#include <iosfwd>

#include "db/store/store.hpp"
#include "runtime/bundle_maker.hpp"
#include "tools/input/target.hpp"

namespace tilewright::tools {

// Adds to `spares` what a bundle serves other problems with on the device: a portfolio for the
// spares' problems and all tuned ones. It is chosen from the configurations in the store whose code
// most sizes can share. Prints the choice on `out`. Does nothing if `store` is null.
void choose_spares(BundleSpares& spares, const Target& target, const Store* store,
                   std::ostream& out);

}  // namespace tilewright::tools
