#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/ladder/question.hpp"
#include "db/records/answer_rows.hpp"

namespace tilewright {

struct LadderAnswer {
  Rung rung = Rung::manifest_default;
  const Implementation* implementation = nullptr;
  Configuration configuration;
  std::optional<BestRow> row = {};           // none: not measured
  double distance = 0;                       // from the question to the row
  bool has_other_source = false;             // the row: than the present one
  std::string reason = {};                   // why no nearer rung answered
  std::optional<PortableRow> portable = {};  // the row behind an answer of rung `portable`
  std::string unfit_overrides = {};          // overrides for this problem that do not fit, and why
};

// The answer as applications see it, but without its age. It is stale only by its source.
Answer answer_of(const LadderAnswer& found, const Problem& problem);

// Makes the answer stale for this reason too. Does nothing if `why` is empty.
void add_stale(Answer& answer, const std::string& why);

// The rung as people read it; of a sweep that is not finished "not finished, 61 of 512 tried".
std::string rung_text(const LadderAnswer& answer);

template <class Row>
struct RowsRead {
  std::vector<Row> rows;
  std::string why_not = {};  // what could not be read, and why; empty: everything was read
};

// Where the rows come from. climb() reads only as far down the ladder as it needs.
class RowSource {
 public:
  virtual ~RowSource() = default;

  // The results for the question's problem on its device; none without a device.
  virtual RowsRead<BestRow> exact(const LadderQuestion& question) = 0;
  // What sweeps of the question's operation found to be wrong; null: nothing.
  virtual std::shared_ptr<const KnownWrongs> known_wrong(const LadderQuestion& question) {
    return question.known_wrong;
  }
  // The shipped results, both exact and near. They live as long as the source.
  virtual RowsRead<const BestRow*> shipped(const LadderQuestion&) { return {}; }
  // What sweeps of the question's problem on its device that are not finished found so far.
  virtual RowsRead<BestRow> unfinished(const LadderQuestion&) { return {}; }
  // The results for the nearest problems and devices.
  virtual RowsRead<std::shared_ptr<const BestRow>> near(const LadderQuestion&) { return {}; }
  // The portable rows of devices of the question's kind.
  virtual RowsRead<PortableRow> portable(const LadderQuestion&) { return {}; }
};

struct LadderResult {
  std::optional<LadderAnswer> answer;  // none: not even a default fits, or `known_wrong`
  std::string known_wrong;             // why the defaults that fit do not answer
  std::string why_not_read;            // why the source's own rows could not be read
  std::string why_not_shipped;         // why some shipped rows could not be read
};

// Searches the rungs in this order:
// - the first override that fits;
// - the nearest row that fits. Of equally near rows those of a database come before shipped ones,
//   then those under the question's power limit (limit_distance), then the fastest. On each rung a
//   row that is_doubtful() comes after all others. If only an exact answer is wanted, rows with
//   another source do not answer. A near row gives way to a default that is expected to take a
//   tenth less (ladder::allowance). Before the near ones comes what sweeps that are not finished
//   measured for the problem on the device, as Rung::other_policy;
// - a portable row (ladder::find_portable);
// - the default (DefaultAnswer).
// Nothing that is known to be wrong answers, except an override.
// Without a device the constraints cannot be checked, so the first override or default answers.
// Passes on the source's exceptions.
LadderResult climb(const LadderQuestion& question, RowSource& source);

// The same with only these rows, which may be of any problem and device.
std::optional<LadderAnswer> climb(const LadderQuestion& question, const std::vector<BestRow>& rows,
                                  const std::vector<PortableRow>& portable = {});

// The general configurations that may answer and are expected to take at most `share` times as long
// as the best one, in that order. Nothing where nobody knows what to expect. REQUIRES a device.
std::vector<LadderAnswer> expected_within(const LadderQuestion& question, double share);

// Whether other results come before this one on each rung, however near it is. That holds for
// imported results, and for those whose answers nobody checked.
bool is_doubtful(const BestRow& row);

// What answers where nothing is measured, worked out when it is first asked for. The question must
// outlive it.
class DefaultAnswer {
 public:
  explicit DefaultAnswer(const LadderQuestion& question) : question_(question) {}

  // Of the general configurations that fit, the one with the least expected cycles; of equal ones
  // the first. It gives way to one that is_ready (LadderQuestion). If none fits, the first default
  // that does, as it is: nothing in it follows the problem. Nothing if none fits either.
  const std::optional<LadderAnswer>& get();

  // Whether it is expected to be faster than the share of what others take. False if nobody knows.
  bool is_faster_than(double share, const Implementation& implementation,
                      const Configuration& configuration);

 private:
  void find();
  bool find_expected();

  const LadderQuestion& question_;
  bool is_known_ = false;
  double cycles_ = no_cost;
  std::optional<LadderAnswer> answer_;
};

}  // namespace tilewright
