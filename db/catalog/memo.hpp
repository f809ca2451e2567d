// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "db/catalog/patient_store.hpp"
#include "tilewright/catalog.hpp"

namespace tilewright {

// Answers by the sizes asked for. Many threads may find() at once, without a lock, while others
// add: an open-addressed table of pointers that only ever gains entries; a full one is replaced by
// a larger copy. Entries and tables live as long as the memo.
class SizeMemo {
 public:
  SizeMemo();
  ~SizeMemo();

  // Nothing if these sizes are not known.
  const Answer* find(std::span<const std::int64_t> sizes) const;
  // The answer that stands for these sizes: the first that was added.
  const Answer& add(std::span<const std::int64_t> sizes, Answer answer);
  // find() knows nothing afterwards; answers given stay.
  void forget();

 private:
  struct Entry {
    std::vector<std::int64_t> sizes;
    Answer answer;
  };
  class Table;

  std::atomic<const Table*> current_;
  std::mutex adding_;
  std::deque<Entry> entries_;
  std::vector<std::unique_ptr<Table>> tables_;
};

// Answers by all that a question says, as long as the database's file does not change.
class TextMemo {
 public:
  struct Found {
    Answer answer;
    bool is_lasting = true;  // false: the next look-up may fare better
  };
  // What is known, else what `look_up` says.
  Answer find_or(const Question& question, const std::filesystem::path& database,
                 const std::function<Found()>& look_up);

 private:
  std::mutex mutex_;
  std::optional<FileState> state_;
  std::unordered_map<std::string, Answer> answers_;
};

}  // namespace tilewright
