#include "campaign/job/job_member.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/error.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSpread = 64;

std::string random_text() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

}  // namespace

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
  if (job_.files_.exists(held)) throw MachineError(fmt::format("cannot rename {}", held.string()));
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

}  // namespace tilewright
