#pragma once

#include <string>
#include <vector>

namespace tilewright::test {

// For blocked and window, whose sums are of plain cores: problems, their types included, and
// conditions for each of them. Those of blocked have every way to share a sum.
struct PlainLayer {
  std::vector<std::string> problem;
  std::vector<std::string> conditions;
};
std::vector<PlainLayer> blocked_layers();
std::vector<PlainLayer> window_layers();

}  // namespace tilewright::test
