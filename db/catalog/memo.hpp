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

// Remembers answers by question until the database's file changes.
class TextMemo {
 public:
  struct Found {
    Answer answer;
    bool is_lasting = true;  // false: not remembered, because the next look-up may find more
  };
  // The remembered answer, else that of `look_up`.
  Answer find_or(const Question& question, const std::filesystem::path& database,
                 const std::function<Found()>& look_up);

 private:
  std::mutex mutex_;
  std::optional<FileState> state_;
  std::unordered_map<std::string, Answer> answers_;
};

}  // namespace tilewright
