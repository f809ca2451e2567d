// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::test {

// Texts of a manifest and what stands there instead.
using Edits = std::vector<std::pair<std::string, std::string>>;

// Writes a kernel of the user's own into `folder`: the operation `copy` over n elements with its
// reference, and copy/plain, whose BLOCK is 32 or 64; its source refuses to compile with a BLOCK
// of 96. Each edit is made once. Returns the manifest; throws where there is nothing to edit.
std::filesystem::path write_copy_kernel(const std::filesystem::path& folder,
                                        const Edits& edits = {});

}  // namespace tilewright::test
