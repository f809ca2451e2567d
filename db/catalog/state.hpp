#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "db/catalog/stored_rows.hpp"
#include "db/ladder/definitions.hpp"
#include "db/ladder/ladder.hpp"
#include "tilewright/catalog.hpp"

namespace tilewright {

// What a catalog and its handles share. Safe to use from many threads.
class Catalog::State {
 public:
  explicit State(CatalogOptions options);

  const Library& definitions() const { return definitions_; }
  Answer look_up(const Question& question);

  // The result of a look-up, with the problem and the definitions that it refers to.
  struct Climbed {
    LadderAnswer answer;
    Problem problem;
    ChosenOperation chosen;
    bool is_lasting = true;  // false: a later look-up may find more
  };
  // Throws InputError as Catalog::look_up.
  Climbed climb_for(const Question& question);
  // As in LadderQuestion.
  struct Limits {
    std::vector<Exclusion> excluded = {};
    decltype(LadderQuestion::can_serve) can_serve = {};
    decltype(LadderQuestion::is_ready) is_ready = {};
  };
  // The same within limits. Nothing if no answer is left. A question with exclusions is not noted
  // as wanted.
  std::optional<Climbed> climb_within(const Question& question, Limits limits);
  // The answer as applications get it: Rung::none if the question requires a stronger one.
  static Answer answer_for(const Question& question, const Climbed& climbed);
  std::size_t store_wanted(std::string& why);
  std::vector<Device> devices(const std::string& operation);
  Device device(const std::string& operation, const std::string& name);
  // Throws InputError unless all are dimensions of the operation.
  void require_dimensions(const std::string& operation,
                          const std::vector<std::string>& names) const;

 private:
  Answer remembered_or_found(const Question& question);
  std::string why_no_default(const Question& question) const;
  void note_wanted(const LadderQuestion& asked, Rung rung);

  const Library definitions_;
  const std::vector<Override> overrides_;
  const std::chrono::milliseconds patience_;
  StoredRows rows_;
  std::mutex memo_mutex_;
  std::optional<FileState> memo_state_;
  std::unordered_map<std::string, Answer> memo_;  // by question, until the file changes
  std::mutex wanted_mutex_;
  std::map<std::string, Wanted> wanted_;  // by problem, device and policy
};

}  // namespace tilewright
