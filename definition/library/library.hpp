// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "definition/manifest/manifest.hpp"

namespace tilewright {

// An operation with every way to compute it that was found, sorted by name.
struct Family {
  Operation operation;
  std::vector<Implementation> implementations;

  // Throws InputError that names the nearest implementation.
  const Implementation& implementation(std::string_view name) const;
};

// All definitions below some folders. Immutable after loading; safe to read from many threads.
class Library {
 public:
  // Reads every FOLDER/OPERATION/operation.toml, FOLDER/OPERATION/IMPLEMENTATION/*.toml and
  // FOLDER/snippets/*.toml; a folder without manifests, such as `common`, is passed over. An
  // implementation may lie in another of the folders than its operation.
  // Throws InputError: unreadable folder, malformed manifest, an implementation without its
  // operation, one name twice.
  static Library load(const std::vector<std::filesystem::path>& folders);
  // Then single manifests: operations, implementations of operations that are known by then,
  // snippets. Throws InputError, also where a file defines what is known already.
  static Library load(const std::vector<std::filesystem::path>& folders,
                      const std::vector<std::filesystem::path>& manifests);

  // The definitions of these manifests. Throws InputError as load().
  static Library of(const std::vector<Manifest>& manifests);

  // Throws InputError that names the nearest operation.
  const Family& family(std::string_view operation) const;
  const std::map<std::string, Family, std::less<>>& families() const { return families_; }
  const std::vector<Snippet>& snippets() const { return snippets_; }

 private:
  void add(const std::filesystem::path& file);

  std::map<std::string, Family, std::less<>> families_;
  std::vector<Snippet> snippets_;
};

// A user's own kernel: one manifest with an operation and one or more implementations, or one
// with implementations of an operation in `library`. The family holds the file's
// implementations only. Throws InputError, also where the library has another implementation of
// the same name.
Family load_manifest(const std::filesystem::path& file, const Library& library);

}  // namespace tilewright
