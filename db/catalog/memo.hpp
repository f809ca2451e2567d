// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "db/catalog/stored_rows.hpp"
#include "tilewright/catalog.hpp"

namespace tilewright {

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
