#include "tools/run/job_compiling.hpp"

#include <chrono>
#include <deque>
#include <optional>

#include "campaign/prepared_sweep.hpp"
#include "campaign/workers.hpp"
#include "db/catalog/shipped.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/paths.hpp"
#include "tools/input/sweep_options.hpp"
#include "tools/input/worker_options.hpp"
#include "tools/print/progress.hpp"
#include "tuner/sweep/compile_ahead.hpp"
#include "tuner/sweep/prepare/first_compiles.hpp"
#include "tuner/toolchain/scratch_folder.hpp"

namespace tilewright::tools {
namespace {

// Makes the requests of one unit after the other, because all of them together may be large.
class FirstRequests {
 public:
  FirstRequests(const Arguments& arguments, const JobPlan& plan, const Target& target,
                std::size_t most)
      : arguments_(arguments),
        plan_(plan),
        target_(target),
        shipped_(shipped_places(arguments)),
        scratch_(temporary_folder()),
        store_(scratch_.path() / "none.db"),
        most_(most) {
    check_shipped(arguments, shipped_);
    device_.device = device_to_plan_for(arguments);
  }

  // Nothing at the end.
  std::optional<CompileRequest> next() {
    while (waiting_.empty()) {
      if (unit_ == plan_.units.size()) return std::nullopt;
      add(plan_.units[unit_++]);
    }
    CompileRequest request = std::move(waiting_.front());
    waiting_.pop_front();
    return request;
  }
  std::size_t unit() const { return unit_; }

 private:
  void add(const JobUnit& unit) {
    Target target = with_assignments(target_, unit.assignments);
    const SearchOptions options = read_search(arguments_, target);
    const Problem problem = make_problem(target.operation(), target.assignments, device_.device);
    PreparedSweep sweep =
        tilewright::prepare_sweep(std::move(target), problem, device_, options, toolchain());
    SweepRequest& request = sweep.request;
    if (may_use_priors(request) && sweep.priors == PriorUse::stored)
      give_priors(find_priors(store_, shipped_.rows_of(request.operation->name), request), request);
    for (CompileRequest& one : first_compiles(request, sweep.spaces, most_))
      waiting_.push_back(std::move(one));
  }

  const Arguments& arguments_;
  const JobPlan& plan_;
  const Target& target_;
  DeviceReport device_;
  ShippedResults shipped_;
  ScratchFolder scratch_;
  Store store_;  // empty
  std::size_t most_;
  std::size_t unit_ = 0;
  std::deque<CompileRequest> waiting_;
};

}  // namespace

JobCompiles compile_ahead(const Arguments& arguments, const JobPlan& plan, const Target& target,
                          std::size_t most) {
  const auto start = std::chrono::steady_clock::now();
  FirstRequests requests(arguments, plan, target, most);
  CompileProcesses compilers(worker_options(arguments), DeviceKind::cuda);
  CompileAhead ahead(compilers);
  JobCompiles result;
  result.cache = cache_folder(arguments).string();
  ProgressLine line;
  line.start(plan.units.size(), 0);
  std::size_t ticket = 0;
  std::size_t shown = 0;
  for (bool has_more = true; has_more || ahead.in_flight() > 0;) {
    while (has_more && ahead.in_flight() < ahead.depth()) {
      auto request = requests.next();
      has_more = request.has_value();
      if (request) ahead.submit(ticket++, *std::move(request));
      for (; shown + 1 < requests.unit(); ++shown) line.step({});
    }
    const auto done = ahead.next(std::chrono::milliseconds(200));
    if (done && !done->result.ok()) ++result.failed;
  }
  for (; shown < plan.units.size(); ++shown) line.step({});
  line.finish();
  result.compiled = ahead.counts().done;
  result.from_cache = ahead.counts().from_cache;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  result.seconds = elapsed.count();
  return result;
}

}  // namespace tilewright::tools
