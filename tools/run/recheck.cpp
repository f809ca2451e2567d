#include "tools/run/recheck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "db/derived/choose.hpp"
#include "db/ladder/ladder.hpp"
#include "tilewright/error.hpp"
#include "tilewright/statistics.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/remeasure.hpp"
#include "tuner/sweep/session_plan.hpp"

namespace tilewright::tools {
namespace {

// How often the loop checks for a stop.
constexpr std::chrono::milliseconds kPatience(100);

Confirmation found(Verdict verdict, const std::string& message) {
  Confirmation finding;
  finding.verdict = verdict;
  finding.message = message;
  return finding;
}

// `finding` has a verdict and a message.
Rechecked conclude(RecheckItem item, Confirmation finding, Remeasured now = {}) {
  finding.trial = item.row.trial_id;
  finding.environment = item.environment;
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
  Remeasured now;
  now.winner = std::move(trials.front());
  trials.erase(trials.begin());
  now.runner_up = trial_of(item.row.runner_up, trials);
  now.standard = trial_of(item.row.default_configuration, trials);
  Confirmation finding = judge(item.row, now);
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

constexpr double kWidening = 0.02;  // of the stored interval, on both sides

bool overlaps_stored(const Timing& now, const Timing& stored) {
  return now.interval_high_us >= stored.interval_low_us * (1 - kWidening) &&
         now.interval_low_us <= stored.interval_high_us * (1 + kWidening);
}

std::string with_message(Outcome outcome, const std::string& message) {
  return fmt::format("{}{}{}", to_text(outcome), message.empty() ? "" : ": ", message);
}

void append(std::string& text, const std::string& more) {
  text += (text.empty() ? "" : "; ") + more;
}

// Whether the rival is significantly faster under every policy. Under one alone it may always have
// been: of a robust sweep the winner has the least worst ratio.
bool beats(const Trial& rival, const Trial& winner) {
  const Times theirs = times_of(rival);
  const Times ours = times_of(winner);
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    const Ratio ratio = ratio_of(*ours[i], *theirs[i]);
    if (ratio.interval.low <= 1 || ties(ratio)) return false;
  }
  return true;
}

// A note on a rival, or nothing. Sets `is_faster` if the rival beats the winner.
std::string note_on(const std::string& role, const Trial& rival, const Trial& winner,
                    bool& is_faster) {
  if (!rival.timing)
    return fmt::format("the {} failed ({})", role, with_message(rival.outcome, rival.message));
  if (!beats(rival, winner)) return "";
  is_faster = true;
  const Ratio ratio = mean_ratio(times_of(winner), times_of(rival));
  return fmt::format("the {} ({}) is faster now: the winner takes {:.3f} times as long", role,
                     tilewright::to_text(rival.configuration.values), ratio.value);
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
    Remeasured now;
    now.winner.code_hash = compiled->result.code_hash;
    done(conclude(std::move(item), finding, std::move(now)));
  }
}

Confirmation judge(const BestRow& row, const Remeasured& now) {
  if (!now.winner.timing)
    return found(Verdict::failed, with_message(now.winner.outcome, now.winner.message));
  const auto has_moved = [](const std::optional<Timing>& here,
                            const std::optional<Timing>& stored) {
    return here && stored && !overlaps_stored(*here, *stored);
  };
  Confirmation finding = found(Verdict::holds, "");
  if (has_moved(now.winner.timing, row.trial.timing) ||
      has_moved(now.winner.warm_timing, row.trial.warm_timing)) {
    finding.verdict = Verdict::moved;
    double ratio = now.winner.timing->median_us / row.trial.timing->median_us;
    if (now.winner.warm_timing && row.trial.warm_timing)  // of both times, as everywhere
      ratio = mean_time_us(now.winner) / mean_time_us(row.trial);
    finding.message = fmt::format("{:.3f} times as long as stored", ratio);
    if (now.winner.code_hash != row.trial.code_hash) append(finding.message, "its code changed");
  }
  const auto compare = [&](const std::string& role, const std::optional<Trial>& rival) {
    if (!rival) return;
    bool is_faster = false;
    const std::string note = note_on(role, *rival, now.winner, is_faster);
    if (is_faster) finding.verdict = Verdict::moved;
    if (!note.empty()) append(finding.message, note);
  };
  const bool is_one =
      now.runner_up && now.standard && now.runner_up->configuration == now.standard->configuration;
  compare("runner-up", is_one ? std::nullopt : now.runner_up);
  compare("default", now.standard);
  return finding;
}

Confirmation judge_code(const BestRow& row, const CompileResult& code) {
  if (!code.ok()) return found(Verdict::failed, with_message(code.outcome, code.log));
  if (row.trial.code_hash.empty())
    return found(Verdict::code_changed, "the stored result does not say what code it measured");
  if (code.code_hash == row.trial.code_hash) return found(Verdict::same_code, "");
  return found(Verdict::code_changed, "the compiled code is not the one that was measured");
}

}  // namespace tilewright::tools
