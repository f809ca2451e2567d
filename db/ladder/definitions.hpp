// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "definition/library/library.hpp"
#include "definition/manifest/manifest.hpp"

namespace tilewright {

// The definitions that a catalog serves. Immutable; safe to read from many threads.
class Definitions {
 public:
  // Folders and single files as Library::load reads them. Throws InputError.
  Definitions(const std::vector<std::filesystem::path>& folders,
              const std::vector<std::filesystem::path>& files);

  // Manifests without the sources that they name. Throws InputError.
  explicit Definitions(const std::vector<ManifestText>& manifests);

  // Into the definitions, which must outlive it; at least one implementation.
  struct Choice {
    const Operation* operation = nullptr;
    std::vector<const Implementation*> implementations;
    std::shared_ptr<const Family> family = {};  // keeps what was made for a snippet
  };
  // What "gemm" or "gemm/tiled" means. Throws InputError that names the nearest known one.
  Choice choose(std::string_view name) const;
  // The same for problems with the snippets that `values` names; these values become labels.
  Choice choose(std::string_view name, Settings& values) const;

 private:
  explicit Definitions(const Library& library);

  std::map<std::string, Family, std::less<>> families_;
  std::vector<Snippet> snippets_;
};

}  // namespace tilewright
