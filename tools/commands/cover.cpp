#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "db/catalog/shipped.hpp"
#include "db/ladder/present.hpp"
#include "definition/json/json.hpp"
#include "definition/problem.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/sweep_options.hpp"
#include "tools/print/terminal.hpp"
#include "tools/run/interrupt.hpp"
#include "tools/run/pair_bench.hpp"
#include "tools/run/sweep_runner.hpp"

namespace tilewright::tools {
namespace {

constexpr std::size_t kMostInVain = 100;  // problems in turn that are not new, or not measured
// Of the time. The rest is for comparisons.
constexpr double kShareOfSweeps = 0.7;
constexpr double kShareUpToPortfolio = 0.85;

struct CoverGiven : GivenWords {
  SweepGiven sweep;
  double limit_s = 15 * 60;
  std::size_t most = kMostProblems;
  std::vector<std::string> workloads;
  bool json = false;

  void declare(Options& all) {
    all.value(limit_s, option::seconds,
              {"time-limit", "TIME",
               "When to end, give or take a sweep, such as 90s or 1.5h; 15m by default. Most of it "
               "goes into sweeps, the rest into comparisons."});
    all.number(
        most, {.least = 1},
        {"problems", "N", "Tune at most this number of problems, those on record included."});
    all.texts(workloads,
              {"workload", "NAME",
               "Only problems of this workload of the operation's manifest; may be repeated."});
    all.text(sweep.measuring.device,
             {"device", "DEVICE",
              "Where to measure; by default cuda:0, or host where there is no GPU."});
    all.choice(sweep.search.options.cache, kCachePolicies,
               {"policy", "robust|cold|warm", "As for sweep."});
    sweep.search.declare_budget(all, "As for sweep, for each problem.");
    sweep.declare_fresh(all);
    sweep.search.declare_where(all);
    all.number(sweep.search.options.seed, kSeedOption);
    Places& places = sweep.measuring.places;
    places.declare(all, {kShipped});
    sweep.measuring.declare_no_wait(all);
    sweep.measuring.declare_jobs(all);
    places.declare(all, {kDatabase, kCache, kKernels, kLibraries});
    sweep.measuring.declare_limits(all);
    all.flag(json, kJsonOption);
  }
};

nlohmann::json json_of_losses(const WorkloadLosses& losses) {
  nlohmann::json json = {{"problems", losses.problems}, {"known", losses.known}};
  const auto known = [&losses](double loss) {
    return losses.known > 0 ? nlohmann::json(loss) : nlohmann::json();
  };
  json["mean_loss"] = known(losses.mean);
  json["loss_of_nine_in_ten"] = known(losses.most_of_ten);
  json["worst_loss"] = known(losses.worst);
  return json;
}

std::vector<std::string> cells_of(const WorkloadLosses& losses) {
  const auto known = [&losses](double loss) {
    return losses.known > 0 ? fmt::format("{:.1f} %", 100 * loss) : "";
  };
  return {losses.workload,    std::to_string(losses.problems), std::to_string(losses.known),
          known(losses.mean), known(losses.most_of_ten),       known(losses.worst)};
}

class Cover {
 public:
  explicit Cover(const CoverGiven& given)
      : given_(given),
        target_(read_target(given.words, given.sweep.measuring.places, given.sweep.search.where)),
        workloads_(chosen_workloads()) {
    read_search(given.sweep.search, target_);  // bad options are bad for all problems
    report_ = device_to_measure_on(given.sweep.measuring.device);
  }

  int run() {
    if (!sweep()) return kInterrupted;
    if (tuned_.empty()) return tell_nothing("no problem was tuned");
    if (!compare()) return kInterrupted;
    report();
    return kDone;
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool is_over(double share) const {
    return std::chrono::duration<double>(Clock::now() - begin_).count() > share * given_.limit_s;
  }

  std::vector<Workload> chosen_workloads() const {
    std::vector<Workload> all = workloads_of(target_.operation());
    if (given_.workloads.empty()) return all;
    std::vector<Workload> chosen;
    for (const std::string& name : given_.workloads) {
      const auto found = std::ranges::find(all, name, &Workload::name);
      if (found == all.end()) {
        std::string known;
        for (const Workload& workload : all) known += (known.empty() ? "" : ", ") + workload.name;
        throw bad_input("--workload '{}': the workloads of {} are {}", name,
                        target_.operation().name, known);
      }
      chosen.push_back(*found);
    }
    return chosen;
  }

  // By the command line, also as in N=K=64.
  bool is_given(const std::string& name) const {
    return std::ranges::any_of(target_.assignments, [&name](const std::string& given) {
      return ('=' + given).find('=' + name + '=') != std::string::npos;
    });
  }

  // The workloads take turns. What the command line says wins.
  Target target_of(std::size_t index) const {
    const Workload& workload = workloads_[index % workloads_.size()];
    const Settings settings =
        drawn(target_.operation(), workload, index / workloads_.size(), report_.device.kind);
    std::vector<std::string> assignments;
    for (const auto& [name, value] : settings)
      if (!is_given(name)) assignments.push_back(name + '=' + to_text(value));
    return with_assignments(target_, assignments);
  }

  // False if it was interrupted. Leaves out problems that cannot be measured here.
  bool sweep() {
    SweepRunner runner(given_.sweep);
    std::size_t in_vain = 0;
    for (std::size_t i = 0; tuned_.size() < given_.most && in_vain < kMostInVain; ++i) {
      if (is_over(kShareOfSweeps)) break;
      if (stop_requested()) return false;
      ++in_vain;
      try {
        Target target = target_of(i);
        const Problem problem =
            make_problem(target.operation(), target.assignments, report_.device);
        if (!tried_.insert(problem).second) continue;
        std::cerr << fmt::format("[{} {}] ", workloads_[i % workloads_.size()].name,
                                 i / workloads_.size() + 1);
        PreparedSweep prepared = prepare_sweep(given_.sweep.search, std::move(target), report_);
        const StoredSweep swept = runner.run(prepared);
        if (status_of(given_.sweep, swept) == kInterrupted) return false;
        if (swept.winners.empty()) continue;
        tuned_.emplace(problem, Tuned{i % workloads_.size(), prepared.request.policy});
        in_vain = 0;
      } catch (const InputError& error) {
        warn(error.what());
      }
    }
    return !stop_requested();
  }

  // Measures the portfolio where it has no times, then what each problem would be answered if it
  // were not tuned. False if it was interrupted.
  bool compare() {
    const Measuring& measuring = given_.sweep.measuring;
    Store store = store_for_writing(measuring.places);
    const auto on_record = [&] { return view_portfolio(target_, report_.device, store); };
    const bool is_complete =
        with_pair_bench(measuring, report_, store, [&](const PairBench& bench) {
          PortfolioView view = on_record();
          const auto missing = missing_pairs(view, choose_portfolio(view.wish));
          if (!measure_missing(target_, view, missing, bench,
                               [this] { return is_over(kShareUpToPortfolio); }))
            return false;
          view = on_record();
          leave_out(store, view);
          return measure_left_out(view, bench);
        });
    if (!is_complete) std::cerr << "interrupted; run the same command again to continue\n";
    const PortfolioView view = on_record();
    for (LeftOutProblem& left : left_out_) left.ratio = ratio_on_record(view, left);
    return is_complete;
  }

  void leave_out(const Store& store, const PortfolioView& view) {
    ShippedResults shipped(shipped_places(given_.sweep.measuring.places));
    const std::string& name = target_.operation().name;
    const PresentDefinitions present(*target_.family);
    const LookUpRows rows{all_rows(name, &store, shipped, present.defining()),
                          store.portable(name, report_.device.kind)};
    for (std::size_t p = 0; p < view.losses.problems.size(); ++p) {
      const TunedProblem& known = view.losses.problems[p];
      const auto tuned = tuned_.find(known.problem);
      if (tuned == tuned_.end() || tuned->second.policy != known.policy) continue;
      left_out_.push_back(tools::leave_out(target_, view, rows, p));
      left_out_.back().workload = tuned->second.workload;
    }
  }

  bool measure_left_out(const PortfolioView& view, const PairBench& bench) const {
    for (const LeftOutProblem& left : left_out_) try {
        if (is_over(1)) break;
        if (!tools::measure_left_out(target_, view, left, bench)) return false;
      } catch (const InputError& error) {
        warn(error.what());
      }
    return true;
  }

  void report() const {
    std::vector<WorkloadLosses> all;
    for (std::size_t i = 0; i < workloads_.size(); ++i) {
      std::vector<LeftOutProblem> of_workload = left_out_;
      std::erase_if(of_workload, [i](const LeftOutProblem& left) { return left.workload != i; });
      all.push_back(losses_of(workloads_[i].name, of_workload));
    }
    const WorkloadLosses together = losses_of("together", left_out_);
    if (given_.json) {
      nlohmann::json json = {{"operation", target_.operation().name},
                             {"device", device_summary(report_.device)},
                             {"together", json_of_losses(together)}};
      for (const WorkloadLosses& losses : all)
        json["workloads"][losses.workload] = json_of_losses(losses);
      return print_json(std::cout, json);
    }
    Table table({"workload", "tuned", "compared", "mean loss", "nine of ten", "worst"},
                {1, 2, 3, 4, 5});
    for (const WorkloadLosses& losses : all) table.add(cells_of(losses));
    if (all.size() > 1) table.add(cells_of(together));
    std::cout << fmt::format("{} on {}: what a problem that is not tuned loses\n",
                             target_.operation().name, report_.device.name);
    table.print(std::cout);
  }

  const CoverGiven& given_;
  const Target target_;
  const std::vector<Workload> workloads_;
  const Clock::time_point begin_ = Clock::now();
  DeviceReport report_;
  std::set<Problem> tried_;
  struct Tuned {
    std::size_t workload = 0;
    Policy policy;
  };
  std::map<Problem, Tuned> tuned_;
  std::vector<LeftOutProblem> left_out_;
};

int run_cover(const CoverGiven& given) {
  return Cover(given).run();
}

}  // namespace

Command cover_command() {
  return make_command(
      {"cover", Purpose::tune,
       "Tune some problems of each workload, so that all others get a good answer.",
       "OPERATION[/IMPLEMENTATION]|FILE.toml [DIM=VALUE…] [options]",
       "  tilewright cover gemm\n"
       "  tilewright cover gemm --time-limit 1h --workload large --workload deep\n"},
      run_cover);
}

}  // namespace tilewright::tools
