#pragma once

#include <memory>

#include "bench/peers/rivals/arena.hpp"

namespace tilewright::bench {

// An implementation and one of its configurations, with a note for the table.
struct Choice {
  const Implementation* implementation = nullptr;
  Configuration configuration;
  std::string note;  // "tuned warm"; empty: nothing
};

// The stored answer for the request's problem. Throws CannotCompete if there is none.
Choice stored_winner(const Arena& arena, const SweepRequest& request);

// The default of that implementation. Throws CannotCompete if it does not fit the problem.
Choice default_choice(const SweepRequest& request, const std::string& implementation);

// A kernel of ours on the request's problem and the field's operands. Throws CannotCompete if it
// does not compile or does not fit the problem.
std::unique_ptr<Entrant> make_own_kernel(Arena& arena, const SweepRequest& request,
                                         const Choice& choice,
                                         const std::shared_ptr<const Field>& field);

}  // namespace tilewright::bench
