// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "db/store/store.hpp"
#include "tuner/backend/compiler.hpp"

namespace tilewright::tools {

// A stored winner and what it was compared with, measured again side by side. Rivals that are not
// stored, or are the winner itself, are none.
struct Remeasured {
  Trial winner;
  std::optional<Trial> runner_up;
  std::optional<Trial> standard;  // of the default configuration
};

struct Finding {
  Verdict verdict = Verdict::failed;
  std::string message;  // empty for what holds and has nothing to note
};

// holds: the winner answers right, the interval of its time overlaps the stored one widened by
// 2 %, and no rival is faster beyond noise.
Finding judge(const BestRow& row, const Remeasured& now);

// The same from the compiled code of the winner alone.
Finding judge_code(const BestRow& row, const CompileResult& code);

}  // namespace tilewright::tools
