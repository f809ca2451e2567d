#include "tuner/sweep/devices/device_pool.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "tuner/sweep/devices/told_apart.hpp"

namespace tilewright {

DevicePool::DevicePool(const SweepRequest& request, const std::vector<Bench>& benches,
                       SweepObserver& observer, const std::atomic<bool>& stop)
    : request_(request), observer_(observer), stop_(stop) {
  for (const Bench& bench : benches) posts_.push_back(std::make_unique<Post>(request, bench));
}

void DevicePool::remember(const Trial& trial) {
  for (const auto& post : posts_) post->judge.remember(trial);
}

void DevicePool::start(const Open& open, Moment deadline) {
  for (const auto& post : posts_)
    post->lane = std::make_unique<DeviceLane>(
        [this, open, &at = *post] {
          open_timed(at, open);
          weigh_check(at);
        },
        [this, &at = *post](DeviceLane::Item& item) { screen(at, item); }, stop_, deadline);
}

void DevicePool::open_timed(Post& post, const Open& open) {
  const Timed time(post.opening, Activity::opening);
  open(post.bench);
}

void DevicePool::weigh_check(Post& post) {
  const Timed time(post.opening, Activity::opening);
  const std::lock_guard lock(weighing_);
  if (stop_) return;
  if (simple_answers_.empty()) simple_answers_ = post.bench.evaluator->simple_answers();
  require_told_apart(simple_answers_, *request_.operation);
}

void DevicePool::screen(Post& post, DeviceLane::Item& item) {
  if (post.beside && !post.judge.has_anchor())
    post.judge.begin_beside(post.beside->kernel, post.beside->time_us);
  item.normal_us = post.judge.screen(item.trial, item.kernel);
}

// The others wait for the first one's anchor.
bool DevicePool::has_room(const Post& post) const {
  return (&post == posts_.front().get() || anchor_) && post.lane->has_room();
}

bool DevicePool::has_room() const {
  return moved_.empty() &&
         std::ranges::any_of(posts_, [this](const auto& post) { return has_room(*post); });
}

void DevicePool::give(Post& post, DeviceLane::Item item) {
  if (&post != posts_.front().get() && !post.beside) post.beside = anchor_;
  post.lane->submit(std::move(item));
}

// The device with the fewest items is next.
void DevicePool::submit(DeviceLane::Item item) {
  Post* best = nullptr;
  for (const auto& post : posts_)
    if (has_room(*post) && (best == nullptr || post->lane->in_flight() < best->lane->in_flight()))
      best = post.get();
  give(*best, std::move(item));
}

void DevicePool::feed() {
  for (const auto& post : posts_)
    while (!moved_.empty() && has_room(*post)) {
      give(*post, std::move(moved_.front()));
      moved_.pop_front();
    }
}

std::size_t DevicePool::in_flight() const {
  return std::accumulate(
      posts_.begin(), posts_.end(), moved_.size(),
      [](std::size_t sum, const auto& post) { return sum + post->lane->in_flight(); });
}

std::optional<DeviceLane::Item> DevicePool::next(std::chrono::milliseconds limit) {
  feed();
  const auto share = limit / static_cast<int>(posts_.size());
  for (std::size_t i = 0; i < posts_.size(); ++i)
    if (auto item = take(i, share)) return item;
  return std::nullopt;
}

std::optional<DeviceLane::Item> DevicePool::take(std::size_t post,
                                                 std::chrono::milliseconds limit) {
  try {
    auto item = posts_[post]->lane->next(limit);
    if (item && item->normal_us > 0 && !anchor_)
      anchor_ = {item->kernel, item->trial.timing->median_us};
    return item;
  } catch (const DeviceLost& lost) {
    lose(post, lost);
    return std::nullopt;
  }
}

void DevicePool::lose(std::size_t post, const DeviceLost& why) {
  if (posts_.size() == 1) throw why;
  lost_.push_back(std::move(posts_[post]));
  posts_.erase(posts_.begin() + static_cast<std::ptrdiff_t>(post));
  if (const auto& lane = lost_.back()->lane)
    for (DeviceLane::Item& item : lane->take_back()) moved_.push_back(std::move(item));
  observer_.on_device_lost(lost_.back()->bench.id, why.what());
}

void DevicePool::close() {
  for (const auto& post : posts_) post->lane->close();
  moved_.clear();
}

void DevicePool::on_first(const Open& open, const std::function<void(Judge&)>& use) {
  for (;;) {
    Post& post = *posts_.front();
    try {
      open_timed(post, open);
      return use(post.judge);
    } catch (const DeviceLost& lost) {
      lose(0, lost);
    }
  }
}

void DevicePool::add_to(SweepSummary& summary) const {
  const Judge& first = posts_.front()->judge;
  summary.simple_answers = simple_answers_;
  summary.drift = first.drift();
  summary.machine = first.watch().summary();
  std::set<ForeignProcess> processes;
  for (const auto* list : {&posts_, &lost_})
    for (const auto& post : *list) {
      const auto seen = post->judge.watch().summary().processes;
      processes.insert(seen.begin(), seen.end());
      summary.beside_anchor += post->judge.beside_anchor();
      summary.worker_restarts += post->bench.evaluator->restarts() - post->restarts_before;
    }
  summary.machine.processes.assign(processes.begin(), processes.end());
}

Timeline DevicePool::timeline() const {
  Timeline all;
  for (const auto* list : {&posts_, &lost_})
    for (const auto& post : *list) {
      all.add(post->judge.timeline());
      all.add(post->opening);
    }
  return all;
}

}  // namespace tilewright
