#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "db/catalog/fingerprint.hpp"
#include "db/catalog/stored_rows.hpp"
#include "db/ladder/ladder.hpp"
#include "db/ladder/present.hpp"
#include "db/ladder/question.hpp"
#include "tilewright/catalog.hpp"

namespace tilewright {

// What a catalog and its handles share. Safe to use from many threads.
class Catalog::State {
 public:
  // Without `version`, routines of all libraries answer.
  explicit State(CatalogOptions options, LibraryVersion version = {});

  const Library& definitions() const { return definitions_; }
  Answer look_up(const Question& question);

  // How often a question without an exact answer was asked since it was last stored.
  struct Asked {
    std::atomic<std::int64_t> hits = 0;
    std::atomic<std::int64_t> last = 0;  // seconds since 1970

    void note() {
      last.store(seconds_since_1970(), std::memory_order_relaxed);
      hits.fetch_add(1, std::memory_order_relaxed);
    }
  };

  // The result of a look-up, with the problem and the definitions that it refers to.
  struct Climbed {
    LadderAnswer answer;
    Problem problem;
    ChosenOperation chosen;
    bool is_lasting = true;             // false: a later look-up may find more
    std::shared_ptr<Asked> asked = {};  // null: it is not noted as wanted
  };
  // As in LadderQuestion.
  struct Limits {
    std::vector<Exclusion> excluded = {};
    decltype(LadderQuestion::can_serve) can_serve = {};
    decltype(LadderQuestion::is_ready) is_ready = {};
  };
  // Throws InputError as Catalog::look_up, and NothingFound if what fits is known to be wrong.
  Climbed climb_for(const Question& question) { return climb_for(question, {}); }
  Climbed climb_for(const Question& question, Limits limits);
  // The same within limits. Nothing if no answer is left; `known_wrong` is then as in LadderResult.
  // A question with exclusions is not noted as wanted.
  std::optional<Climbed> climb_within(const Question& question, Limits limits,
                                      std::string& known_wrong);
  // What must not answer for the operation; null: nothing is known.
  std::shared_ptr<const KnownWrongs> known_wrong(const Operation& operation);
  // The answer as applications get it: Rung::none if the question requires a stronger one.
  static Answer answer_for(const Question& question, const Climbed& climbed);
  // In the catalog's database if `file` is empty.
  std::size_t store_wanted(const std::filesystem::path& file, std::string& why);
  // Of everything that decides look-ups. Throws as Catalog::fingerprint().
  Fingerprint fingerprint();
  std::vector<Device> devices(const std::string& operation);
  Device device(const std::string& operation, const std::string& name);
  // Throws InputError unless all are dimensions of the operation.
  void require_dimensions(const std::string& operation,
                          const std::vector<std::string>& names) const;

 private:
  AskedProblem asked(const Question& question) const;
  Answer remembered_or_found(const Question& question);
  Answer miss_for(const Question& question, const std::string& why) const;
  std::string why_no_default(const Question& question) const;
  // Null if the answer is exact.
  std::shared_ptr<Asked> note_wanted(const LadderQuestion& question, Rung rung);

  const Library definitions_;
  PresentDefinitions present_;
  const std::vector<Override> overrides_;
  const std::chrono::milliseconds patience_;
  StoredRows rows_;
  std::mutex memo_mutex_;
  std::optional<FileState> memo_state_;
  struct Remembered {
    Answer answer;
    std::shared_ptr<Asked> asked;
  };
  struct QuestionOrder {
    bool operator()(const Question& one, const Question& other) const;
  };
  std::map<Question, Remembered, QuestionOrder> memo_;  // until the file changes
  struct Noted {
    Rung rung = Rung::none;  // of the last answer
    std::shared_ptr<Asked> asked = std::make_shared<Asked>();
  };
  std::mutex wanted_mutex_;
  std::map<Subject, Noted> wanted_;
};

}  // namespace tilewright
