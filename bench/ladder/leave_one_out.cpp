#include "bench/ladder/leave_one_out.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "db/ladder/ladder.hpp"
#include "definition/json/codec.hpp"
#include "tools/results/portfolio.hpp"

namespace tilewright::bench {
namespace {

constexpr double kAnyDistance = std::numeric_limits<double>::infinity();

double volume_of(const Operation& operation, const Problem& problem) {
  double sum = 0;
  for (const Dimension& dimension : operation.dimensions) {
    const auto at = problem.values.find(dimension.name);
    if (dimension.role != ProblemRole::distance || at == problem.values.end()) continue;
    if (const auto* size = std::get_if<std::int64_t>(&at->second))
      sum += std::log(static_cast<double>(std::max<std::int64_t>(*size, 1)));
  }
  return sum;
}

// Goes through one device's tuned problems.
class Examination {
 public:
  Examination(const Family& family, const Device& device, const Store& store)
      : family_(family),
        device_(device),
        losses_(store.losses(family.operation.name, device)),
        rows_(store.best({.operation = family.operation.name})),
        portable_(store.portable(family.operation.name, device.kind)) {}

  std::vector<LeftOut> run() const;

 private:
  LadderQuestion question_of(const TunedProblem& tuned) const;
  std::optional<GuessedAnswer> guess(const std::optional<LadderAnswer>& answer,
                                     std::size_t problem) const;
  std::optional<GuessedAnswer> by_volume(const LadderQuestion& question, std::size_t problem) const;
  LeftOut examine(std::size_t problem) const;
  template <class Keep>
  std::vector<BestRow> rows_that(const Keep& keep) const;

  const Family& family_;
  const Device& device_;
  const LossTable losses_;
  const std::vector<BestRow> rows_;
  const std::vector<PortableRow> portable_;
};

std::vector<LeftOut> Examination::run() const {
  std::vector<LeftOut> all;
  for (std::size_t problem = 0; problem < losses_.problems.size(); ++problem)
    all.push_back(examine(problem));
  return all;
}

LadderQuestion Examination::question_of(const TunedProblem& tuned) const {
  LadderQuestion question;
  question.operation = &family_.operation;
  for (const Implementation& one : family_.implementations)
    question.implementations.push_back(&one);
  question.problem = tuned.problem;
  question.device = device_;
  question.cache = tuned.policy.cache;
  question.farthest = kAnyDistance;
  question.require = Require::device;  // near answers are studied even if they would give way
  return question;
}

std::optional<GuessedAnswer> Examination::guess(const std::optional<LadderAnswer>& answer,
                                                std::size_t problem) const {
  if (!answer) return std::nullopt;
  GuessedAnswer guessed{
      answer->implementation->full_name(), answer->configuration, answer->distance, {}};
  const std::string text = canonical_json(answer->configuration.values);
  for (std::size_t i = 0; i < losses_.configurations.size(); ++i) {
    const TriedConfiguration& tried = losses_.configurations[i];
    if (tried.configuration != text || tried.implementation != guessed.implementation) continue;
    for (const TimedPair& pair : losses_.times[i])
      if (pair.problem == problem) guessed.ratio = pair.ratio;
  }
  return guessed;
}

template <class Keep>
std::vector<BestRow> Examination::rows_that(const Keep& keep) const {
  std::vector<BestRow> kept;
  for (const BestRow& row : rows_)
    if (keep(row)) kept.push_back(row);
  return kept;
}

// As tuners do that look only at the size, not at the shape and class.
std::optional<GuessedAnswer> Examination::by_volume(const LadderQuestion& question,
                                                    std::size_t problem) const {
  const double here = volume_of(family_.operation, question.problem);
  std::vector<const BestRow*> nearest;
  for (const BestRow& row : rows_)
    if (row.device == device_ && row.problem != question.problem) nearest.push_back(&row);
  std::ranges::stable_sort(nearest, {}, [&](const BestRow* row) {
    return std::pair(std::abs(volume_of(family_.operation, row->problem) - here),
                     row->trial.timing ? row->trial.timing->median_us : 0);
  });
  for (const BestRow* row : nearest)
    for (const Implementation* one : question.implementations)
      if (one->full_name() == row->implementation &&
          fits(*one, row->configuration, question.problem, device_))
        return guess(LadderAnswer{Rung::near_problem, one, row->configuration, *row, 0, {}},
                     problem);
  return std::nullopt;
}

LeftOut Examination::examine(std::size_t problem) const {
  const TunedProblem& tuned = losses_.problems[problem];
  const LadderQuestion question = question_of(tuned);
  LeftOut left;
  left.tuned = tuned;
  const auto near = climb(question, rows_that([&](const BestRow& row) {
                            return row.device == device_ && row.problem != tuned.problem;
                          }));
  if (near && near->rung == Rung::near_problem) left.near_problem = guess(near, problem);
  const auto elsewhere =
      climb(question, rows_that([&](const BestRow& row) { return row.device != device_; }));
  if (elsewhere && elsewhere->rung == Rung::near_device)
    left.near_device = guess(elsewhere, problem);
  const auto standard = climb(question, std::vector<BestRow>{});
  left.standard = guess(standard, problem);
  const auto by_portable = [&](std::vector<PortableRow> rows) {
    const auto answer = climb(question, {}, std::move(rows));
    return answer && answer->rung == Rung::portable ? guess(answer, problem) : std::nullopt;
  };
  std::vector<PortableRow> portable = tools::portable_without(tuned.problem, losses_, device_);
  left.portable = by_portable(portable);
  std::vector<PortableRow> others = portable_;
  std::erase_if(others, [&](const PortableRow& row) { return row.device == device_; });
  left.portable_elsewhere = by_portable(others);
  portable.insert(portable.end(), others.begin(), others.end());
  LadderQuestion usual = question;
  usual.farthest = ladder::farthest;
  usual.require = Require::any;
  left.served = guess(
      climb(usual, rows_that([&](const BestRow& row) { return row.problem != tuned.problem; }),
            portable),
      problem);
  left.by_volume = by_volume(question, problem);
  return left;
}

}  // namespace

std::vector<LeftOut> leave_one_out(const Family& family, const Device& device, const Store& store) {
  return Examination(family, device, store).run();
}

}  // namespace tilewright::bench
