#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/run_program.hpp"

namespace tilewright::test {

// Tests of `show`.
inline const std::string kShowSource = TILEWRIGHT_SOURCE_DIR;

class Show : public ::testing::Test {
 protected:
  Finished show(std::vector<std::string> words,
                const std::vector<std::string>& environment = {}) const {
    words.insert(words.begin(), "show");
    words.insert(words.end(), {"--shipped", "none"});
    return run_tilewright(home_.path(), words, environment);
  }

  // What a shell command printed, and its exit status.
  Finished shell(const std::string& command) const {
    const std::filesystem::path out = home_ / "shell.txt";
    Finished finished;
    finished.status = std::system((command + " > " + out.string() + " 2>&1").c_str());
    finished.out = content_of(out);
    return finished;
  }

  TemporaryFolder home_;
};

inline void expect_in(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

}  // namespace tilewright::test
