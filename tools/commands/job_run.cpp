#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <mutex>
#include <set>

#include "campaign/device_kinds.hpp"
#include "campaign/job/job.hpp"
#include "campaign/job/local_slot.hpp"
#include "campaign/prepared_sweep.hpp"
#include "db/exchange/exchange.hpp"
#include "db/store/claims.hpp"
#include "definition/text/hash.hpp"
#include "tools/input/command.hpp"
#include "tools/input/lookup.hpp"
#include "tools/input/sweep_options.hpp"
#include "tools/run/device_groups.hpp"

namespace tilewright::tools {
namespace {

namespace fs = std::filesystem;
using Fate = StoredSweep::Fate;

constexpr std::chrono::milliseconds kBetweenLooks{250};

struct JobRunGiven : GivenWords {
  std::string local;  // --local
  SweepGiven sweep;   // without what the plan decides

  void declare(Options& all) {
    all.text(sweep.measuring.device,
             {"device", "DEVICES",
              "Where to measure, as `tilewright devices` lists it; by default cuda:0, or host "
              "where there is no GPU. Each of several takes the next problem when it is free: all "
              "(the GPUs), cuda:0,2 or UUIDs."});
    all.text(local,
             {"local", "FOLDER",
              "Where this process keeps its trials until a problem is finished, on a disk of this "
              "machine; by default a folder below TMPDIR, else /tmp."});
    sweep.declare_run(all);
  }
};

std::string name_of_this_process() {
  std::array<char, HOST_NAME_MAX + 1> host{};
  gethostname(host.data(), host.size() - 1);
  return fmt::format("process {} on {}", getpid(), host.data());
}

// A stored sweep as a result of the job.
Store::Imported result_of(const Store& store, SweepRecord record, const std::string& job) {
  std::vector<Trial> trials = store.trials(record.id);
  record.store = job;
  return {std::move(record), std::move(trials)};
}

// As the store has it: the record that a sweep returns is not finished yet.
Store::Imported stored_result(const Store& store, const SweepRecord& sweep,
                              const std::string& job) {
  for (SweepRecord& record :
       store.sweeps({.operation = sweep.key.operation, .problem = sweep.key.problem}))
    if (record.uuid == sweep.uuid) return result_of(store, std::move(record), job);
  throw MachineError(
      fmt::format("sweep {} is no longer in '{}'", sweep.uuid, store.file().string()));
}

// What devices that are lost have measured of a problem, as the job's results; empty: nothing.
std::string unfinished_trials(const Store& store, const Problem& problem, const std::string& job) {
  std::vector<Store::Imported> kept;
  for (SweepRecord& record : store.sweeps({.operation = problem.operation, .problem = problem}))
    if (record.finished == 0) kept.push_back(result_of(store, std::move(record), job));
  return kept.empty() ? "" : export_json(kept);
}

// With the options that the plan fixes.
SweepGiven planned(SweepGiven given, const JobPlan& plan) {
  given.is_of_job = true;
  const std::vector<std::string> kernels = given.measuring.places.kernels;
  Options options;
  given.search.declare(options);
  given.measuring.places.declare(options, {kKernels});
  std::vector<std::string> line;
  for (const JobOption& option : plan.options)
    line.push_back("--" + option.name + '=' + option.value);
  options.parse(line);
  if (!kernels.empty()) given.measuring.places.kernels = kernels;
  return given;
}

// --local, or its default.
fs::path local_folder(const std::string& local, const JobPlan& plan) {
  constexpr std::size_t kEnough = 12;
  return local.empty() ? temporary_folder() / fmt::format("tilewright-job-{}-{}",
                                                          plan.id.substr(0, kEnough), getuid())
                       : fs::weakly_canonical(local);
}

// What one device's group has of its own. It takes part in the job as a member.
class Seat {
 public:
  Seat(Job& job, const fs::path& database, const std::string& id, const std::string& name)
      : store(database),
        member(job, id, name),
        heart_(start_heart([this] { member.beat(); }, beat_period(job.plan().lease_s))) {}

  // When it has no unit and takes none any more.
  void leave() {
    heart_ = {};
    member.leave();
  }

  Store store;
  JobMember member;

 private:
  std::jthread heart_;
};

// Takes part in a job as one process, with one or several devices. Each device is a member of the
// job and takes the next unit when it is free; they share the compile processes. Reads the plan,
// and refuses definitions and devices other than those of the job. Throws InputError and
// MachineError.
class JobWork final : public GroupWork {
 public:
  explicit JobWork(const JobRunGiven& given)
      : job_(*files_, given.words.front()),
        given_(planned(given.sweep, job_.plan())),
        target_(read_target({job_.plan().target}, given_.measuring.places, given_.search.where)),
        devices_(
            (require_planned(job_.plan(), keys_of(target_.implementations, target_.operation())),
             devices_to_measure_on(given_.measuring.device))),
        slot_(local_folder(given.local, job_.plan())),
        id_(Store(slot_.database()).id()) {
    given_.measuring.places.database = slot_.database().string();
    const std::string kind = own_kind();
    require_kinds(kind);  // before the job has any
    require_kinds(job_.agree_on_device(id_, kind));
  }

  // Sweeps units until none is left, a signal comes, or a Slurm job is about to end. A unit that
  // this machine cannot measure is left to others. Returns the worst status of its units.
  int run() {
    sweep_all();
    slot_.discard();
    print_end();
    return stop_requested() ? kInterrupted : status_;
  }

  void run(SweepRunner& runner, const DeviceGroup& group) override {
    Seat seat(job_, slot_.database(), member_id(group), name_of(group));
    try {
      while (const JobUnit* const unit = next_unit(seat)) sweep({runner, group, seat, *unit});
    } catch (const DeviceLost&) {
      seat.leave();
      throw;
    }
    seat.leave();
  }

 private:
  // A unit and who sweeps it.
  struct Turn {
    SweepRunner& runner;
    const DeviceGroup& group;
    Seat& seat;
    const JobUnit& unit;
  };

  // That of the first device whose power limit is known, if there is one.
  std::string own_kind() const {
    const auto known = std::ranges::find_if(devices_, [](const DeviceReport& device) {
      return device.environment.power_limit_w.has_value();
    });
    return kind_text(known == devices_.end() ? devices_.front() : *known);
  }

  void require_kinds(const std::string& kind) const {
    for (const DeviceReport& device : devices_) require_kind(kind, device);
  }

  void sweep_all() {
    DeviceGroups groups(given_, devices_.size());
    printing_ = &groups.turn();
    if (const auto left = time_left_in_slurm()) groups.stop_in(*left);
    std::vector<DeviceGroup> each;
    for (const DeviceReport& device : devices_) each.push_back({device});
    groups.start(std::move(each), *this);
    groups.wait();
  }

  // A process that gets the slot of a dead one has its members too, and goes on with their units.
  std::string member_id(const DeviceGroup& group) const {
    const auto place = std::ranges::find(devices_, group.device.id, &DeviceReport::id);
    if (place == devices_.begin()) return id_;
    return hex_hash(fmt::format("{} {}", id_, place - devices_.begin()));
  }

  std::string name_of(const DeviceGroup& group) const {
    const std::string process = name_of_this_process();
    return devices_.size() == 1 ? process : fmt::format("{}, {}", process, group.device.id);
  }

  // Waits while another of our groups might give a unit back, or another process has died with one.
  // Null: none is left, or end() was called.
  const JobUnit* next_unit(Seat& seat) {
    std::unique_lock lock(mutex_);
    while (!over_ && !stop_requested()) {
      const std::size_t ended = ended_;
      const auto has_changed = [&] { return over_ || ended != ended_; };
      ++running_;
      lock.unlock();
      const JobUnit* const unit = seat.member.claim();
      lock.lock();
      if (unit != nullptr) return unit;
      if (seat.member.may_inherit()) {
        changed_.wait_for(lock, kBetweenLooks, has_changed);
        --running_;
        continue;
      }
      if (--running_ == 0 && ended == ended_) over_ = true;
      changed_.notify_all();
      changed_.wait(lock, has_changed);
    }
    return nullptr;
  }

  // Ends the turn of a unit, however it went, so that no other group waits for it.
  class UnitEnd {
   public:
    explicit UnitEnd(JobWork& work) : work_(work) {}
    UnitEnd(const UnitEnd&) = delete;
    UnitEnd& operator=(const UnitEnd&) = delete;
    ~UnitEnd() {
      const std::lock_guard lock(work_.mutex_);
      --work_.running_;
      ++work_.ended_;
      work_.changed_.notify_all();
    }

   private:
    JobWork& work_;
  };

  // Whatever happens, the unit is finished or given back.
  void sweep(const Turn& turn) {
    JobMember& member = turn.seat.member;
    const UnitEnd end(*this);
    try {
      const StoredSweep answer = measure(turn);
      if (answer.fate == Fate::interrupted || answer.fate == Fate::not_begun) {
        member.give_back(turn.unit, trials_of(answer, turn.seat.store));
      } else {
        const bool is_ours = member.finish(turn.unit, trials_of(answer, turn.seat.store));
        note(status_of(given_, answer), is_ours ? 1 : 0);
      }
    } catch (const InputError& error) {
      leave_to_others(turn, error.what());
    } catch (const DeviceLost&) {
      const Problem problem{target_.operation().name, turn.unit.problem};
      member.give_back(turn.unit, unfinished_trials(turn.seat.store, problem, job_.plan().id));
      throw;
    } catch (...) {
      give_back_if_possible(turn);
      throw;
    }
  }

  // After a fault, which is what the caller reports. The same fault may have made the job's folder
  // unreachable; then the unit comes back when its lease ends.
  static void give_back_if_possible(const Turn& turn) noexcept {
    try {
      turn.seat.member.give_back(turn.unit);
    } catch (const std::exception&) {
    }
  }

  void note(int status, std::size_t finished) {
    const std::lock_guard lock(mutex_);
    status_ = std::max(status_, status);
    count_ += finished;
  }

  void leave_to_others(const Turn& turn, const std::string& why) {
    turn.seat.member.refuse(turn.unit);
    note(kBadInput, 0);
    const std::lock_guard lock(*printing_);
    if (left_to_others_.insert(turn.unit.id).second)
      std::cerr << fmt::format("tilewright: {} is left to others: {}\n", turn.unit.name, why);
  }

  StoredSweep measure(const Turn& turn) {
    take_kept_trials(turn);
    PreparedSweep setup = prepared(turn);
    if (setup.request.problem.values != turn.unit.problem)
      throw InputError(
          "it is another problem than was planned, because a snippet has changed; go back to what "
          "it was, or plan another job");
    SweepStart start;
    if (!given_.is_quiet)
      start.place = fmt::format("[{} of {} finished] ", job_.members_of("done").size(),
                                job_.plan().units.size());
    return turn.runner.run(setup, start);
  }

  PreparedSweep prepared(const Turn& turn) {
    const std::lock_guard lock(preparing_);
    return prepare_sweep(given_.search, with_assignments(target_, turn.unit.assignments),
                         turn.group.device);
  }

  void take_kept_trials(const Turn& turn) {
    for (const std::string& text : turn.seat.member.kept_trials(turn.unit)) {
      try {
        turn.seat.store.gather_sweeps(import_json(text, turn.unit.name), job_.plan().id);
      } catch (const SweepInUse&) {
        // One of our groups that is lost had the unit, so its trials are there.
      } catch (const InputError& error) {
        const std::lock_guard lock(*printing_);
        warn(fmt::format("kept trials cannot be used: {}", error.what()));
      }
    }
  }

  // As the job's results; empty if nothing is stored.
  std::string trials_of(const StoredSweep& answer, const Store& store) const {
    if (answer.fate == Fate::not_begun) return "";
    if (answer.record.uuid.empty()) return export_json(std::vector<Store::Imported>{});
    return export_json({stored_result(store, answer.record, job_.plan().id)});
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

  const std::unique_ptr<FolderFiles> files_ = files_on_disk();
  Job job_;
  SweepGiven given_;
  const Target target_;
  const std::vector<DeviceReport> devices_;
  LocalSlot slot_;
  const std::string id_;                  // of the slot's database
  std::mutex* printing_ = nullptr;        // held while something is printed
  std::set<std::string> left_to_others_;  // ids of units; guarded by *printing_
  std::mutex preparing_;                  // held while a unit is prepared
  // mutex_ guards the rest.
  std::size_t running_ = 0;  // groups that have a unit, or look for one
  std::size_t ended_ = 0;    // units that groups had
  std::size_t count_ = 0;    // finished units
  int status_ = kDone;
};

int run_job_run(const JobRunGiven& given) {
  if (given.words.empty()) throw InputError("name the folder that `tilewright job create` made");
  if (given.words.size() > 1)
    throw InputError(fmt::format("'{}': the job's plan names what is swept", given.words[1]));
  return JobWork(given).run();
}

}  // namespace

Command job_run_command() {
  return make_command(
      {"job run", Purpose::many_machines,
       "Take part in a job: sweep its problems one by one until none is left or Ctrl-C.",
       "FOLDER [options]",
       "  tilewright job run /shared/gemm_job --device all\n\n"
       "any number of processes on any machines may do so (docs/fleet.md)\n"},
      run_job_run);
}

}  // namespace tilewright::tools
