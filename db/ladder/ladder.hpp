// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

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
  std::string reason = {};                   // why no better rung answered
  std::optional<PortableRow> portable = {};  // what speaks for an answer of that rung
  std::string unfit_overrides = {};          // which were meant and do not fit, and why
};

// As applications see it; neither age nor staleness is set.
Answer answer_of(const LadderAnswer& found, const Problem& problem);

template <class Row>
struct RowsRead {
  std::vector<Row> rows;
  std::string why_not = {};  // what could not be read, and why; empty: all was read
};

// Where the rows for questions come from. A climb asks only as far down the ladder as it needs.
class RowSource {
 public:
  virtual ~RowSource() = default;

  // The results for the question's problem on its device; none without a device.
  virtual RowsRead<BestRow> exact(const LadderQuestion& question) = 0;
  // What came with tilewright and not from a database: both exact and near results.
  virtual RowsRead<BestRow> shipped(const LadderQuestion&) { return {}; }
  // The results for the nearest problems and devices.
  virtual RowsRead<BestRow> near(const LadderQuestion&) { return {}; }
  // What does well in general on devices of the question's kind.
  virtual RowsRead<PortableRow> portable(const LadderQuestion&) { return {}; }
};

struct LadderResult {
  std::optional<LadderAnswer> answer;  // none: not even a default fits
  std::string why_not_read;            // why the source's own rows could not be read
  std::string why_not_shipped;         // why some shipped rows could not be read
};

// Steps down the rungs:
// - the first override that fits;
// - the nearest row that fits. Of equally near ones a database's comes before a shipped one, and
//   then the fastest. On each rung a row that is_doubtful() comes after all others;
// - what portable_answer() says;
// - the default of the first implementation whose default fits.
// Without a device constraints cannot be judged, and the first override or default answers. Passes
// the source's exceptions on.
LadderResult climb(const LadderQuestion& question, RowSource& source);

// The same with these rows alone, which may be of any problem and device.
std::optional<LadderAnswer> climb(const LadderQuestion& question, std::vector<BestRow> rows);

// What does well over all problems tuned on one device, where it may run for this question: rows of
// the device itself first, then of the nearest compute capability, in their order. It must have
// done better there than the default that `standing` would serve; with no default standing, or
// none that was measured there, any may answer. Nothing without a device.
std::optional<LadderAnswer> portable_answer(const LadderQuestion& question,
                                            const std::vector<PortableRow>& rows,
                                            const std::optional<LadderAnswer>& standing);

// Whether results that were checked here or reviewed come before this one on each rung, however
// near it is. That holds for imported results, and for those whose answers nobody checked.
bool is_doubtful(const BestRow& row);

}  // namespace tilewright
