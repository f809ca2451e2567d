// SPDX-FileCopyrightText: 2026 The tilewright authors
// SPDX-License-Identifier: MIT
#include "tuner/sweep/final.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

namespace tilewright {
namespace {

constexpr int kRounds = 3;

std::map<std::size_t, KernelPlan> compile_all(
    const std::vector<Screened>& finalists, const Candidates& candidates,
    const std::function<CompileRequest(std::size_t)>& compile, CompileAhead& compilers,
    const Judge& judge) {
  for (const Screened& item : finalists) compilers.submit(item.candidate, compile(item.candidate));
  std::map<std::size_t, KernelPlan> kernels;
  for (const Screened& item : finalists) {
    const CompileResult code = compilers.wait_for(item.candidate);
    if (code.ok()) kernels[item.candidate] = judge.plan(candidates[item.candidate], code);
  }
  return kernels;
}

}  // namespace

std::vector<Screened> choose_finalists(const std::vector<Screened>& screened,
                                       std::size_t per_implementation) {
  std::vector<Screened> sorted;
  for (const Screened& item : screened)
    if (item.trial.outcome == Outcome::measured && item.trial.timing) sorted.push_back(item);
  std::sort(sorted.begin(), sorted.end(), [](const Screened& a, const Screened& b) {
    return std::tie(a.trial.implementation, a.trial.timing->median_us, a.candidate) <
           std::tie(b.trial.implementation, b.trial.timing->median_us, b.candidate);
  });
  std::map<std::string, std::size_t> taken;
  std::vector<Screened> finalists;
  for (const Screened& item : sorted)
    if (taken[item.trial.implementation]++ < per_implementation || item.is_default)
      finalists.push_back(item);
  return finalists;
}

std::vector<Trial> run_final(std::vector<Screened> finalists, const Candidates& candidates,
                             const std::function<CompileRequest(std::size_t)>& compile,
                             CompileAhead& compilers, Judge& judge, std::uint64_t seed,
                             const std::atomic<bool>& stop) {
  const auto kernels = compile_all(finalists, candidates, compile, compilers, judge);
  std::erase_if(finalists, [&](const Screened& item) { return !kernels.contains(item.candidate); });
  std::map<std::size_t, std::vector<double>> samples;
  std::mt19937_64 random(seed);
  for (int round = 0; round < kRounds; ++round) {
    std::shuffle(finalists.begin(), finalists.end(), random);
    for (Screened& item : finalists) {
      if (stop) return {};
      judge.measure_again(item.trial, kernels.at(item.candidate), samples[item.candidate]);
    }
  }
  std::sort(finalists.begin(), finalists.end(),
            [](const Screened& a, const Screened& b) { return a.candidate < b.candidate; });
  std::vector<Trial> trials;
  for (Screened& item : finalists) {
    item.trial.stage = Stage::final;
    trials.push_back(std::move(item.trial));
  }
  return trials;
}

}  // namespace tilewright
