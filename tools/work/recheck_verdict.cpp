// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tools/work/recheck_verdict.hpp"

#include <fmt/format.h>

#include "db/derived/choose.hpp"
#include "tilewright/statistics.hpp"

namespace tilewright::tools {
namespace {

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

// What is to be said of a rival; `is_faster` is set if it is faster beyond noise.
std::string note_on(const std::string& role, const Trial& rival, const Timing& winner,
                    bool& is_faster) {
  if (!rival.timing)
    return fmt::format("the {} failed ({})", role, with_message(rival.outcome, rival.message));
  const Ratio ratio = ratio_of(winner, *rival.timing);
  if (ratio.interval.low <= 1 || ties(winner, *rival.timing)) return "";
  is_faster = true;
  return fmt::format("the {} ({}) is faster now: the winner takes {:.3f} times as long", role,
                     tilewright::to_text(rival.configuration.values), ratio.value);
}

}  // namespace

Finding judge(const BestRow& row, const Remeasured& now) {
  if (!now.winner.timing)
    return {Verdict::failed, with_message(now.winner.outcome, now.winner.message)};
  const Timing& timing = *now.winner.timing;
  Finding finding{Verdict::holds, ""};
  if (row.trial.timing && !overlaps_stored(timing, *row.trial.timing)) {
    finding.verdict = Verdict::moved;
    finding.message = fmt::format("{:.3f} times as long as stored",
                                  timing.median_us / row.trial.timing->median_us);
    if (now.winner.code_hash != row.trial.code_hash) append(finding.message, "its code changed");
  }
  const auto compare = [&](const std::string& role, const std::optional<Trial>& rival) {
    if (!rival) return;
    bool is_faster = false;
    const std::string note = note_on(role, *rival, timing, is_faster);
    if (is_faster) finding.verdict = Verdict::moved;
    if (!note.empty()) append(finding.message, note);
  };
  const bool is_one =
      now.runner_up && now.standard && now.runner_up->configuration == now.standard->configuration;
  compare("runner-up", is_one ? std::nullopt : now.runner_up);
  compare("default", now.standard);
  return finding;
}

Finding judge_code(const BestRow& row, const CompileResult& code) {
  if (!code.ok()) return {Verdict::failed, with_message(code.outcome, code.log)};
  if (row.trial.code_hash.empty())
    return {Verdict::code_changed, "the stored result does not say what code it measured"};
  if (code.code_hash == row.trial.code_hash) return {Verdict::same_code, ""};
  return {Verdict::code_changed, "the compiled code is not the one that was measured"};
}

}  // namespace tilewright::tools
