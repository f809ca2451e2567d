#include "tools/run/recheck.hpp"

#include <algorithm>
#include <utility>

#include "db/ladder/ladder.hpp"
#include "tilewright/error.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/prepare/inspector.hpp"
#include "tuner/sweep/run/remeasure.hpp"

namespace tilewright::tools {
namespace {

// How often the loop checks for a stop.
constexpr std::chrono::milliseconds kPatience(100);

// `finding` has a verdict and a message.
Rechecked conclude(RecheckItem item, Confirmation finding, Contenders now = {}) {
  finding.trial = item.row.trial_id;
  finding.environment = item.environment;
  finding.source_hash = item.source_hash;
  finding.code_hash = now.winner.code_hash;
  if (const auto& timing = now.winner.timing)
    finding.time = ConfirmedTime{timing->median_us, timing->interval_low_us,
                                 timing->interval_high_us, timing->sm_mhz};
  return {std::move(item), std::move(finding), std::move(now)};
}

// The winner first, then its rivals without duplicates.
std::vector<Candidate> contestants_of(const RecheckItem& item) {
  const Implementation& implementation = *item.request.implementations.front();
  std::vector<Candidate> list = {{&implementation, item.row.configuration}};
  for (const auto& rival : {item.row.runner_up, item.row.default_configuration}) {
    if (!rival || !fits(implementation, *rival, item.row.problem, item.row.device)) continue;
    const bool is_known = std::ranges::any_of(
        list, [&rival](const Candidate& other) { return other.configuration == *rival; });
    if (!is_known) list.push_back({&implementation, *rival});
  }
  return list;
}

std::optional<Trial> trial_of(const std::optional<Configuration>& configuration,
                              const std::vector<Trial>& rivals) {
  for (const Trial& trial : rivals)
    if (trial.configuration == configuration) return trial;
  return std::nullopt;
}

Rechecked measure_item(RecheckItem item, std::vector<Trial> trials) {
  Contenders now;
  now.winner = std::move(trials.front());
  trials.erase(trials.begin());
  now.rivals.runner_up = trial_of(item.row.runner_up, trials);
  now.rivals.standard = trial_of(item.row.default_configuration, trials);
  Confirmation finding = judge({item.row.trial, item.rivals}, now);
  return conclude(std::move(item), std::move(finding), std::move(now));
}

CompileRequest winner_to_compile(const RecheckItem& item) {
  const Implementation& implementation = *item.request.implementations.front();
  const KernelSource source = read_source(implementation);
  return compile_request(item.request, source, {&implementation, item.row.configuration});
}

// Submits the item, or returns its verdict if there is nothing to compile.
std::optional<Confirmation> submit(std::size_t ticket, const RecheckItem& item,
                                   CompileAhead& queue) {
  if (!item.no_definition.empty()) return found(Verdict::failed, item.no_definition);
  const Implementation& implementation = *item.request.implementations.front();
  if (!has_architecture(item.request, implementation))
    return found(
        Verdict::failed,
        unsupported_trial(item.request, {&implementation, item.row.configuration}).message);
  try {
    queue.submit(ticket, winner_to_compile(item));
    return std::nullopt;
  } catch (const InputError& error) {
    return found(Verdict::failed, error.what());
  }
}

}  // namespace

void measure_items(std::vector<RecheckItem> items, CompileQueue& compilers, Evaluator& evaluator,
                   const std::atomic<bool>& stop, const OnRechecked& done) {
  for (RecheckItem& item : items) {
    if (stop) return;
    if (!item.no_definition.empty()) {
      Confirmation finding = found(Verdict::failed, item.no_definition);
      done(conclude(std::move(item), std::move(finding)));
      continue;
    }
    std::vector<Trial> trials;
    try {
      trials = remeasure(item.request, contestants_of(item), compilers, evaluator, stop);
    } catch (const InputError& error) {
      done(conclude(std::move(item), found(Verdict::failed, error.what())));
      continue;
    }
    if (trials.empty()) return;  // stopped
    done(measure_item(std::move(item), std::move(trials)));
  }
}

void compile_items(std::vector<RecheckItem> items, CompileQueue& compilers,
                   const std::atomic<bool>& stop, const OnRechecked& done) {
  CompileAhead queue(compilers);
  std::size_t next = 0;
  while (!stop && (next < items.size() || queue.in_flight() > 0)) {
    for (; next < items.size() && queue.in_flight() < queue.depth(); ++next)
      if (const auto finding = submit(next, items[next], queue))
        done(conclude(std::move(items[next]), *finding));
    const auto compiled = queue.next(kPatience);
    if (!compiled) continue;
    RecheckItem& item = items[compiled->ticket];
    const Confirmation finding = judge_code(item.row, compiled->result);
    Contenders now;
    now.winner.code_hash = compiled->result.code_hash;
    done(conclude(std::move(item), finding, std::move(now)));
  }
}

}  // namespace tilewright::tools
