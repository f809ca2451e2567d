#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tilewright/trial.hpp"

namespace tilewright {

// What failed configurations have in common and at most a tenth of the others have: at most three
// values of one parameter, or of two. Empty if nothing tells them apart, or there are fewer than
// three of either.
using CommonValues = std::map<std::string, std::vector<Value>>;

// The configurations of a sweep that failed in one way.
struct Failures {
  Outcome outcome = Outcome::wrong_answer;
  std::size_t count = 0;
  std::size_t example = 0;     // index of the first one's trial
  std::string implementation;  // of all of them; empty if they are of several
  CommonValues cause;          // among the configurations of that implementation
};

// Whether this is a failure of the configuration: neither a time, nor a limit that it exceeds, nor
// another configuration's code.
bool is_failure(Outcome outcome);

// Whether it computed something wrong: a wrong answer, or a write out of bounds.
bool is_wrong(Outcome outcome);

// By outcome, wrong answers first. A configuration counts once, by its last trial.
std::vector<Failures> failures_of(const std::vector<Trial>& trials);

// How many configurations gave right answers and have a time.
std::size_t correct_count(const std::vector<Trial>& trials);

nlohmann::json json_of(const std::vector<Failures>& failures);

}  // namespace tilewright
