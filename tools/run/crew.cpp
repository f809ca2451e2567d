#include "tools/run/crew.hpp"

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

std::string Team::name() const {
  return helpers.empty() ? device.id : fmt::format("{}+{}", device.id, helpers.size());
}

Crew::Crew(const SweepGiven& given, std::size_t teams)
    : given_(given), is_alone_(teams == 1), resources_(resources_for(given, teams)) {}

void Crew::start(std::vector<Team> teams, TeamWork& work) {
  const auto left = std::make_shared<std::atomic<std::size_t>>(teams.size());
  {
    const std::lock_guard lock(mutex_);
    works_.push_back(&work);
    working_ += teams.size();
    if (stop_) work.end();
  }
  for (Team& team : teams)
    threads_.emplace_back([this, &work, left, team = std::move(team)] {
      run(team, work, *left);
      const std::lock_guard lock(mutex_);
      --working_;
      ended_.notify_all();
    });
}

void Crew::wait() {
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

void Crew::stop() {
  stop_ = true;
  end_works();
}

void Crew::end_works() {
  for (TeamWork* work : works_) work->end();
}

// `left` counts the teams of the same work.
void Crew::run(const Team& team, TeamWork& work, std::atomic<std::size_t>& left) {
  try {
    const std::string name = is_alone_ && team.helpers.empty() ? "" : team.name();
    SweepRunner runner(given_, interrupt_, {resources_, team.helpers, name, turn_, stop_});
    if (is_claimed(runner, team, work, left)) work.run(runner, team);
  } catch (const DeviceLost& lost) {
    leave(fmt::format("{} is lost: {}", team.device.id, lost.what()), work, left);
  } catch (...) {
    fail();
  }
}

// False: others have done everything meanwhile, or with --no-wait another process measures there.
bool Crew::is_claimed(SweepRunner& runner, const Team& team, TeamWork& work,
                      std::atomic<std::size_t>& left) {
  try {
    return runner.claim(team.device, work.over());
  } catch (const MachineError& in_use) {
    leave(in_use.what(), work, left);
    return false;
  }
}

// The others go on, if there are any. Called while the exception is handled.
void Crew::leave(const std::string& why, const TeamWork& work, std::atomic<std::size_t>& left) {
  if (--left == 0 && !work.over()) return fail();
  const std::lock_guard lock(turn_);
  std::cerr << fmt::format("tilewright: {}; the others do its work", why) << std::endl;
}

void Crew::fail() {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::current_exception();
  stop();
}

}  // namespace tilewright::tools
