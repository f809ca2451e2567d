#include "tools/work/job_runner.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <iostream>
#include <thread>

#include "campaign/device_kinds.hpp"
#include "campaign/job/heart.hpp"
#include "campaign/job/job.hpp"
#include "campaign/job/job_member.hpp"
#include "campaign/job/local_slot.hpp"
#include "db/exchange/exchange.hpp"
#include "tilewright/error.hpp"
#include "tools/input/job_options.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/sweep_options.hpp"
#include "tools/print/text.hpp"
#include "tools/work/interrupt.hpp"
#include "tools/work/job_planning.hpp"
#include "tools/work/sweep_runner.hpp"

namespace tilewright::tools {
namespace {

using Fate = StoredSweep::Fate;

constexpr std::chrono::milliseconds kBetweenLooks{250};

std::string name_of_this_process() {
  std::array<char, HOST_NAME_MAX + 1> host{};
  gethostname(host.data(), host.size() - 1);
  return fmt::format("process {} on {}", getpid(), host.data());
}

// As the store has it: the record that a sweep returns is not finished yet.
Store::Imported stored_sweep(const Store& store, const SweepRecord& sweep) {
  for (SweepRecord& record :
       store.sweeps({.operation = sweep.key.operation, .problem = sweep.key.problem}))
    if (record.uuid == sweep.uuid) {
      std::vector<Trial> trials = store.trials(record.id);
      return {std::move(record), std::move(trials)};
    }
  throw MachineError(
      fmt::format("sweep {} is no longer in '{}'", sweep.uuid, store.file().string()));
}

}  // namespace

class JobRunner::Work {
 public:
  explicit Work(const Arguments& given)
      : job_(*files_, given.text("job").value()),
        arguments_(job_arguments(given, job_.plan())),
        target_(read_target(arguments_, {job_.plan().target})),
        device_((require_planned(job_.plan(), definitions_of(target_)),
                 device_to_measure_on(arguments_))),
        slot_(local_folder(arguments_, job_.plan())),
        store_(std::make_unique<Store>(slot_.database())),
        member_(job_, store_->id(), name_of_this_process()) {
    arguments_ = arguments_.with("db", {slot_.database().string()});
    require_device();
  }

  int run() {
    InterruptGuard interrupt;
    if (const auto left = time_left_in_slurm()) interrupt.stop_in(*left);
    Heart heart([this] { member_.beat(); }, beat_period(job_.plan().lease_s));
    runner_ = std::make_unique<SweepRunner>(arguments_, &interrupt);
    if (runner_->claim(device_)) sweep_all();
    if (stop_requested()) status_ = kInterrupted;
    return status_;
  }

  // After run(), when the heart has stopped.
  void leave() {
    runner_.reset();
    store_.reset();
    member_.leave();
    slot_.discard();
    print_end();
  }

 private:
  void require_device() {
    try {
      require_kind(job_.agree_on_device(store_->id(), kind_text(device_)), device_);
    } catch (const InputError&) {
      member_.leave();
      throw;
    }
  }

  void sweep_all() {
    while (!stop_requested()) {
      if (const JobUnit* const unit = member_.claim())
        sweep(*unit);
      else if (member_.may_inherit())
        std::this_thread::sleep_for(kBetweenLooks);
      else
        return;
    }
  }

  // Whatever happens, the unit is finished or given back.
  void sweep(const JobUnit& unit) {
    try {
      const StoredSweep answer = measure(unit);
      if (answer.fate == Fate::interrupted || answer.fate == Fate::not_begun) {
        member_.give_back(unit, trials_of(answer));
        return;
      }
      if (member_.finish(unit, trials_of(answer))) ++count_;
      status_ = std::max<int>(status_, status_of(arguments_, answer));
    } catch (const InputError& error) {
      std::cerr << fmt::format("tilewright: {} is left to others: {}\n", unit.name, error.what());
      member_.refuse(unit);
      status_ = std::max<int>(status_, kBadInput);
    } catch (const MachineError&) {
      member_.give_back(unit);
      throw;
    }
  }

  StoredSweep measure(const JobUnit& unit) {
    take_kept_trials(unit);
    PreparedSweep setup = prepare_sweep(arguments_, with_assignments(target_, unit.assignments));
    if (setup.request.problem.values != unit.problem)
      throw InputError(
          "it is another problem than was planned, because a snippet has changed; go back to what "
          "it was, or plan another job");
    if (!arguments_.has("quiet"))
      std::cerr << fmt::format("[{} of {} finished] ", job_.members_of("done").size(),
                               job_.plan().units.size());
    return runner_->run(setup);
  }

  void take_kept_trials(const JobUnit& unit) {
    for (const std::string& text : member_.kept_trials(unit)) {
      try {
        store_->gather_sweeps(import_json(text, unit.name), job_.plan().id);
      } catch (const InputError& error) {
        warn(fmt::format("kept trials cannot be used: {}", error.what()));
      }
    }
  }

  // As the job's results; empty if nothing is stored.
  std::string trials_of(const StoredSweep& answer) {
    if (answer.fate == Fate::not_begun) return "";
    if (answer.record.uuid.empty()) return export_json(std::vector<Store::Imported>{});
    Store::Imported sweep = stored_sweep(*store_, answer.record);
    sweep.sweep.store = job_.plan().id;
    return export_json({std::move(sweep)});
  }

  void print_end() const {
    const std::size_t finished = job_.members_of("done").size();
    const std::size_t taken = job_.members_of("taken").size();
    const std::size_t all = job_.plan().units.size();
    std::cout << fmt::format(
        "{} finished here; of {} in the job, {} are finished, {} are measured "
        "by others, {} are left\n",
        counted(count_, "problem"), all, finished, taken, all - std::min(all, finished + taken));
  }

  std::unique_ptr<FolderFiles> files_ = files_on_disk();
  Job job_;
  Arguments arguments_;
  Target target_;
  DeviceReport device_;
  LocalSlot slot_;
  std::unique_ptr<Store> store_;
  JobMember member_;
  std::unique_ptr<SweepRunner> runner_;
  std::size_t count_ = 0;  // finished units
  int status_ = kDone;
};

JobRunner::JobRunner(const Arguments& arguments) : work_(std::make_unique<Work>(arguments)) {}

JobRunner::~JobRunner() = default;

int JobRunner::run() {
  const int status = work_->run();
  work_->leave();
  return status;
}

}  // namespace tilewright::tools
