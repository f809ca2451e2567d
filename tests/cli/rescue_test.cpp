#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <thread>

#include "db/exchange/exchange.hpp"
#include "tests/cli/run_program.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

// A sweep on the host whose database is made unusable after a few trials.
class Rescue : public ::testing::Test {
 protected:
  // How many tried configurations the database holds; 0 while there is none.
  std::size_t tried() const {
    std::error_code none_yet;
    if (const auto size = fs::file_size(file_, none_yet); none_yet || size == 0) return 0;
    const Store store(file_, Store::Mode::read_only);
    std::size_t count = 0;
    for (const SweepRecord& sweep : store.sweeps({}))
      for (const Trial& trial : store.trials(sweep.id))
        if (trial.outcome != Outcome::pruned) ++count;
    return count;
  }

  // Runs the sweep and calls `ruin` in the middle of it.
  template <class Ruin>
  Finished sweep_and(Ruin&& ruin) {
    auto sweep = std::async(std::launch::async, [&] {
      return run_tilewright(home_.path(), sweep_words_, {"TMPDIR=" + elsewhere_.path().string()});
    });
    constexpr std::size_t kBefore = 2;
    const auto is_over = [&] {
      return sweep.wait_for(std::chrono::milliseconds(2)) == std::future_status::ready;
    };
    while (!is_over())
      if (before_ = tried(); before_ >= kBefore) break;
    ruin();
    return sweep.get();
  }

  // The one rescue file in the folder; its sweep.
  Store::Imported rescued(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().filename().string().starts_with("sweeps.db.rescue-"))
        files.push_back(entry.path());
    EXPECT_EQ(files.size(), 1U);
    rescue_ = files.at(0);
    const auto sweeps = import_json(content_of(rescue_), rescue_.string());
    EXPECT_EQ(sweeps.size(), 1U);
    EXPECT_EQ(rescue_.string().find(sweeps.at(0).sweep.uuid.substr(0, 8)), std::string::npos)
        << "whoever can read the database knows the name";
    return sweeps.at(0);
  }

  void expect_one_sentence(const Finished& finished) const {
    EXPECT_EQ(finished.status, 3) << finished.err;
    EXPECT_EQ(finished.out, "");
    for (const std::string& part :
         {std::string("deleted while in use"), file_,
          "`tilewright recover " + rescue_.string() + " --db " + file_ + "`"})
      EXPECT_NE(finished.err.find(part), std::string::npos) << part << " in " << finished.err;
  }

  TemporaryFolder home_;
  TemporaryFolder elsewhere_;
  std::string file_ = home_ / "data/sweeps.db";
  std::size_t before_ = 0;  // tried when it was ruined
  fs::path rescue_;
  const std::vector<std::string> sweep_words_ = {"sweep", "gemm/naive", "M=N=K=32", "--device",
                                                 "host",  "--budget",   "all",      "--jobs",
                                                 "1",     "--db",       file_};
};

TEST_F(Rescue, ASweepWhoseDatabaseIsDeletedGoesOnFromItsSideFile) {
  const Finished stopped = sweep_and([&] { fs::remove(file_); });
  const Store::Imported kept = rescued(fs::path(file_).parent_path());
  expect_one_sentence(stopped);
  EXPECT_EQ(kept.sweep.finished, 0);
  const auto is_tried = [](const Trial& trial) { return trial.outcome != Outcome::pruned; };
  // The one that could not be stored is there too.
  EXPECT_GT(std::count_if(kept.trials.begin(), kept.trials.end(), is_tried),
            static_cast<std::ptrdiff_t>(before_));
  EXPECT_FALSE(fs::exists(file_));

  const Finished recovered =
      run_tilewright(home_.path(), {"recover", rescue_.string(), "--db", file_});
  EXPECT_EQ(recovered.status, 0) << recovered.err;
  EXPECT_EQ(recovered.out, "1 of 1 sweeps are new\n");
  const Finished resumed = run_tilewright(home_.path(), sweep_words_);
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("continuing an interrupted sweep: " +
                             std::to_string(kept.trials.size()) + " trial"),
            std::string::npos)
      << resumed.err;

  const Store store(file_, Store::Mode::read_only);
  const auto sweeps = store.sweeps({});
  ASSERT_EQ(sweeps.size(), 1U);
  EXPECT_EQ(sweeps.at(0).uuid, kept.sweep.uuid);
  EXPECT_GT(sweeps.at(0).finished, 0);
  EXPECT_FALSE(sweeps.at(0).imported);
  auto trials = store.trials(sweeps.at(0).id);
  ASSERT_GT(trials.size(), kept.trials.size());
  trials.resize(kept.trials.size());
  EXPECT_EQ(trials, kept.trials);  // nothing was measured again
  EXPECT_EQ(store.best({}).size(), 1U);
}

TEST_F(Rescue, OnlyRecoverContinuesASideFile) {
  sweep_and([&] { fs::remove(file_); });
  const Store::Imported kept = rescued(fs::path(file_).parent_path());
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--db", file_});
    return run_tilewright(home_.path(), words);
  };
  EXPECT_EQ(run({"import", rescue_.string()}).status, 0);
  const Finished again = run({"recover", rescue_.string()});
  EXPECT_EQ(again.status, 2);
  EXPECT_NE(again.err.find(kept.sweep.uuid), std::string::npos) << again.err;
  EXPECT_EQ(run({"recover"}).status, 2);
  const fs::path damaged = home_ / "damaged.db";
  for (const auto& [content, status] :
       {std::pair(std::string("SQLite format 3\0and nothing else", 32), 3), {"no head", 2}}) {
    write_text(damaged, content);
    const Finished refused = run({"recover", damaged});
    EXPECT_EQ(refused.status, status) << refused.err;
    for (const char* part :
         {"*.rescue-*.json", "repairs no database", "sqlite3 DAMAGED.db .recover"})
      EXPECT_NE(refused.err.find(part), std::string::npos) << refused.err;
  }

  const Finished own = run_tilewright(home_.path(), sweep_words_);
  EXPECT_EQ(own.status, 0) << own.err;
  EXPECT_EQ(own.err.find("continuing an interrupted sweep"), std::string::npos) << own.err;
}

TEST_F(Rescue, WithoutItsFolderTheSideFileGoesToTheTemporaryOne) {
  const Finished stopped = sweep_and([&] { fs::remove_all(fs::path(file_).parent_path()); });
  EXPECT_GT(rescued(elsewhere_.path()).trials.size(), before_);
  expect_one_sentence(stopped);
}

}  // namespace
}  // namespace tilewright::test
