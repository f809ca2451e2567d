#include "db/ladder/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "db/ladder/distance.hpp"
#include "db/ladder/present.hpp"
#include "db/records/staleness.hpp"

namespace tilewright {
namespace {

bool is_meant(const Override& given, const Operation& operation, const Problem& problem) {
  return std::ranges::all_of(given.problem, [&](const auto& wanted) {
    return find_value(operation, problem, wanted.first) == wanted.second;
  });
}

// The first override that fits. `unfit` gets the overrides that are for this problem but do not
// fit, and why.
std::optional<LadderAnswer> given_answer(const LadderQuestion& question, std::string& unfit) {
  for (const Override& given : question.overrides) {
    const Implementation* implementation =
        find_implementation(question.implementations, given.implementation);
    if (implementation == nullptr || !is_meant(given, *question.operation, question.problem))
      continue;
    if (may_serve(question, *implementation, given.configuration, Rung::override_given))
      return LadderAnswer{Rung::override_given, implementation, given.configuration};
    if (is_excluded(question, *implementation, given.configuration, Rung::override_given)) continue;
    std::string why = why_not_on(*implementation, *question.device);
    if (why.empty())
      why = fmt::format("that of {} does not fit this problem on this device",
                        implementation->full_name());
    unfit += (unfit.empty() ? "override: " : "; override: ") + why;
  }
  return std::nullopt;
}

// A routine that was measured with another version of its library counts as so much slower.
constexpr double kOtherVersion = 1.02;

// Finds the best of the rows that it considers, for a question with a device.
class BestOfRows {
 public:
  explicit BestOfRows(const LadderQuestion& question)
      : question_(question),
        cache_(cache_of(question)),
        place_(Place::of(*question.operation, question.problem, *question.device)) {}

  void consider(const BestRow& row);
  bool reaches(Rung rung) const { return best_ && best_->standing.rung <= static_cast<int>(rung); }
  bool is_doubtful() const { return best_ && best_->standing.is_doubtful; }
  // Why an exact row does not answer; empty if there is none.
  const std::string& reason() const { return reason_; }
  std::optional<LadderAnswer> answer() &&;

 private:
  struct Candidate {
    ladder::Standing standing;
    const Implementation* implementation = nullptr;
    BestRow row;
    bool has_other_source = false;
  };

  // Nothing if the row cannot answer the question.
  std::optional<ladder::Standing> standing_of(const BestRow& row) const {
    const Device& device = *question_.device;
    const int policy_distance = ladder::policy_distance(cache_, row.policy.cache);
    const bool is_here = row.device == device;
    const int limit = limit_distance(row, is_here ? question_.power_limit_w : std::optional<int>());
    const auto on = [&](Rung rung, double distance) {
      return ladder::Standing{
          static_cast<int>(rung), tilewright::is_doubtful(row), distance, row.shipped, limit,
          policy_distance,        mean_time_us(row.trial)};
    };
    const bool is_as_asked = !row.unfinished && (!question_.cache || policy_distance == 0);
    if (row.problem == question_.problem && is_here)
      return on(is_as_asked ? Rung::exact : Rung::other_policy, 0);
    if (!place_) return std::nullopt;
    if (place_->distance_to(*question_.operation, row.problem) > question_.farthest)
      return std::nullopt;  // before its class is worked out
    const auto there = Place::of(*question_.operation, row.problem, row.device);
    const auto between = ladder::distance_between(row.device, device);
    if (!between || !there || !there->is_same_class(*place_)) return std::nullopt;
    const double distance = *between + place_->distance_to(*there);
    if (distance > question_.farthest) return std::nullopt;
    return on(is_here ? Rung::near_problem : Rung::near_device, distance);
  }

  bool has_other_source(const BestRow& row) const {
    return row.other_source ||
           (question_.present != nullptr && question_.present->has_other_source(row));
  }

  // Why the row must not answer on the rung: its configuration is wrong for the problem asked for,
  // or was later found to be wrong for its own. Null if nothing is known.
  const KnownWrong* why_wrong(const Implementation& implementation, const BestRow& row,
                              Rung rung) const {
    if (!question_.known_wrong) return nullptr;
    const KnownWrong* const here = find_wrong(question_, implementation, row.configuration, rung);
    if (here != nullptr || row.problem == question_.problem) return here;
    return question_.known_wrong->find(implementation, row.configuration, row.problem, row.device,
                                       Rung::exact);
  }

  const LadderQuestion& question_;
  const CachePolicy cache_;
  const std::optional<Place> place_;  // none: only exact rows count
  std::optional<Candidate> best_;
  std::string reason_;
};

void BestOfRows::consider(const BestRow& row) {
  const Implementation* implementation =
      find_implementation(question_.implementations, row.implementation);
  if (implementation == nullptr) return;
  auto standing = standing_of(row);
  if (!standing) return;
  const auto rung = static_cast<Rung>(standing->rung);
  if (is_excluded(question_, *implementation, row.configuration, rung)) return;
  const bool is_exact = rung <= Rung::other_policy;
  if (is_exact && implementation->is_routine() && question_.present != nullptr) {
    const bool is_other = has_other_source(row);
    const std::string version = is_other ? row.source_hash : "";
    if (auto why = question_.present->why_no_library(*implementation, version); !why.empty()) {
      reason_ = fmt::format("the stored result is of {}, and {}", row.implementation, why);
      return;
    }
    if (is_other) standing->time_us *= kOtherVersion;
  }
  const bool is_better = !best_ || standing->is_before(best_->standing);
  if (!is_exact && !is_better) return;
  if (const KnownWrong* const wrong = why_wrong(*implementation, row, rung)) {
    if (is_exact) reason_ = to_text(*wrong);
    return;
  }
  if (row.epoch != implementation->epoch) {
    if (is_exact)
      reason_ = fmt::format("the stored result of {} is of another epoch", row.implementation);
  } else if (question_.require == Require::exact && has_other_source(row)) {
    if (is_exact)
      reason_ = fmt::format("the stored result was {}; {}", other_source_text(*implementation, row),
                            cure_of_other_source(*implementation, row));
  } else if (may_serve(question_, *implementation, row.configuration, rung)) {
    if (is_better) best_ = Candidate{*standing, implementation, row, has_other_source(row)};
  } else if (is_exact) {
    reason_ = fmt::format("the stored configuration of {} no longer fits its definition",
                          row.implementation);
  }
}

std::optional<LadderAnswer> BestOfRows::answer() && {
  if (!best_) return std::nullopt;
  Configuration configuration = best_->row.configuration;
  return LadderAnswer{static_cast<Rung>(best_->standing.rung),
                      best_->implementation,
                      std::move(configuration),
                      std::move(best_->row),
                      best_->standing.distance,
                      best_->has_other_source};
}

// Writes to `result` why rows could not be read.
BestOfRows best_of(const LadderQuestion& question, const std::vector<BestRow>& exact,
                   RowSource& source, LadderResult& result) {
  BestOfRows best(question);
  for (const BestRow& row : exact) best.consider(row);
  if (best.reaches(Rung::exact) && !best.is_doubtful()) return best;
  RowsRead<const BestRow*> shipped = source.shipped(question);
  result.why_not_shipped = std::move(shipped.why_not);
  for (const BestRow* row : shipped.rows) best.consider(*row);
  if (best.reaches(Rung::other_policy) || !result.why_not_read.empty()) return best;
  RowsRead<BestRow> unfinished = source.unfinished(question);
  result.why_not_read = std::move(unfinished.why_not);
  for (const BestRow& row : unfinished.rows) best.consider(row);
  if (best.reaches(Rung::other_policy) || !result.why_not_read.empty()) return best;
  auto near = source.near(question);
  result.why_not_read = std::move(near.why_not);
  for (const auto& row : near.rows) best.consider(*row);
  return best;
}

// In the form that the ladder's core reads.
struct PortableRows {
  const LadderQuestion& question;
  const std::vector<PortableRow>& rows;
  DefaultAnswer& usual;

  const PortableRow& at(int row) const { return rows[static_cast<std::size_t>(row)]; }
  // Null if no definition has the row's epoch.
  const Implementation* implementation(int row) const {
    const Implementation* one =
        find_implementation(question.implementations, at(row).implementation);
    return one != nullptr && one->epoch == at(row).epoch ? one : nullptr;
  }

  int count() const { return static_cast<int>(rows.size()); }
  const Device& device(int row) const { return at(row).device; }
  double mean_ratio(int row) const { return at(row).mean_ratio; }
  long long shared_bytes(int row) const { return at(row).shared_bytes; }
  bool is_bound(int row) const {
    const Implementation* one = implementation(row);
    return one != nullptr && !one->requires_architecture.empty();
  }
  bool is_default(int row) const {
    const auto& standing = usual.get();
    return standing && at(row).configuration == standing->configuration &&
           implementation(row) == standing->implementation;
  }
  bool is_expected_slower(int row, double share) const {
    const Implementation* one = implementation(row);
    return one != nullptr && usual.is_faster_than(share, *one, at(row).configuration);
  }
  bool fits(int row) const {
    const Implementation* one = implementation(row);
    return one != nullptr && may_serve(question, *one, at(row).configuration, Rung::portable);
  }
};

// The portable row that answers, else the default; nothing if neither fits.
std::optional<LadderAnswer> answer_in_general(const LadderQuestion& question, DefaultAnswer& usual,
                                              RowSource& source, LadderResult& result) {
  if (question.weakest < Rung::portable) return std::nullopt;
  if (!question.device || !result.why_not_read.empty()) return usual.get();
  RowsRead<PortableRow> portable = source.portable(question);
  result.why_not_read = std::move(portable.why_not);
  const PortableRows all{question, portable.rows, usual};
  const int found = ladder::find_portable(all, *question.device);
  if (found < 0) return question.weakest < Rung::manifest_default ? std::nullopt : usual.get();
  LadderAnswer answer{Rung::portable, all.implementation(found), all.at(found).configuration};
  answer.portable = all.at(found);
  return answer;
}

bool gives_way(const LadderQuestion& question, DefaultAnswer& usual, const LadderAnswer& answer) {
  return answer.rung > Rung::other_policy && question.require == Require::any &&
         usual.is_faster_than(ladder::allowance(answer.distance), *answer.implementation,
                              answer.configuration);
}

// Adds to the texts that are joined by "; ".
void add_text(std::string& all, const std::string& text) {
  if (all.find(text) == std::string::npos) all += (all.empty() ? "" : "; ") + text;
}

// Why no result is exact.
std::string why_none_is_exact(const LadderQuestion& question) {
  if (!question.device) return "no device is present and none is stored for this operation";
  std::string wrong;
  for (const Implementation* one : question.implementations)
    if (const KnownWrong* const found = find_wrong(question, *one, {}, Rung::exact))
      add_text(wrong, to_text(*found));
  return wrong.empty() ? "no finished sweep of this problem on " + question.device->name : wrong;
}

// Why the default that would answer if nothing were known to be wrong does not, or if there is no
// answer, the default of each implementation. Empty if that is not the reason.
std::string wrong_defaults(const LadderQuestion& question,
                           const std::optional<LadderAnswer>& answer) {
  std::string texts;
  if (!question.known_wrong || question.weakest < Rung::manifest_default) return texts;
  LadderQuestion other = question;
  other.known_wrong = nullptr;
  const auto add = [&] {
    DefaultAnswer usual(other);
    const auto& one = usual.get();
    const KnownWrong* const wrong =
        one ? find_wrong(question, *one->implementation, one->configuration, one->rung) : nullptr;
    if (wrong != nullptr) add_text(texts, to_text(*wrong));
  };
  if (answer) {
    add();
  } else {
    for (const Implementation* one : question.implementations) {
      other.implementations = {one};
      add();
    }
  }
  return texts;
}

void answer_from(const LadderQuestion& question, RowSource& source, LadderResult& result) {
  RowsRead<BestRow> exact = source.exact(question);
  result.why_not_read = std::move(exact.why_not);
  std::string reason;
  DefaultAnswer usual(question);
  if (question.device) {
    BestOfRows best = best_of(question, exact.rows, source, result);
    reason = best.reason();
    result.answer = std::move(best).answer();
  }
  if (reason.empty()) reason = result.why_not_read;
  if (reason.empty()) reason = why_none_is_exact(question);
  if (!result.answer)
    result.answer = answer_in_general(question, usual, source, result);
  else if (gives_way(question, usual, *result.answer))
    result.answer = usual.get();
  std::string wrong;
  if (!result.answer || result.answer->rung == Rung::manifest_default)
    wrong = wrong_defaults(question, result.answer);
  if (!result.answer) result.known_wrong = wrong;
  if (result.answer && result.answer->rung > question.weakest) result.answer.reset();
  if (!result.answer) return;
  if (!wrong.empty()) add_text(reason, wrong);
  if (result.answer->rung > Rung::other_policy)
    result.answer->reason = reason;
  else if (result.answer->row->unfinished)
    result.answer->reason = "the sweep is " + to_text(*result.answer->row->unfinished);
}

// All rows may be exact or near, as shipped ones.
class GivenRows final : public RowSource {
 public:
  GivenRows(const std::vector<BestRow>& rows, const std::vector<PortableRow>& portable)
      : rows_(rows), portable_(portable) {}
  RowsRead<BestRow> exact(const LadderQuestion&) override { return {}; }
  RowsRead<const BestRow*> shipped(const LadderQuestion&) override {
    RowsRead<const BestRow*> all;
    for (const BestRow& row : rows_) all.rows.push_back(&row);
    return all;
  }
  RowsRead<PortableRow> portable(const LadderQuestion&) override { return {portable_}; }

 private:
  const std::vector<BestRow>& rows_;
  const std::vector<PortableRow>& portable_;
};

}  // namespace

LadderResult climb(const LadderQuestion& question, RowSource& source) {
  LadderResult result;
  std::string unfit_overrides;
  result.answer = given_answer(question, unfit_overrides);
  if (!result.answer) {
    const auto known_wrong = source.known_wrong(question);
    if (known_wrong == question.known_wrong) {
      answer_from(question, source, result);
    } else {
      LadderQuestion asked = question;
      asked.known_wrong = known_wrong;
      answer_from(asked, source, result);
    }
  }
  if (result.answer) result.answer->unfit_overrides = std::move(unfit_overrides);
  return result;
}

std::optional<LadderAnswer> climb(const LadderQuestion& question, const std::vector<BestRow>& rows,
                                  const std::vector<PortableRow>& portable) {
  GivenRows source(rows, portable);
  return climb(question, source).answer;
}

Answer answer_of(const LadderAnswer& found, const Problem& problem) {
  Answer answer;
  answer.implementation = found.implementation->full_name();
  answer.configuration = found.configuration;
  answer.problem = problem;
  answer.rung = found.rung;
  answer.distance = found.distance;
  answer.reason = found.reason;
  answer.passed_over = found.unfit_overrides;
  if (found.portable) answer.measured_device = found.portable->device.name;
  if (!found.row) return answer;
  const BestRow& row = *found.row;
  answer.median_us = median_of(row.trial);
  answer.warm_median_us = row.trial.warm_timing ? row.trial.warm_timing->median_us : 0;
  answer.measured_problem = row.problem;
  answer.measured_device = row.device.name;
  answer.policy = row.policy;
  answer.origin = row.shipped ? Origin::shipped : row.imported ? Origin::imported : Origin::own;
  answer.measured_at = row.finished;
  answer.power_limit_w = row.environment.power_limit_w;
  if (found.has_other_source) add_stale(answer, other_source_text(*found.implementation, row));
  return answer;
}

void add_stale(Answer& answer, const std::string& why) {
  if (why.empty()) return;
  answer.stale = true;
  answer.why_stale += (answer.why_stale.empty() ? "" : "; ") + why;
}

std::string rung_text(const LadderAnswer& answer) {
  return answer.row && answer.row->unfinished ? to_text(*answer.row->unfinished)
                                              : to_text(answer.rung);
}

bool is_doubtful(const BestRow& row) {
  return !row.trial.verification || (row.imported && !row.shipped);
}

}  // namespace tilewright
