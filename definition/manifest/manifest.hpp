// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "definition/definition.hpp"

namespace tilewright {

// What one manifest file holds. docs/manifest.md is the specification.
struct Manifest {
  std::optional<Operation> operation;
  std::vector<Implementation> implementations;
  std::optional<Snippet> snippet;  // alone in its file
};

// Throws InputError with file:line:column for anything that is not in the specification;
// unknown keys name the nearest known one.
Manifest read_manifest(const std::filesystem::path& file);

// A manifest that is not in a folder of its own: what it names need not be there.
struct ManifestText {
  std::string name;  // for messages: "blocked.toml"
  std::string text;
};
Manifest read_manifest(const ManifestText& manifest);

// What read_manifest cannot see from an implementation alone: every name that an expression or
// a launch uses exists in `operation`, the implementation or `device.*`; the default
// configuration satisfies the constraints that depend on parameters only. Throws InputError.
void check_against(const Implementation& implementation, const Operation& operation);

}  // namespace tilewright
