#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilewright::tools {

// How well the comparison tells simple wrong answers of the tuned problem from the right ones, a
// text for each output: "y: zeros 100 %, input x 100 %, missing term 12 %, 1.01 times 98 %". Shares
// are of the elements that are wrong. Empty if the stored report has no such figures.
std::vector<std::string> check_texts(const nlohmann::json& report);

// The same as sentences: "wrong answers found in the argument `y`: zeros 100 %, …".
std::vector<std::string> found_wrong_texts(const nlohmann::json& report);

// Sentences: which simple answers do not count because they are right.
std::vector<std::string> uncounted_texts(const nlohmann::json& report);

// A sentence if some output may be 1 % wrong in every problem; else empty.
std::string weak_check(const nlohmann::json& report);

}  // namespace tilewright::tools
