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
  // Reads folders and single files with Library::load. Throws InputError.
  Definitions(const std::vector<std::filesystem::path>& folders,
              const std::vector<std::filesystem::path>& files);

  // From manifests, without the sources that they name. Throws InputError.
  explicit Definitions(const std::vector<ManifestText>& manifests);

  // Points into the definitions, which must outlive it. Has at least one implementation.
  struct Choice {
    const Operation* operation = nullptr;
    std::vector<const Implementation*> implementations;
    std::shared_ptr<const Family> family = {};  // owns the definitions made for a snippet
  };
  // What "gemm" or "gemm/tiled" means. Throws InputError that suggests a similar known name.
  Choice choose(std::string_view name) const;
  // The same for problems with the snippets that `values` names. Replaces these names by labels.
  Choice choose(std::string_view name, Settings& values) const;

 private:
  explicit Definitions(const Library& library);

  std::map<std::string, Family, std::less<>> families_;
  std::vector<Snippet> snippets_;
};

}  // namespace tilewright
