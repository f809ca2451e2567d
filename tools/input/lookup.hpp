// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/catalog/stored_rows.hpp"
#include "tools/input/options.hpp"

namespace tilewright::tools {

// The device that --device names, by id ("cuda:0", "host") or by a part of the name of a stored
// device, else of one of `shipped`; without the option the GPU present, else the host if it has
// results of the operation, else the only device that has, else the host. Nothing where none is
// known. Throws InputError when several match.
std::optional<Device> wanted_device(const Arguments& arguments, const std::string& operation,
                                    const Store* store, const std::vector<BestRow>& shipped);

// What a look-up reads: the store that open_for_reading() gave, which must outlive it, and what is
// shipped.
StoredRows stored_rows(const Arguments& arguments, const Store* store);

// The software here that results of this device depend on; empty where that is not known, as for
// a device that is not here.
Environment present_environment(const Device& device);

}  // namespace tilewright::tools
