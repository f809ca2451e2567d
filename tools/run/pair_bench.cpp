#include "tools/run/pair_bench.hpp"

#include <algorithm>
#include <memory>

#include "campaign/device_lock.hpp"
#include "campaign/prepared_sweep.hpp"
#include "tools/input/lookup.hpp"
#include "tools/print/progress.hpp"
#include "tools/print/text.hpp"
#include "tools/run/interrupt.hpp"
#include "tuner/sweep/run/sweep.hpp"

namespace tilewright::tools {
namespace {

// The '=' marks that part of the space was left out (docs/database.md, "What is derived").
SweepKey key_for(const SweepRequest& request, std::size_t contestants) {
  SweepKey key = key_of(request, PriorUse::stored);
  key.strategy = fmt::format("portfolio configurations={}", contestants);
  key.budget = contestants;
  return key;
}

}  // namespace

bool with_pair_bench(const Measuring& measuring, const DeviceReport& report, Store& store,
                     const std::function<bool(const PairBench&)>& use) {
  InterruptGuard interrupt;
  const DeviceClaim claimed = claim(measuring, report, stop_requested());
  if (!claimed.lock) return false;
  const WorkerOptions workers = workers_with_skips(measuring);
  CompileProcesses compilers(workers, report.device.kind);
  const std::unique_ptr<Evaluator> evaluator =
      device_process(workers, report.device, stop_requested());
  const std::unique_ptr<MachineMonitor> monitor =
      backend_of(report.device.kind).make_monitor(report);
  interrupt.trials_begin();
  return use({report, environment_of(report, workers.toolchain), compilers, *evaluator,
              monitor.get(), store, stop_requested()});
}

bool measure_beside(const Target& target, const TunedProblem& tuned,
                    const std::vector<Candidate>& candidates, const PairBench& bench) {
  const auto family = family_with(target.family, tuned.problem.values, target.snippets);
  SweepRequest request =
      request_for(family->operation, tuned.problem, bench.device.device, tuned.policy);
  request.device_index = bench.device.index;
  request.monitor = bench.monitor;
  std::vector<Candidate> present;
  for (const Candidate& candidate : candidates) {
    const Implementation& one = family->implementation(candidate.implementation->name);
    require_kernel(one, "is not asked for pairs that nobody measured");
    present.push_back({&one, candidate.configuration});
    auto& known = request.implementations;
    if (std::ranges::find(known, &one) == known.end()) known.push_back(&one);
  }
  const std::vector<Trial> trials =
      remeasure(request, present, bench.compilers, bench.evaluator, bench.stop);
  if (trials.empty()) return false;
  const SweepRecord record = bench.store.begin_sweep(key_for(request, present.size()),
                                                     bench.environment, Store::Start::fresh);
  bench.store.add_trials(record.id, trials);
  bench.store.finish_sweep(record.id, "{}");
  return true;
}

bool measure_missing(const Target& target, const PortfolioView& view,
                     const std::vector<MissingPairs>& missing, const PairBench& bench,
                     const std::function<bool()>& is_late) {
  ProgressLine line;
  line.start(missing.size(), 0);
  for (const MissingPairs& pairs : missing) {
    if (is_late()) break;
    const TunedProblem& tuned = view.losses.problems[pairs.problem];
    std::vector<Candidate> candidates;
    for (const std::size_t i : pairs.configurations)
      candidates.push_back({view.implementations[i], view.configurations[i]});
    try {
      if (!measure_beside(target, tuned, candidates, bench)) return false;
    } catch (const InputError& error) {
      warn(error.what());
    }
    line.step({problem_text(target.operation(), tuned.problem)});
  }
  line.finish();
  return true;
}

bool measure_left_out(const Target& target, const PortfolioView& view, const LeftOutProblem& left,
                      const PairBench& bench) {
  if (!left.answer || ratio_on_record(view, left)) return true;
  std::vector<Candidate> candidates = {{left.answer->implementation, left.answer->configuration}};
  if (const auto fastest = fastest_for(view, place_of(view, left.tuned)))
    candidates.insert(candidates.begin(),
                      {view.implementations[*fastest], view.configurations[*fastest]});
  return measure_beside(target, left.tuned, candidates, bench);
}

}  // namespace tilewright::tools
