#pragma once

#include <string>
#include <vector>

#include "db/ladder/present.hpp"
#include "db/store/store.hpp"
#include "definition/library/library.hpp"
#include "tilewright/catalog.hpp"

namespace tilewright {

// A part of what decides look-ups, and a hash of it in hex.
struct FingerprintPart {
  std::string name;
  std::string hash;

  bool operator==(const FingerprintPart&) const = default;
};
using Fingerprint = std::vector<FingerprintPart>;

// Of all parts in one, in hex.
std::string hash_of(const Fingerprint& parts);

// Of the text of all manifests and snippets. Reads the manifests again. Throws InputError.
std::string hash_of_manifests(const Library& library);

// Of all sources. Reads them again. Throws InputError.
std::string hash_of_sources(const Library& library);
// The versions of the libraries of routines, as far as they are known.
std::string hash_of_libraries(const Library& library, const PresentDefinitions& present);

// Of rows in this order, with the sources that confirmed them, and without row ids.
std::string hash_of_rows(const std::vector<BestRow>& rows);

// Of all answers, near and portable ones too, of unfinished sweeps, and of what is known to be
// wrong. Equal stores of equal sweeps have the same, in whatever order they took them in. Of
// several definitions, as Store::best().
std::string hash_of_results(const Store& store, const IsPresent& is_present = {});

std::string hash_of_overrides(const std::vector<Override>& overrides);

}  // namespace tilewright
