#include "bench/peers/tournament.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "bench/peers/cases/gemm_problem.hpp"
#include "tilewright/error.hpp"
#include "tools/print/text.hpp"

namespace tilewright::bench {

Tournament::Tournament(Arena& arena, Ceilings& ceilings, MachineMonitor& monitor,
                       std::vector<std::filesystem::path> libraries)
    : arena_(arena), ceilings_(ceilings), watch_(&monitor), libraries_(std::move(libraries)) {}

const Tournament::Home& Tournament::home_of(const Case& item, const Rival& rival) {
  if (present_ != item.name) homes_.clear();
  present_ = item.name;
  Settings problem = item.problem;
  for (const auto& [name, value] : rival.changes) problem[name] = value;
  const auto known = homes_.find(to_text(problem));
  if (known != homes_.end()) return known->second;
  const Choice choice = stored_winner(arena_, arena_.request_for(item.operation, item.problem));
  Home home;
  home.request = arena_.request_for(item.operation, problem);
  home.ours.field = arena_.make_field(home.request);
  home.ours.entrant = make_own_kernel(arena_, home.request, choice, home.ours.field);
  home.accuracy = home.ours.field->check(*home.ours.entrant);
  return homes_.emplace(to_text(problem), std::move(home)).first->second;
}

void Tournament::measure(const Case& item, const Rival& rival, Match& match) {
  const Home& home = home_of(item, rival);
  if (!home.accuracy.message.empty())
    throw CannotCompete("ours is wrong: " + home.accuracy.message);
  match.ours = {home.ours.entrant->how(), home.accuracy, {}};
  const auto rate =
      tools::rate_of(*home.request.operation, {home.request.problem, "", {}, arena_.device(), 1});
  match.flops = 1e3 * rate.gflops;
  match.bytes = 1e3 * rate.gigabytes;
  const bool is_counted = is_of_multiply_adds(home.request.problem);
  match.floor_us = ceilings_.floor_us(is_counted ? match.flops : 0, match.bytes);
  const Corner theirs = rival.make({arena_, home.request, home.ours.field, libraries_});
  match.theirs = {theirs.entrant->how(), theirs.field->check(*theirs.entrant), {}};
  PairedTimings pairs = arena_.compare(theirs, home.ours);
  match.ratio = ratio_of(pairs.first, pairs.second);
  match.theirs.timing = std::move(pairs.first);
  match.ours.timing = std::move(pairs.second);
}

Match Tournament::play(const Case& item, const Rival& rival) {
  Match match;
  match.item = item.name;
  match.rival = rival.name;
  match.note = rival.note;
  watch_.look_at_once(std::chrono::steady_clock::now());
  try {
    measure(item, rival, match);
    watch_.look_at_once(std::chrono::steady_clock::now());
    match.others = watch_.others();
  } catch (const CannotCompete& error) {
    match.why_not = error.what();
  } catch (const InputError& error) {
    match.why_not = error.what();
  } catch (const TrialError& error) {
    if (error.failure().outcome == Outcome::faulted)
      throw MachineError(fmt::format("{} beside {}: {}", item.name, rival.name, error.what()));
    match.why_not = error.what();
  }
  return match;
}

}  // namespace tilewright::bench
