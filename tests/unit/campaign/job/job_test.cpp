#include "campaign/job/job.hpp"

#include <gtest/gtest.h>

#include "tests/support/memory_files.hpp"
#include "tests/unit/campaign/job/sample_job.hpp"

namespace tilewright::test {
namespace {

using Fate = MemoryFiles::Fate;

TEST(Job, IsMadeAtOnceAndReadBack) {
  MemoryFiles files;
  EXPECT_FALSE(Job::is_at(files, "/jobs/a"));
  Job::create(files, "/jobs/a", sample_plan(3));
  ASSERT_TRUE(Job::is_at(files, "/jobs/a"));
  const Job job(files, "/jobs/a");
  EXPECT_EQ(to_text(job.plan()), to_text(sample_plan(3)));
  EXPECT_EQ(files.names_in("/jobs"), std::vector<std::string>{"a"});
  EXPECT_EQ(files.names_in("/jobs/a/todo").size(), 3U);
  EXPECT_EQ(job.unit(job.plan().units[2].id), &job.plan().units[2]);
  EXPECT_EQ(job.unit("00009-00000000"), nullptr);
}

TEST(Job, AFolderThatIsNotEmptyIsLeftAlone) {
  MemoryFiles files;
  files.files["/jobs/a/notes.txt"] = "mine";
  EXPECT_THROW(Job::create(files, "/jobs/a", sample_plan(1)), InputError);
  EXPECT_EQ(files.files.size(), 1U);
  EXPECT_THROW(Job(files, "/jobs/a"), InputError);
}

TEST(Job, AFullDiskLeavesNoJob) {
  MemoryFiles files;
  files.is_full = true;
  EXPECT_THROW(Job::create(files, "/jobs/a", sample_plan(1)), MachineError);
  EXPECT_FALSE(Job::is_at(files, "/jobs/a"));
}

TEST(Job, ARenameThatIsNotDoneIsAnError) {
  MemoryFiles files;
  files.fate_of_rename = [](const auto&, const auto&) { return Fate::not_done; };
  EXPECT_THROW(Job::create(files, "/jobs/a", sample_plan(1)), MachineError);
}

TEST(Job, KnowsWhoHasAUnit) {
  MemoryFiles files;
  Job::create(files, "/jobs/a", sample_plan(2));
  const Job job(files, "/jobs/a");
  const std::string unit = job.plan().units[1].id;
  files.rename("/jobs/a/todo/" + unit, "/jobs/a/taken/" + unit + '.' + id_of(5));
  files.files["/jobs/a/taken/notes"] = files.files["/jobs/a/taken/99999-00000000." + id_of(5)] = "";
  files.files["/jobs/a/alive/" + id_of(5)] = "process 12 on node3\n1\n";
  EXPECT_EQ(job.members_of("taken"), (std::map<std::string, std::string>{{unit, id_of(5)}}));
  EXPECT_TRUE(job.members_of("done").empty());
  EXPECT_EQ(job.name_of(id_of(5)), "process 12 on node3");
  EXPECT_EQ(job.name_of(id_of(6)), "a process that has left");
  EXPECT_EQ(job.result_of(unit, id_of(5)), "/jobs/a/results/" + unit + '.' + id_of(5) + ".json");
}

TEST(Job, TheFirstProposedDeviceCountsForAll) {
  MemoryFiles files;
  Job::create(files, "/jobs/a", sample_plan(1));
  Job job(files, "/jobs/a");
  EXPECT_EQ(job.agree_on_device(id_of(1), "H200"), "H200");
  EXPECT_EQ(job.agree_on_device(id_of(2), "A100"), "H200");
  EXPECT_EQ(job.agree_on_device(id_of(1), "A100"), "H200");
}

// Another member is faster by one operation of the file system, whichever it is.
TEST(Job, MembersThatProposeTogetherAgree) {
  for (int at = 0; at < 6; ++at) {
    MemoryFiles files;
    Job::create(files, "/jobs/a", sample_plan(1));
    Job first(files, "/jobs/a");
    Job second(files, "/jobs/a");
    int operations = 0;
    std::string other;
    files.before = [&](const std::string&, const std::string&) {
      if (operations++ != at) return;
      files.before = {};
      other = second.agree_on_device(id_of(2), "A100");
    };
    const std::string one = first.agree_on_device(id_of(1), "H200");
    files.before = {};
    if (other.empty()) other = second.agree_on_device(id_of(2), "A100");
    EXPECT_EQ(one, other) << "before operation " << at;
  }
}

}  // namespace
}  // namespace tilewright::test
