// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/ladder/distance.hpp"
#include "db/records/answer_rows.hpp"
#include "definition/definition.hpp"
#include "tilewright/catalog.hpp"

namespace tilewright {

// An answer that turned out not to run on the device.
struct PassedOver {
  std::string implementation;  // "gemm/tiled"
  Configuration configuration;
  std::optional<Rung> rung = {};  // up to this one nothing of the implementation answers again;
                                  // none: this configuration alone does not
};

// A question with its definitions found. They must outlive it and its answer.
struct LadderQuestion {
  const Operation* operation = nullptr;
  std::vector<const Implementation*> implementations;  // those that may answer
  Problem problem;
  std::optional<Device> device;
  std::optional<CachePolicy> cache;
  std::vector<Override> overrides = {};
  double farthest = kFarthest;  // for the near rungs
  // What must hold of an answer beside fits(); may be left out.
  std::function<bool(const Implementation&, const Configuration&)> can_serve = {};
  std::vector<PassedOver> passed_over = {};
};

struct LadderAnswer {
  Rung rung = Rung::manifest_default;
  const Implementation* implementation = nullptr;
  Configuration configuration;
  std::optional<BestRow> row;                // none: not measured
  double distance = 0;                       // from the question to the row
  std::string reason;                        // why no better rung answered
  std::optional<PortableRow> portable = {};  // what speaks for an answer of that rung
  std::string passed_over = {};              // which overrides were meant and do not fit, and why
};

// Whether the configuration has exactly the implementation's parameters, with values of theirs.
bool has_its_parameters(const Implementation& implementation, const Configuration& configuration);

// The same, it satisfies the implementation's constraints for this problem and device, and the
// device has the architecture that the implementation requires.
bool fits(const Implementation& implementation, const Configuration& configuration,
          const Problem& problem, const Device& device);

// "gemm/bulk needs sm_90a, and this is sm_80"; empty: the device has what it requires.
std::string why_not_on(const Implementation& implementation, const Device& device);

// Whether this has turned out not to run.
bool is_passed_over(const LadderQuestion& question, const Implementation& implementation,
                    const Configuration& configuration, Rung rung);

// Whether it may answer on the rung: it fits, has not been passed over, and is whatever else the
// question asks. Without a device nothing can be judged, and what was not passed over may.
bool may_serve(const LadderQuestion& question, const Implementation& implementation,
               const Configuration& configuration, Rung rung);

// The policy that the question means.
CachePolicy cache_of(const LadderQuestion& question);

// As applications see it; neither age nor staleness is set.
Answer answer_of(const LadderAnswer& found, const Problem& problem);

// Steps down the rungs: the first override that fits; of the `rows`, which may be of any problem
// and device, the nearest that fits, of those a database's before a shipped one, and of those the
// fastest; on each rung all others before one that is_doubtful(); the default of the first
// implementation whose default fits; else nothing. `why_no_rows` is the reason where no row is
// exact; empty: it was never measured. Without a device constraints cannot be judged, and the
// first override or default stands.
std::optional<LadderAnswer> climb(const LadderQuestion& question, const std::vector<BestRow>& rows,
                                  const std::string& why_no_rows = {});

// Whether what was checked here or reviewed goes before the row on a rung, however near it is:
// results that were imported, and those without a check of their answers.
bool is_doubtful(const BestRow& row);

// Where rows come from, asked only as far down as is needed.
struct RowSource {
  using Rows = std::function<std::vector<BestRow>(const LadderQuestion&)>;
  Rows exact;         // none without a device
  Rows near;          // what is near both
  Rows shipped = {};  // of no database: exact and near; may be left out
  std::function<std::vector<PortableRow>(const LadderQuestion&)> portable = {};  // of its kind
};

// The same with the rows of a source; where they leave the default or nothing, portable_answer()
// comes before it. Passes its exceptions on.
std::optional<LadderAnswer> climb(const LadderQuestion& question, const RowSource& source,
                                  const std::string& why_no_rows = {});

}  // namespace tilewright
