#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "db/store/store.hpp"
#include "definition/definition.hpp"
#include "tuner/foreign/record.hpp"

namespace tilewright::tools {

// What the file of another tuner does not say about its record.
struct RecordMeaning {
  const Implementation* implementation = nullptr;
  Problem problem;
  Device device;
  CachePolicy cache = CachePolicy::warm;
  std::map<std::string, std::string> renamed;  // their parameter → ours
};

struct ImportedRecord {
  Store::Imported imported;  // its trials are not verified
  std::size_t outside = 0;   // number of configurations left out because they are not legal
};

// Whether each size in its problem_size is one of the problem's or a product of these.
bool is_for(const Record& record, const Problem& problem);

// The record as a sweep, which is finished if the record is complete. Its uuid is a hash of `bytes`
// (the file's content) and `meaning`, so that importing it twice adds it once. It is dated with the
// newest time in the file, else with 1 January 1970. Parameters that we do not have are ignored if
// they have the same value throughout. Throws InputError for a record of another problem (is_for),
// for any other parameter that we do not have, for one of ours that the record lacks, for a time
// that no measurement can give, and if no configuration is left.
ImportedRecord import_record(const Record& record, std::string_view bytes,
                             const RecordMeaning& meaning);

}  // namespace tilewright::tools
