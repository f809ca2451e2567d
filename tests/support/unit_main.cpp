// All unit tests. --folder=tests/unit/db runs those whose files lie in that folder; --gtest_filter
// then only excludes.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>

namespace {

// Of the folder, as a filter.
std::string tests_in(const std::string& folder) {
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  std::string filter;
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *program.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      if (std::filesystem::path(test.file()).parent_path().string().ends_with('/' + folder))
        filter += std::string(suite.name()) + '.' + test.name() + ':';
    }
  }
  return filter;
}

}  // namespace

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  constexpr std::string_view kFolder = "--folder=";
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    if (!word.starts_with(kFolder)) continue;
    const std::string filter = tests_in(std::string(word.substr(kFolder.size())));
    if (filter.empty()) {
      std::cerr << "no test is in " << word.substr(kFolder.size()) << '\n';
      return 1;
    }
    const std::string given = GTEST_FLAG_GET(filter);
    GTEST_FLAG_SET(filter, filter + (given.starts_with('-') ? given : ""));
  }
  return RUN_ALL_TESTS();
}
