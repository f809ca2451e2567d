// All unit tests. --folder=tests/unit/db runs those whose files lie in or below that folder, and
// --but=tests/unit/db/header leaves out a folder below it. --gtest_filter then only excludes.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

// As a filter: the tests in and below the folder, but not those in and below the others.
std::string tests_in(const std::string& folder, const std::vector<std::string>& others) {
  const auto is_in = [](std::string_view file, const std::string& one) {
    return file.find('/' + one + '/') != std::string_view::npos;
  };
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  std::string filter;
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *program.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      bool counts = is_in(test.file(), folder);
      for (const std::string& other : others) counts = counts && !is_in(test.file(), other);
      if (counts) filter += std::string(suite.name()) + '.' + test.name() + ':';
    }
  }
  return filter;
}

}  // namespace

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  std::string folder;
  std::vector<std::string> others;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    const std::string value = word.substr(word.find('=') + 1);
    if (word.starts_with("--folder=")) folder = value;
    if (word.starts_with("--but=")) others.push_back(value);
  }
  if (folder.empty()) return RUN_ALL_TESTS();
  const std::string filter = tests_in(folder, others);
  if (filter.empty()) std::cerr << "no test is in " << folder << '\n';
  const std::string given = GTEST_FLAG_GET(filter);
  GTEST_FLAG_SET(filter, filter + (given.starts_with('-') ? given : ""));
  return filter.empty() ? 1 : RUN_ALL_TESTS();
}
