// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "db/store/store.hpp"
#include "definition/definition.hpp"
#include "tuner/replay/record.hpp"

namespace tilewright::tools {

// What another tuner's record is of, which its file does not say.
struct RecordMeaning {
  const Implementation* implementation = nullptr;
  Problem problem;
  Device device;
  CachePolicy cache = CachePolicy::warm;
  std::map<std::string, std::string> renamed;  // its parameter → ours
};

struct ImportedRecord {
  Store::Imported imported;  // finished; nothing in it is verified
  std::size_t outside = 0;   // configurations that are none of the implementation's, left out
};

// The record as a finished sweep. Its uuid is a hash of `bytes`, the file's content, and of what it
// means, so that importing it twice adds it once; its moment is the newest that the file names,
// else 1 January 1970. Parameters of the record that have one value throughout and are none of ours
// are passed over. Throws InputError: another parameter that is none of ours, one of ours that the
// record lacks, no configuration left.
ImportedRecord import_record(const Record& record, std::string_view bytes,
                             const RecordMeaning& meaning);

}  // namespace tilewright::tools
