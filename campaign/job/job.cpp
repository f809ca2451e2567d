#include "campaign/job/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "definition/text/errors.hpp"
#include "tuner/backend/parallel.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlan = "plan.json";
constexpr const char* kDevice = "device";
constexpr std::size_t kMostSpread = 64;

std::string random_text() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

}  // namespace

Job::Job(FolderFiles& files, fs::path folder) : files_(files), folder_(std::move(folder)) {
  const fs::path file = folder_ / kPlan;
  if (!files_.exists(file))
    throw bad_input("'{}' is not the folder of a job; `tilewright job create FOLDER` makes one",
                    folder_.string());
  plan_ = plan_from_text(files_.read(file), file.string());
  for (const JobUnit& unit : plan_.units) units_[unit.id] = &unit;
}

void Job::create(FolderFiles& files, const fs::path& folder, const JobPlan& plan) {
  if (files.exists(folder) && !files.names_in(folder).empty())
    throw bad_input("'{}' exists and is not empty; a job needs a folder of its own",
                    folder.string());
  const fs::path whole = fs::absolute(folder).lexically_normal();
  const fs::path named = whole.has_filename() ? whole : whole.parent_path();
  fs::path built = named;
  built += ".new-" + plan.id.substr(0, 8);
  for (const char* part : {"todo", "taken", "done", "results", "kept", "alive", kDevice})
    files.make_folder(built / part);
  for (const JobUnit& unit : plan.units) files.make_empty_file(built / "todo" / unit.id);
  files.make_empty_file(built / kDevice / "open");
  files.write(built / kPlan, to_text(plan));
  files.rename(built, named);
  if (files.exists(built) || Job(files, named).plan().id != plan.id)
    throw broken_machine("cannot rename {} to {}", built.string(), named.string());
}

bool Job::is_at(const FolderFiles& files, const fs::path& folder) {
  return files.exists(folder / kPlan);
}

const JobUnit* Job::unit(const std::string& id) const {
  const auto found = units_.find(id);
  return found == units_.end() ? nullptr : found->second;
}

std::map<std::string, std::string> Job::members_of(const std::string& part) const {
  std::map<std::string, std::string> members;
  for (const std::string& name : files_.names_in(folder_ / part)) {
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos || unit(name.substr(0, dot)) == nullptr) continue;
    members[name.substr(0, dot)] = name.substr(dot + 1);
  }
  return members;
}

std::string Job::name_of(const std::string& member) const {
  try {
    const std::string text = files_.read(folder_ / "alive" / member);
    return text.substr(0, text.find('\n'));
  } catch (const InputError&) {  // it has left
    return "a process that has left";
  }
}

fs::path Job::result_of(const std::string& unit, const std::string& member) const {
  return place("results", unit, member + ".json");
}

std::string Job::agree_on_device(const std::string& member, const std::string& proposal) {
  const fs::path folder = folder_ / kDevice;
  constexpr std::string_view kChosen = "chosen.";
  const auto chosen = [&]() -> std::string {
    for (const std::string& one : files_.names_in(folder))
      if (one.starts_with(kChosen)) return files_.read(folder / one.substr(kChosen.size()));
    return "";
  };
  if (std::string text = chosen(); !text.empty()) return text;
  files_.write(folder / member, proposal);
  move(folder / "open", folder / (std::string(kChosen) + member));
  std::string text = chosen();
  if (text.empty()) throw broken_machine("cannot rename files in {}", folder.string());
  return text;
}

fs::path Job::place(const char* part, const std::string& unit, const std::string& member) const {
  return folder_ / part / (member.empty() ? unit : unit + '.' + member);
}

bool Job::move(const fs::path& from, const fs::path& to) {
  files_.rename(from, to);
  return files_.exists(to);
}

JobMember::JobMember(Job& job, std::string id, std::string name,
                     std::function<Clock::time_point()> now)
    : job_(job),
      id_(std::move(id)),
      name_(std::move(name)),
      now_(std::move(now)),
      start_(random_text()),
      random_(std::random_device{}()) {
  beat();
}

void JobMember::beat() {
  job_.files_.write(job_.folder_ / "alive" / id_,
                    fmt::format("{}\n{} {}\n", name_, start_, ++beats_));
}

const JobUnit* JobMember::claim() {
  may_inherit_ = false;
  for (const auto& [unit, member] : job_.members_of("taken"))
    if (member == id_) return job_.unit(unit);
  if (const JobUnit* const unit = claim_free()) return unit;
  return claim_of_dead();
}

// The first, but another one after each that somebody else was faster to take: hundreds of members
// may start together.
const JobUnit* JobMember::claim_free() {
  std::set<std::string> left_out = refused_;
  for (std::size_t spread = 1;; spread = std::min(2 * spread, kMostSpread)) {
    std::vector<std::string> free = job_.files_.names_in(job_.folder_ / "todo");
    std::erase_if(free, [&](const std::string& name) {
      return left_out.contains(name) || job_.unit(name) == nullptr;
    });
    if (free.empty()) return nullptr;
    const std::string& name = free[random_() % std::min(spread, free.size())];
    const JobUnit& unit = *job_.unit(name);
    if (take(unit, {})) return &unit;
    left_out.insert(name);
  }
}

const JobUnit* JobMember::claim_of_dead() {
  for (const auto& [name, member] : job_.members_of("taken")) {
    if (refused_.contains(name)) continue;
    const JobUnit& unit = *job_.unit(name);
    if (is_dead(member)) {
      if (take(unit, member)) return &unit;
    } else if (!watched_.at(member).has_changed) {
      may_inherit_ = true;  // not seen alive since this member ran out of units
    }
  }
  return nullptr;
}

// Empty: there is none.
std::string JobMember::read_beat(const std::string& member) const {
  const fs::path file = job_.folder_ / "alive" / member;
  try {
    return job_.files_.read(file);
  } catch (const InputError&) {
    return "";
  }
}

bool JobMember::is_dead(const std::string& member) {
  const Clock::time_point now = now_();
  std::string beat = read_beat(member);
  const auto [found, is_new] = watched_.try_emplace(member, Watched{beat, now});
  Watched& watched = found->second;
  if (!is_new && watched.beat != beat) watched = {std::move(beat), now, true};
  return now - watched.since >= std::chrono::seconds(job_.plan_.lease_s);
}

// `from` is the member that has it; empty: nobody.
bool JobMember::take(const JobUnit& unit, const std::string& from) {
  const bool is_taken = job_.move(job_.place(from.empty() ? "todo" : "taken", unit.id, from),
                                  job_.place("taken", unit.id, id_));
  if (is_taken)
    for (auto& [member, watched] : watched_) watched.has_changed = false;
  return is_taken;
}

std::vector<std::string> JobMember::kept_trials(const JobUnit& unit) const {
  std::vector<std::string> texts;
  const fs::path folder = job_.folder_ / "kept";
  for (const std::string& name : job_.files_.names_in(folder))
    if (name.starts_with(unit.id + '.')) texts.push_back(job_.files_.read(folder / name));
  return texts;
}

bool JobMember::finish(const JobUnit& unit, const std::string& result) {
  const fs::path file = job_.result_of(unit.id, id_);
  const fs::path held = job_.place("taken", unit.id, id_);
  if (!job_.files_.exists(held)) return false;
  job_.files_.write(file, result);
  if (job_.move(held, job_.place("done", unit.id, id_))) return true;
  if (job_.files_.exists(held)) throw broken_machine("cannot rename {}", held.string());
  job_.files_.remove(file);
  return false;
}

void JobMember::give_back(const JobUnit& unit, const std::string& trials) {
  const auto rename = [&] {
    job_.move(job_.place("taken", unit.id, id_), job_.place("todo", unit.id, {}));
  };
  try {
    if (!trials.empty()) job_.files_.write(job_.place("kept", unit.id, id_ + ".json"), trials);
  } catch (const MachineError&) {
    rename();
    throw;
  }
  rename();
}

void JobMember::refuse(const JobUnit& unit) {
  refused_.insert(unit.id);
  give_back(unit);
}

void JobMember::leave() {
  job_.files_.remove(job_.folder_ / "alive" / id_);
}

std::jthread start_heart(std::function<void()> beat, std::chrono::milliseconds period) {
  return start_thread([beat = std::move(beat), period](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    while (!never.wait_for(lock, stop, period, [&] { return stop.stop_requested(); })) {
      try {
        beat();
      } catch (const MachineError&) {
        // The next one may succeed. If none does, another member takes the unit.
      }
    }
  });
}

std::chrono::milliseconds beat_period(std::int64_t lease_s) {
  constexpr std::int64_t kBeatsInALease = 10;
  constexpr std::chrono::milliseconds kLongest{10'000};
  return std::min(kLongest, std::chrono::milliseconds(1000 * lease_s / kBeatsInALease));
}

}  // namespace tilewright
