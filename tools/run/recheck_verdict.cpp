#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "db/derived/choose.hpp"
#include "tilewright/statistics.hpp"
#include "tools/print/text.hpp"
#include "tools/run/recheck.hpp"

namespace tilewright::tools {
namespace {

std::string with_message(Outcome outcome, const std::string& message) {
  return fmt::format("{}{}{}", to_text(outcome), message.empty() ? "" : ": ", message);
}

void append(std::string& text, const std::string& more) {
  text += (text.empty() ? "" : "; ") + more;
}

constexpr double kWidening = 0.02;  // of the stored interval, on both sides

// How many times as long a call may take now, as the machine alone explains it, by policy.
using Factors = std::vector<double>;

// Whether all times are the stored ones on a machine that takes `factors` times as long for some of
// the work, and as long as before for the rest.
bool are_stored(const Times& now, const Times& stored, const Factors& factors) {
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const double least = std::min(factors[i], 1.0) * (1 - kWidening);
    const double most = std::max(factors[i], 1.0) * (1 + kWidening);
    if (now[i]->interval_high_us < stored[i]->interval_low_us * least ||
        now[i]->interval_low_us > stored[i]->interval_high_us * most)
      return false;
  }
  return true;
}

// How many times as long the same clock cycles take now; 1 if a clock is not known.
double clock_factor(const Timing& now, const Timing& stored) {
  return now.sm_mhz > 0 && stored.sm_mhz > 0 ? stored.sm_mhz / now.sm_mhz : 1;
}

// What became of a rival's times. Empty if it cannot tell what became of the machine: it has no
// times, or other code.
Factors factors_of(const std::optional<Trial>& now, const std::optional<Trial>& stored) {
  Factors factors;
  if (!now || !stored || stored->code_hash.empty() || now->code_hash != stored->code_hash)
    return factors;
  const Times here = times_of(*now), then = times_of(*stored);
  for (std::size_t i = 0; i < std::min(here.size(), then.size()); ++i)
    factors.push_back(here[i]->median_us / then[i]->median_us);
  return factors;
}

// "1.1x slower than stored"; of two times their mean, as everywhere.
std::string change_text(const Trial& stored, const Trial& now) {
  if (now.warm_timing && stored.warm_timing)
    return faster_than_text(mean_time_us(stored), mean_time_us(now), "stored");
  return faster_than_text(stored.timing->median_us, now.timing->median_us, "stored");
}

// Whether the winner takes the stored time, or would if the machine had not changed. It has times.
Confirmation compare_times(const Contenders& stored, const Contenders& now) {
  const Times here = times_of(now.winner), then = times_of(stored.winner);
  Factors none, clock;
  for (std::size_t i = 0; i < std::min(here.size(), then.size()); ++i) {
    none.push_back(1);
    clock.push_back(clock_factor(*here[i], *then[i]));
  }
  if (are_stored(here, then, none)) return found(Verdict::holds, "");
  std::string text = change_text(stored.winner, now.winner);
  if (are_stored(here, then, clock))
    return found(Verdict::holds,
                 fmt::format("{}, at another clock: {:.0f} MHz now, {:.0f} MHz stored", text,
                             here[0]->sm_mhz, then[0]->sm_mhz));
  using Rival = const std::optional<Trial>*;
  const std::tuple<const char*, Rival, Rival> rivals[] = {
      {"runner-up", &now.rivals.runner_up, &stored.rivals.runner_up},
      {"default", &now.rivals.standard, &stored.rivals.standard}};
  for (const auto& [role, rival, stored_rival] : rivals) {
    const Factors factors = factors_of(*rival, *stored_rival);
    if (factors.size() == none.size() && are_stored(here, then, factors))
      return found(Verdict::holds,
                   fmt::format("{}, and so is the {}, whose code is unchanged", text, role));
  }
  if (now.winner.code_hash != stored.winner.code_hash) append(text, "its code changed");
  return found(Verdict::moved, text);
}

// Whether the rival is significantly faster, and by more than it may have been when it lost: by
// more than the most of a tie and the change of the clock. It must be so under every policy. Under
// one alone it may always have been: of a robust sweep the winner has the least worst ratio.
bool beats(const Trial& rival, const Trial& winner, const Trial& stored) {
  const Times theirs = times_of(rival);
  const Times ours = times_of(winner);
  const Times before = times_of(stored);
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    const double clock = i < before.size() ? clock_factor(*ours[i], *before[i]) : 1;
    const double most = kMostOfATie * std::max(clock, 1 / clock);
    if (ratio_of(*ours[i], *theirs[i]).interval.low <= most) return false;
  }
  return true;
}

// Adds what there is to say of a rival. A rival that beats the winner makes it `moved`.
void note_rival(Confirmation& finding, const std::string& role, const Trial& rival,
                const Trial& winner, const Trial& stored) {
  if (!rival.timing) {
    append(finding.message,
           fmt::format("the {} failed ({})", role, with_message(rival.outcome, rival.message)));
  } else if (beats(rival, winner, stored)) {
    finding.verdict = Verdict::moved;
    const Ratio ratio = mean_ratio(times_of(winner), times_of(rival));
    append(finding.message, fmt::format("the {} ({}) is {} now", role,
                                        tilewright::to_text(rival.configuration.values),
                                        faster_than_text(ratio.value, 1, "the winner")));
  }
}

}  // namespace

Confirmation found(Verdict verdict, const std::string& message) {
  Confirmation finding;
  finding.verdict = verdict;
  finding.message = message;
  return finding;
}

Confirmation judge(const Contenders& stored, const Contenders& now) {
  if (!now.winner.timing)
    return found(Verdict::failed, with_message(now.winner.outcome, now.winner.message));
  Confirmation finding = compare_times(stored, now);
  const auto& [runner_up, standard] = now.rivals;
  const bool is_one = runner_up && standard && runner_up->configuration == standard->configuration;
  if (runner_up && !is_one) note_rival(finding, "runner-up", *runner_up, now.winner, stored.winner);
  if (standard) note_rival(finding, "default", *standard, now.winner, stored.winner);
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
