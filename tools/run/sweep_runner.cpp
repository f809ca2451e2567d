#include "tools/run/sweep_runner.hpp"

#include <iostream>
#include <optional>

#include "campaign/failures.hpp"
#include "db/catalog/shipped.hpp"
#include "tools/input/lookup.hpp"
#include "tools/print/names.hpp"
#include "tools/print/progress.hpp"
#include "tools/print/sweep.hpp"
#include "tools/print/text.hpp"

namespace tilewright::tools {
namespace {

using Fate = StoredSweep::Fate;

std::string title_of(const PreparedSweep& sweep) {
  const SweepRequest& request = sweep.request;
  std::string text = fmt::format(
      "{} on {} ({}): {}", named_problem(*request.operation, request.problem), request.device.name,
      sweep.device.id, counted(sweep.legal, "legal configuration"));
  if (sweep.budget_was_chosen)
    text += fmt::format("; trying up to {} (--budget N|all)", request.budget);
  return text;
}

// Messages for a problem that has ended, besides its answer.
std::vector<std::string> end_of(const SweepGiven& given, const StoredSweep& sweep) {
  std::vector<std::string> lines;
  if (sweep.fate == Fate::nothing_legal)
    lines.emplace_back("no configuration is legal for this problem on this device");
  if (sweep.fate == Fate::not_begun) lines.emplace_back("interrupted");
  if (sweep.fate == Fate::was_on_record)
    lines.push_back(fmt::format("already finished {}; --fresh measures it again",
                                age_text(sweep.record.finished)));
  if (const std::string what = disturbance(sweep.machine); !what.empty())
    lines.push_back("warning: " + what);
  if (const std::string what = weak_check(sweep.report); !what.empty())
    lines.push_back("warning: " + what);
  if (sweep.fate == Fate::measured && sweep.report.value("end", "") == "ended_early")
    lines.emplace_back("stopped early; the same command goes on from here");
  if (sweep.fate == Fate::interrupted)
    lines.emplace_back("interrupted; run the same command again to continue");
  else if (!sweep.record.uuid.empty() && sweep.winners.empty())
    lines.push_back(
        "no configuration was measured" +
        (given.is_of_job  // its database will not be there
             ? std::string()
             : fmt::format("; `tilewright results --sweep {} --all{}` says why",
                           sweep.record.uuid.substr(0, 8), places_text(given.measuring.places))));
  return lines;
}

}  // namespace

CampaignOptions campaign_options(const SweepGiven& given) {
  const Places& places = given.measuring.places;
  warn_of_network(database_file(places));
  const auto shipped = std::make_shared<ShippedResults>(shipped_places(places));
  check_shipped(places, *shipped);
  return {.database = database_file(places),
          .scratch = temporary_folder(),
          .lock_folder = lock_folder(),
          .start = given.start,
          .workers = [&given] { return workers_with_skips(given.measuring); },
          .shipped = [shipped](const std::string& name) { return shipped->rows_of(name); }};
}

// Shows the progress of a sweep on standard error, with the best configuration so far.
class SweepRunner::Progress final : public CampaignObserver {
 public:
  explicit Progress(const SweepGiven& given, InterruptGuard* interrupt = nullptr,
                    std::string device = "", std::mutex* turn = nullptr)
      : given_(given), interrupt_(interrupt), device_(std::move(device)), turn_(turn) {}

  void print(const std::string& text) const {
    const auto turn = take_turn();
    std::cerr << with_device(device_, text) << std::endl;
  }

  void on_claim() override {
    if (interrupt_ == nullptr) interrupt_ = &own_interrupt_.emplace();
  }
  void on_wait(const std::string& who) override {
    const auto turn = take_turn();
    when_claimed(given_.measuring)(who);
  }
  void on_left_out(const std::string& who) override { print(who + "; it is left out"); }
  void on_device_lost(const std::string& id, const std::string& why) override {
    print(fmt::format("{} is lost: {}; its work moves to the others", id, why));
  }
  void on_warning(const std::string& why) override {
    const auto turn = take_turn();
    warn(why);
  }
  void on_begin(std::size_t kept, Kept origin) override {
    if (kept > 0)
      print(fmt::format("{}: {} kept",
                        given_.start == Store::Start::retry
                            ? "retrying what a fault or a time limit ended"
                        : origin == Kept::of_another_sweep ? "going on from an earlier sweep"
                                                           : "continuing an interrupted sweep",
                        counted(kept, "trial")));
    const auto turn = take_turn();
    if (!given_.is_quiet) line_.emplace(device_);
    forget_best();
    search_ = {};
    failed_ = 0;
    interrupt_->trials_begin();
  }
  void on_start(const SearchProgress& progress) override {
    const auto turn = take_turn();
    search_ = progress;
    if (line_) line_->start(search_.planned, search_.done, search_.limit_s);
  }
  void on_trial(const Trial& trial) override {
    search_.add(trial);
    if (is_failure(trial.outcome)) ++failed_;
    // A member of a job stops at once, because others go on with its unit.
    if (trial.timing && !best_ && !given_.is_of_job) interrupt_->answer_begins();
    if (trial.timing && (!best_ || trial.timing->median_us < best_->timing->median_us)) {
      best_ = trial;
      best_at_ = search_.done;
    }
    if (!line_) return;
    const auto turn = take_turn();
    line_->step_to(search_.done,
                   {best_ ? fmt::format("best {} since {}: {}", time_text(best_->timing->median_us),
                                        best_at_, best_->implementation)
                          : "",
                    failed_});
  }
  void finish() {
    const auto turn = take_turn();
    if (line_) line_->finish();
    line_.reset();
    forget_best();
  }

 private:
  void forget_best() {
    if (best_ && !given_.is_of_job) interrupt_->answer_ends();
    best_.reset();
  }
  std::unique_lock<std::mutex> take_turn() const {
    return turn_ == nullptr ? std::unique_lock<std::mutex>() : std::unique_lock(*turn_);
  }

  const SweepGiven& given_;
  InterruptGuard* interrupt_;
  std::string device_;  // empty: there is only one
  std::mutex* turn_;    // held while it prints; null: nobody else does
  std::optional<InterruptGuard> own_interrupt_;
  std::optional<ProgressLine> line_;
  std::optional<Trial> best_;
  std::size_t best_at_ = 0;  // the number of its trial
  SearchProgress search_;
  std::size_t failed_ = 0;
};

SweepRunner::SweepRunner(const SweepGiven& given)
    : given_(given),
      progress_(std::make_unique<Progress>(given)),
      campaign_(campaign_options(given), *progress_, stop_requested()) {}

SweepRunner::SweepRunner(const SweepGiven& given, InterruptGuard& interrupt,
                         const Together& together)
    : given_(given),
      progress_(std::make_unique<Progress>(given, &interrupt, together.device, &together.turn)),
      campaign_(together.resources, together.helpers, *progress_, together.stop) {}

SweepRunner::~SweepRunner() = default;

bool SweepRunner::claim(const DeviceReport& device, const std::atomic<bool>& stop) {
  return campaign_.claim(device, stop);
}

StoredSweep SweepRunner::run(PreparedSweep& sweep, const SweepStart& start) {
  if (!given_.is_quiet) progress_->print(start.place + title_of(sweep));
  sweep.request.end_search = &search_end_requested();
  StoredSweep result = campaign_.run(sweep, start.beginning);
  progress_->finish();
  for (const std::string& line : end_of(given_, result)) progress_->print(line);
  return result;
}

ExitStatus status_of(const SweepGiven& given, const StoredSweep& sweep) {
  if (sweep.fate == Fate::interrupted || sweep.fate == Fate::not_begun || search_end_requested())
    return kInterrupted;
  if (given.is_strict && std::ranges::any_of(sweep.trials, is_wrong, &Trial::outcome))
    return kNothing;
  return sweep.winners.empty() ? kNothing : kDone;
}

}  // namespace tilewright::tools
