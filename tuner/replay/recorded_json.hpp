// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tuner/replay/record.hpp"

namespace tilewright {

// As read_record, of text that is not packed.
Record record_from_json(const std::string& text, const std::string& name);

}  // namespace tilewright
