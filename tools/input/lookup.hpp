// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/catalog/stored_rows.hpp"
#include "tools/input/options.hpp"
#include "tuner/backend/device_report.hpp"

namespace tilewright::tools {

// The database for reading; null where there is no file yet. Throws MachineError when there is
// one that cannot be used.
std::unique_ptr<Store> open_for_reading(const Arguments& arguments);

// Whether there is something at the database's place.
bool has_database(const Arguments& arguments);

// What OPERATION[/IMPLEMENTATION] asks of a store.
Query query_for(const std::string& name);

// What to say where open_for_reading gave null: "there is no database FILE".
std::string no_database_text(const Arguments& arguments);

// The device that a --device of this text names. Throws as tilewright::find_device() does.
DeviceReport find_device(const std::string& name);

// The one that --device names, else the first GPU, else the host.
DeviceReport device_to_measure_on(const Arguments& arguments);

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
