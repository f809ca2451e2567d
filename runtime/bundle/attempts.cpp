// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "runtime/bundle/attempts.hpp"

#include <fmt/format.h>

#include <sstream>
#include <utility>

namespace tilewright {
namespace {

// The first line and, of a compiler's log after it, the first that speaks of an error.
std::string in_short(const std::string& why) {
  std::istringstream lines(why);
  std::string text;
  std::getline(lines, text);
  for (std::string line; std::getline(lines, line);)
    if (line.find("error") != std::string::npos) return text + ' ' + line;
  return text;
}

}  // namespace

KernelAttempt attempt_of(const std::shared_ptr<const BundleKernels>& bundle,
                         const BundledRecipe& bundled) {
  return {
      bundled.recipe,
      [bundle, build = bundled.build](const Recipe&) { return bundle->contents().code_of(build); },
      CodeFrom::bundle};
}

KernelAttempt attempt_of(BundleKernels::Launchable launchable) {
  return {std::move(launchable.recipe),
          [code = std::move(launchable.code)](const Recipe&) { return code; }, CodeFrom::bundle};
}

std::vector<Exclusion> not_from_bundles(std::span<const FailedAttempt> failed) {
  std::vector<Exclusion> excluded;
  for (const FailedAttempt& one : failed)
    if (one.from == CodeFrom::bundle)
      excluded.push_back({one.answer.implementation, one.answer.configuration});
  return excluded;
}

void say_what_failed(std::span<const FailedAttempt> failed, Answer& answer) {
  for (const FailedAttempt& one : failed) {
    if (!answer.passed_over.empty()) answer.passed_over += "; ";
    answer.passed_over += fmt::format("{} of rung '{}': {}", one.answer.implementation,
                                      to_text(one.answer.rung), in_short(one.why));
  }
}

}  // namespace tilewright
