#include "tuner/sweep/devices/device_pool.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "tuner/sweep/devices/told_apart.hpp"

namespace tilewright {

DevicePool::DevicePool(const SweepRequest& request, const std::vector<SweepDevice>& devices,
                       SweepObserver& observer, const std::atomic<bool>& stop)
    : request_(request), observer_(observer), stop_(stop) {
  for (const SweepDevice& device : devices)
    members_.push_back(std::make_unique<Member>(request, device));
}

void DevicePool::remember(const Trial& trial) {
  for (const auto& member : members_) member->judge.remember(trial);
}

void DevicePool::start(const Open& open, Moment deadline) {
  for (const auto& member : members_)
    member->thread = std::make_unique<DeviceThread>(
        [this, open, &at = *member] {
          open_timed(at, open);
          weigh_check(at);
        },
        [this, &at = *member](DeviceThread::Item& item) { screen(at, item); }, stop_, deadline);
}

void DevicePool::open_timed(Member& member, const Open& open) {
  const Timed time(member.opening, Activity::opening);
  open(member.device);
}

void DevicePool::weigh_check(Member& member) {
  const Timed time(member.opening, Activity::opening);
  const std::lock_guard lock(weighing_);
  if (stop_) return;
  if (simple_answers_.empty()) simple_answers_ = member.device.evaluator->simple_answers();
  require_told_apart(simple_answers_, *request_.operation);
}

void DevicePool::screen(Member& member, DeviceThread::Item& item) {
  if (member.beside && !member.judge.has_anchor())
    member.judge.begin_beside(member.beside->kernel, member.beside->time_us);
  item.normal_us = member.judge.screen(item.trial, item.kernel);
}

// The others wait for the first one's anchor.
bool DevicePool::has_room(const Member& member) const {
  return (&member == members_.front().get() || anchor_) && member.thread->has_room();
}

bool DevicePool::has_room() const {
  return moved_.empty() &&
         std::ranges::any_of(members_, [this](const auto& member) { return has_room(*member); });
}

void DevicePool::give(Member& member, DeviceThread::Item item) {
  if (&member != members_.front().get() && !member.beside) member.beside = anchor_;
  member.thread->submit(std::move(item));
}

// The device with the fewest items is next.
void DevicePool::submit(DeviceThread::Item item) {
  Member* best = nullptr;
  for (const auto& member : members_)
    if (has_room(*member) &&
        (best == nullptr || member->thread->in_flight() < best->thread->in_flight()))
      best = member.get();
  give(*best, std::move(item));
}

void DevicePool::feed() {
  for (const auto& member : members_)
    while (!moved_.empty() && has_room(*member)) {
      give(*member, std::move(moved_.front()));
      moved_.pop_front();
    }
}

std::size_t DevicePool::in_flight() const {
  return std::accumulate(
      members_.begin(), members_.end(), moved_.size(),
      [](std::size_t sum, const auto& member) { return sum + member->thread->in_flight(); });
}

std::optional<DeviceThread::Item> DevicePool::next(std::chrono::milliseconds limit) {
  feed();
  const auto share = limit / static_cast<int>(members_.size());
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (auto item = take(i, share)) return item;
  return std::nullopt;
}

std::optional<DeviceThread::Item> DevicePool::take(std::size_t member,
                                                   std::chrono::milliseconds limit) {
  try {
    auto item = members_[member]->thread->next(limit);
    if (item && item->normal_us > 0 && !anchor_)
      anchor_ = {item->kernel, item->trial.timing->median_us};
    return item;
  } catch (const DeviceLost& lost) {
    lose(member, lost);
    return std::nullopt;
  }
}

void DevicePool::lose(std::size_t member, const DeviceLost& why) {
  if (members_.size() == 1) throw why;
  lost_.push_back(std::move(members_[member]));
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(member));
  if (const auto& thread = lost_.back()->thread)
    for (DeviceThread::Item& item : thread->take_back()) moved_.push_back(std::move(item));
  observer_.on_device_lost(lost_.back()->device.id, why.what());
}

void DevicePool::close() {
  for (const auto& member : members_) member->thread->close();
  moved_.clear();
}

void DevicePool::on_first(const Open& open, const std::function<void(Judge&)>& use) {
  for (;;) {
    Member& member = *members_.front();
    try {
      open_timed(member, open);
      return use(member.judge);
    } catch (const DeviceLost& lost) {
      lose(0, lost);
    }
  }
}

void DevicePool::add_to(SweepSummary& summary) const {
  const Judge& first = members_.front()->judge;
  summary.simple_answers = simple_answers_;
  summary.drift = first.drift();
  summary.machine = first.watch().summary();
  std::set<ForeignProcess> processes;
  for (const auto* list : {&members_, &lost_})
    for (const auto& member : *list) {
      const auto seen = member->judge.watch().summary().processes;
      processes.insert(seen.begin(), seen.end());
      summary.beside_anchor += member->judge.beside_anchor();
      summary.worker_restarts += member->device.evaluator->restarts() - member->restarts_before;
    }
  summary.machine.processes.assign(processes.begin(), processes.end());
}

Timeline DevicePool::timeline() const {
  Timeline all;
  for (const auto* list : {&members_, &lost_})
    for (const auto& member : *list) {
      all.add(member->judge.timeline());
      all.add(member->opening);
    }
  return all;
}

}  // namespace tilewright
