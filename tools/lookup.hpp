// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "db/store.hpp"
#include "tools/options.hpp"

namespace tilewright::tools {

// The device that --device names, by id ("cuda:0", "host") or by a part of a stored device's
// name; without the option the GPU present, else the host if it has results of the operation,
// else the only device that has, else the host. Nothing where none is known.
// Throws InputError when several match.
std::optional<Device> wanted_device(const Arguments& arguments, const std::string& operation,
                                    const Store* store);

// Whether `name` is a part of the device's name, in upper or lower case.
bool is_named(const Device& device, const std::string& name);

// The software here that results of this device depend on; empty where that is not known, as for
// a device that is not here.
Environment present_environment(const Device& device);

}  // namespace tilewright::tools
