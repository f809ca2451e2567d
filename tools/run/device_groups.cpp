#include "tools/run/device_groups.hpp"

#include <fmt/format.h>

#include <iostream>
#include <utility>

#include "tilewright/error.hpp"

namespace tilewright::tools {
namespace {

constexpr std::chrono::milliseconds kSignalAttention{50};

std::shared_ptr<CampaignResources> resources_for(const SweepGiven& given, std::size_t campaigns) {
  CampaignOptions options = campaign_options(given);
  options.campaigns = static_cast<int>(campaigns);
  return std::make_shared<CampaignResources>(std::move(options));
}

}  // namespace

std::string DeviceGroup::name() const {
  return helpers.empty() ? device.id : fmt::format("{}+{}", device.id, helpers.size());
}

DeviceGroups::DeviceGroups(const SweepGiven& given, std::size_t groups)
    : given_(given), is_alone_(groups == 1), resources_(resources_for(given, groups)) {}

void DeviceGroups::start(std::vector<DeviceGroup> groups, GroupWork& work) {
  const auto left = std::make_shared<std::atomic<std::size_t>>(groups.size());
  {
    const std::lock_guard lock(mutex_);
    works_.push_back(&work);
    working_ += groups.size();
    if (stop_) work.end();
  }
  for (DeviceGroup& group : groups)
    threads_.emplace_back([this, &work, left, group = std::move(group)] {
      run(group, work, *left);
      const std::lock_guard lock(mutex_);
      --working_;
      ended_.notify_all();
    });
}

void DeviceGroups::wait() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kSignalAttention, [this] { return working_ == 0; }))
    if (stop_requested())
      stop();
    else if (search_end_requested())
      end_works();
  lock.unlock();
  threads_.clear();
  if (failure_) std::rethrow_exception(failure_);
}

void DeviceGroups::stop() {
  stop_ = true;
  end_works();
}

void DeviceGroups::end_works() {
  for (GroupWork* work : works_) work->end();
}

// `left` counts the groups of the same work.
void DeviceGroups::run(const DeviceGroup& group, GroupWork& work, std::atomic<std::size_t>& left) {
  try {
    const std::string name = is_alone_ && group.helpers.empty() ? "" : group.name();
    SweepRunner runner(given_, interrupt_, {resources_, group.helpers, name, turn_, stop_});
    if (is_claimed(runner, group, work, left)) work.run(runner, group);
  } catch (const DeviceLost& lost) {
    leave(fmt::format("{} is lost: {}", group.device.id, lost.what()), work, left);
  } catch (...) {
    fail();
  }
}

// False: others have done everything meanwhile, or with --no-wait another process measures there.
bool DeviceGroups::is_claimed(SweepRunner& runner, const DeviceGroup& group, GroupWork& work,
                              std::atomic<std::size_t>& left) {
  try {
    return runner.claim(group.device, work.over());
  } catch (const MachineError& in_use) {
    leave(in_use.what(), work, left);
    return false;
  }
}

// The others go on, if there are any. Called while the exception is handled.
void DeviceGroups::leave(const std::string& why, const GroupWork& work,
                         std::atomic<std::size_t>& left) {
  if (--left == 0 && !work.over()) return fail();
  const std::lock_guard lock(turn_);
  std::cerr << fmt::format("tilewright: {}; the others do its work", why) << std::endl;
}

void DeviceGroups::fail() {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::current_exception();
  stop();
}

}  // namespace tilewright::tools
