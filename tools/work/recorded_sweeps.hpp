// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "tuner/replay/record.hpp"

namespace tilewright::tools {

// The recorded spaces of a file: one of another tuner's cache or results, one for each finished
// sweep with a measured time of a tilewright database or JSON export. Throws InputError.
std::vector<Record> read_records(const std::filesystem::path& file);

}  // namespace tilewright::tools
