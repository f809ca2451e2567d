#pragma once

#include <string>

namespace tilewright::test {

// Sweeps hostile.toml with the program and fails the test unless the sweep finishes, each
// configuration has the outcome that expected.json has in the column `kind`, the winner is a
// right one, and a sweep of the good configurations alone gives those the same outcomes.
void expect_survival(const std::string& device, const std::string& kind);

}  // namespace tilewright::test
