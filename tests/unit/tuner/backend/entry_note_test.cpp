#include "tuner/backend/entry_note.hpp"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(EntryNote, IsFoundAgainInALog) {
  const std::string log = "warning: k\n" + missing_note("k", {"other", "more(float*)"}) +
                          ambiguous_note("run", {"run(int*)", "run(float*)"}) + "ptxas info\n";
  EXPECT_EQ(entry_note(log, "k"), "no kernel has the name 'k'; there is other, more(float*)");
  EXPECT_EQ(entry_note(log, "run"),
            "no kernel is the only one with the name 'run': there are run(int*) and run(float*); "
            "give each kernel a name of its own");
  EXPECT_EQ(entry_note(log, "ru"), "");
  EXPECT_EQ(entry_note("", "k"), "");
}

TEST(EntryNote, SaysThatThereIsNoKernelAtAll) {
  EXPECT_EQ(missing_note("k<4>", {}), "note: no kernel has the name 'k<4>'\n");
}

TEST(EntryNote, SaysHowATemplateIsNamedWhereThereIsNoKernel) {
  EXPECT_EQ(
      missing_note("k", {}),
      "note: no kernel has the name 'k'; if it is a template, write entry = \"k<…>\" with its "
      "arguments\n");
}

}  // namespace
}  // namespace tilewright
