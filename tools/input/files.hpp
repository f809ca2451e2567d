// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include "definition/text/text_file.hpp"

namespace tilewright::tools {

using tilewright::temporary_folder;
using tilewright::write_file;

}  // namespace tilewright::tools
