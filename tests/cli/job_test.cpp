// `job create`, `job run` and `job merge` on the host device.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "db/store/store.hpp"
#include "tests/cli/copy_kernel.hpp"
#include "tests/cli/run_program.hpp"
#include "tilewright/error.hpp"

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

class JobOnHost : public ::testing::Test {
 protected:
  Finished plan(const std::string& lines,
                std::vector<std::string> words = {"gemm/naive", "N=K=16", "--budget", "2"}) {
    write_text(shared_ / "shapes.txt", lines);
    words.insert(words.begin(), {"job", "create", job()});
    words.insert(words.end(), {"--shapes", (shared_ / "shapes.txt").string()});
    return run_tilewright(home_.path(), words);
  }
  Finished sweep(const std::vector<std::string>& more = {},
                 const std::vector<std::string>& environment = {},
                 const Condition& interrupt_when = {}) {
    std::vector<std::string> words = {
        "job", "run", job(), "--device", "host", "--local", (home_ / "local").string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_tilewright(home_.path(), words, environment, interrupt_when);
  }
  Finished merge() {
    return run_tilewright(home_.path(), {"job", "merge", job(), "--into", best().string()});
  }
  std::string job() const { return (shared_ / "job").string(); }
  fs::path best() const { return shared_ / "best.db"; }
  std::vector<fs::path> files_in(const std::string& part) const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(fs::path(job()) / part))
      files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
  }

  TemporaryFolder shared_;
  TemporaryFolder home_;
};

TEST_F(JobOnHost, GathersEachProblemOnceAndNamesWhatIsMissing) {
  const Finished planned = plan("M=16\nM=32 # the longest\nM=16\nM=24\n");
  ASSERT_EQ(planned.status, 0) << planned.err;
  EXPECT_NE(planned.out.find("3 problems planned"), std::string::npos) << planned.out;
  const Finished none = merge();
  EXPECT_EQ(none.status, 1) << none.err;
  EXPECT_NE(none.out.find("0 of 3 problems finished; 0 of 0 sweeps are new\n"
                          "missing: gemm M=32 N=K=16: not begun\n"
                          "missing: gemm M=24 N=K=16: not begun\n"),
            std::string::npos)
      << none.out;

  const Finished swept = sweep();
  ASSERT_EQ(swept.status, 0) << swept.err;
  EXPECT_NE(swept.out.find("3 problems finished here; of 3 in the job, 3 are finished"),
            std::string::npos)
      << swept.out;
  EXPECT_FALSE(fs::exists(home_ / "local"));
  EXPECT_TRUE(files_in("alive").empty());
  const Finished merged = merge();
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_TRUE(merged.out.starts_with("3 of 3 problems finished; 3 of 3 sweeps are new\n"))
      << merged.out;
  EXPECT_NE(merged.out.find(" taken from the cache\n"), std::string::npos) << merged.out;
  EXPECT_TRUE(merge().out.starts_with("3 of 3 problems finished; 0 of 3 sweeps are new\n"));
  const Store store(best(), Store::Mode::read_only);
  const auto plan_id =
      nlohmann::json::parse(content_of(fs::path(job()) / "plan.json")).at("id").get<std::string>();
  const std::vector<SweepRecord> sweeps = store.sweeps({});
  ASSERT_EQ(sweeps.size(), 3U);
  for (const SweepRecord& record : sweeps) {
    EXPECT_FALSE(record.imported);
    EXPECT_EQ(record.store, plan_id);
    EXPECT_GT(record.finished, 0);
  }
  EXPECT_EQ(store.best({}).size(), 3U);
  // The answer counts as our own: the same sweep is on record.
  const Finished again =
      run_tilewright(home_.path(), {"sweep", "gemm/naive", "M=16", "N=K=16", "--budget", "2",
                                    "--device", "host", "--db", best().string()});
  EXPECT_NE(again.err.find("already finished"), std::string::npos) << again.err;
}

TEST_F(JobOnHost, MergesIntoADatabaseThatHasOtherSweeps) {
  const std::vector<std::string> other = {"sweep", "gemm/naive", "M=8",  "N=K=16", "--budget",
                                          "1",     "--device",   "host", "--db",   best().string()};
  ASSERT_EQ(run_tilewright(home_.path(), other).status, 0);
  ASSERT_EQ(plan("M=16\n").status, 0);
  ASSERT_EQ(sweep().status, 0);
  EXPECT_EQ(merge().status, 0);
  const Store store(best(), Store::Mode::read_only);
  for (const SweepRecord& record : store.sweeps({})) EXPECT_FALSE(record.imported);
  EXPECT_EQ(store.best({}).size(), 2U);
}

TEST_F(JobOnHost, ADamagedResultKeepsNoOtherOut) {
  ASSERT_EQ(plan("M=16\nM=24\nM=32\n").status, 0);
  ASSERT_EQ(sweep().status, 0);
  const std::vector<fs::path> results = files_in("results");
  ASSERT_EQ(results.size(), 3U);
  const std::string whole = content_of(results[1]);
  const auto plan_id =
      nlohmann::json::parse(content_of(fs::path(job()) / "plan.json")).at("id").get<std::string>();
  std::string other_job = whole;
  ASSERT_NE(whole.find(plan_id), std::string::npos);
  other_job.replace(whole.find(plan_id), plan_id.size(), std::string(plan_id.size(), 'b'));
  for (const std::string& damaged : {whole.substr(0, whole.size() / 2), other_job}) {
    write_text(results[1], damaged);
    fs::remove(best());
    const Finished merged = merge();
    EXPECT_EQ(merged.status, 1) << merged.err;
    EXPECT_TRUE(merged.out.starts_with("2 of 3 problems finished; 2 of ")) << merged.out;
    EXPECT_NE(merged.out.find("missing: gemm M="), std::string::npos) << merged.out;
    EXPECT_EQ(Store(best(), Store::Mode::read_only).sweeps({}).size(), 2U);
  }
  write_text(results[1], whole);
  EXPECT_EQ(merge().status, 0);
  EXPECT_EQ(Store(best(), Store::Mode::read_only).sweeps({}).size(), 3U);
}

// Without a GPU, as on a login node: the next plan finds all of it in the cache.
TEST_F(JobOnHost, IsCompiledBeforeItBegins) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  give_own_cache(home_);
  write_text(shared_ / "shapes.txt", "M=16\nM=32\n");
  const auto compiled = [&](const std::string& name) {
    const Finished planned = run_tilewright(
        home_.path(), {"job", "create", (shared_ / name).string(), "gemm/naive", "N=K=16",
                       "--budget", "4", "--shapes", (shared_ / "shapes.txt").string(), "--compile",
                       "4", "--arch", "sm_90", "--json"});
    EXPECT_EQ(planned.status, 0) << planned.err;
    return nlohmann::json::parse(planned.out);
  };
  const nlohmann::json first = compiled("a").at("compile");
  EXPECT_GE(first.at("compiled"), 4);
  EXPECT_EQ(first.at("failed"), 0);
  const nlohmann::json second = compiled("b").at("compile");
  EXPECT_EQ(second.at("compiled"), 0);
  EXPECT_EQ(second.at("from_cache"),
            first.at("compiled").get<int>() + first.at("from_cache").get<int>());
}

TEST_F(JobOnHost, AProblemWithoutALegalConfigurationIsFinished) {
  ASSERT_EQ(plan("M=16\n", {"gemm/naive", "N=K=16", "--where", "BLOCK_X > 100000"}).status, 0);
  const Finished swept = sweep();
  EXPECT_EQ(swept.status, 1) << swept.err;
  const Finished merged = merge();
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_NE(merged.out.find("1 of 1 problem finished; 0 of 0 sweeps are new\n"
                            "1 problem without a legal configuration\n"),
            std::string::npos)
      << merged.out;
}

TEST_F(JobOnHost, AnInterruptGivesTheProblemBackWithItsTrials) {
  ASSERT_EQ(plan("M=64\n", {"gemm/tiled", "N=K=64", "--budget", "16"}).status, 0);
  const fs::path local = home_ / "local" / "0.db";
  const auto has_trials = [&] {
    try {
      const Store store(local, Store::Mode::read_only);
      const auto sweeps = store.sweeps({});
      return !sweeps.empty() &&
             std::ranges::any_of(store.trials(sweeps[0].id),
                                 [](const Trial& one) { return one.outcome == Outcome::measured; });
    } catch (const MachineError&) {
      return false;
    }
  };
  const Finished interrupted = sweep({"--jobs", "1"}, {}, has_trials);
  ASSERT_EQ(interrupted.status, 130) << interrupted.err;
  EXPECT_EQ(files_in("todo").size(), 1U);
  EXPECT_TRUE(files_in("taken").empty());
  EXPECT_FALSE(fs::exists(home_ / "local"));
  ASSERT_EQ(files_in("kept").size(), 1U);
  const auto kept = nlohmann::json::parse(content_of(files_in("kept")[0])).at("sweeps").at(0);
  EXPECT_EQ(kept.at("finished"), 0);

  const TemporaryFolder elsewhere;
  const Finished gone_on =
      run_tilewright(elsewhere.path(), {"job", "run", job(), "--device", "host"});
  ASSERT_EQ(gone_on.status, 0) << gone_on.err;
  EXPECT_NE(gone_on.err.find(
                fmt::format("continuing an interrupted sweep: {} trial", kept.at("trials").size())),
            std::string::npos)
      << gone_on.err;
  const auto done = nlohmann::json::parse(content_of(files_in("results")[0])).at("sweeps").at(0);
  EXPECT_EQ(done.at("uuid"), kept.at("uuid"));
}

TEST_F(JobOnHost, EndsAMinuteBeforeItsSlurmJob) {
  ASSERT_EQ(plan("M=16\n").status, 0);
  const std::int64_t now = seconds_since_1970();
  const auto end_at = [](std::int64_t moment) {
    return std::vector<std::string>{"SLURM_JOB_END_TIME=" + std::to_string(moment)};
  };
  const Finished late = sweep({}, end_at(now + 50));
  EXPECT_EQ(late.status, 130) << late.err;
  EXPECT_EQ(files_in("todo").size(), 1U);
  EXPECT_EQ(sweep({}, end_at(now + 86'400)).status, 0);
  EXPECT_EQ(files_in("done").size(), 1U);
}

// With stand-ins for Slurm's programs.
TEST_F(JobOnHost, TheScriptForSlurmAsksToRunAgainAsLongAsProblemsAreLeft) {
  ASSERT_EQ(plan("M=16\n").status, 0);
  const TemporaryFolder slurm;
  write_text(slurm / "srun", "#!/bin/sh\nexec \"$@\"\n");
  write_text(slurm / "scontrol", "#!/bin/sh\necho scontrol \"$@\"\n");
  for (const char* name : {"srun", "scontrol"}) fs::permissions(slurm / name, fs::perms::owner_all);
  const auto script = [&](int seconds_left) {
    return run_tilewright_within(
        home_.path(),
        {"bash", "-c",
         fmt::format("export PATH={}:$(dirname \"$0\"):$PATH SLURM_JOB_ID=9 SLURM_ARRAY_JOB_ID=7 "
                     "SLURM_ARRAY_TASK_ID=3 SLURM_JOB_END_TIME=$(($(date +%s) + {}))\n"
                     "exec bash {}/tools/fleet/tilewright.sbatch \"$@\"",
                     slurm.path().string(), seconds_left, TILEWRIGHT_SOURCE_DIR)},
        {job(), "--device", "host", "--quiet"});
  };
  const Finished stopped = script(50);
  EXPECT_EQ(stopped.status, 130) << stopped.err;
  EXPECT_NE(stopped.out.find("scontrol requeue 7_3\n"), std::string::npos) << stopped.out;
  EXPECT_EQ(script(86'400).status, 0);
  const Finished over = script(50);
  EXPECT_EQ(over.status, 130) << over.err;
  EXPECT_EQ(over.out.find("scontrol"), std::string::npos) << over.out;
}

TEST_F(JobOnHost, LeavesWhatAnotherMeasures) {
  ASSERT_EQ(plan("M=16\nM=24\n", {"gemm/naive", "N=K=16", "--budget", "2", "--lease", "1s"}).status,
            0);
  // A process that died a while ago took the first.
  const fs::path unit = files_in("todo")[0];
  const std::string dead(32, 'a');
  fs::rename(unit, fs::path(job()) / "taken" / (unit.filename().string() + '.' + dead));
  write_text(fs::path(job()) / "alive" / dead, "process 1 on node9\n1\n");
  const Finished merged = merge();
  EXPECT_NE(merged.out.find("missing: gemm M=24 N=K=16: taken by process 1 on node9\n"),
            std::string::npos)
      << merged.out;
  ASSERT_EQ(sweep().status, 0);
  EXPECT_EQ(files_in("done").size(), 2U);
}

TEST_F(JobOnHost, HasTheProblemsThatWereTunedElsewhere) {
  ASSERT_EQ(run_tilewright(home_.path(), {"sweep", "gemm/naive", "--shapes", "M=16,24 N=K=16",
                                          "--device", "host", "--budget", "2"})
                .status,
            0);
  const Finished planned = run_tilewright(
      home_.path(), {"job", "create", job(), "gemm", "--like", database_in(home_.path()).string()});
  ASSERT_EQ(planned.status, 0) << planned.err;
  EXPECT_NE(planned.out.find("2 problems planned"), std::string::npos) << planned.out;
  EXPECT_NE(merge().out.find("missing: gemm M=24 N=K=16: not begun"), std::string::npos);
}

class BadInputJob : public JobOnHost {
 protected:
  static void expect_refused(const Finished& finished, const std::string& part) {
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_NE(finished.err.find(part), std::string::npos) << finished.err;
  }
};

TEST_F(BadInputJob, AWrongPlanMakesNoFolder) {
  expect_refused(plan("M=16\nM=16 L=4\n"), "shapes.txt:2: gemm: no dimension or choice 'L'");
  expect_refused(plan("M=16\n", {"gemm/naive", "--strategy", "best"}), "--strategy 'best'");
  expect_refused(plan("# none\n"), "shapes.txt has no problem");
  expect_refused(plan("M=16\n", {"gemm/naive", "N=K=16", "--compile", "0"}), "--compile '0'");
  expect_refused(run_tilewright(home_.path(), {"job", "create", job(), "gemm", "M=16"}),
                 "job create needs the problems of the job: --shapes or --like");
  EXPECT_FALSE(fs::exists(job()));
}

TEST_F(BadInputJob, AFolderThatIsInUse) {
  ASSERT_EQ(plan("M=16\n").status, 0);
  expect_refused(plan("M=16\n"), "exists and is not empty; a job needs a folder of its own");
  expect_refused(run_tilewright(home_.path(), {"job", "run", shared_.path().string()}),
                 "is not the folder of a job");
}

TEST_F(BadInputJob, WhatThePlanDecidesCannotBeGivenAgain) {
  ASSERT_EQ(plan("M=16\n").status, 0);
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"--budget", "5"}, {"--fresh"}, {"--db", "x.db"}})
    expect_refused(sweep(option), "unknown option '" + option.front() + "'");
  expect_refused(sweep({"gemm"}), "'gemm': the job's plan names what is swept");
  expect_refused(run_tilewright(home_.path(), {"merge", job(), "--into", best().string()}),
                 "`tilewright job merge` gathers its sweeps");
  EXPECT_EQ(files_in("todo").size(), 1U);
}

TEST_F(BadInputJob, AKernelThatHasChangedIsNamed) {
  const fs::path manifest = write_copy_kernel(shared_.path());
  ASSERT_EQ(plan("n=64\n", {manifest.string(), "--budget", "1"}).status, 0);
  const fs::path source = fs::path(manifest).replace_extension(".cu");
  const std::string text = content_of(source);
  write_text(source, text + "// another\n");
  expect_refused(sweep(), "copy/plain has changed since the job was planned (its source)");
  EXPECT_EQ(files_in("todo").size(), 1U);
  write_text(source, text);
  EXPECT_EQ(sweep().status, 0);
  EXPECT_EQ(merge().status, 0);
}

TEST_F(BadInputJob, AnotherKindOfDeviceNeedsAJobOfItsOwn) {
  ASSERT_EQ(plan("M=16\n").status, 0);
  ASSERT_EQ(sweep().status, 0);  // it agrees on this device
  fs::path proposal;
  for (const fs::path& file : files_in("device"))
    if (!file.filename().string().starts_with("chosen.")) proposal = file;
  auto device = nlohmann::json::parse(content_of(proposal));
  device["name"] = "Another CPU";
  write_text(proposal, device.dump());
  expect_refused(sweep(), "this job is measured on Another CPU");
}

TEST_F(BadInputJob, AResultThatIsNotOfTheJobIsRefused) {
  ASSERT_EQ(plan("M=16\n").status, 0);
  ASSERT_EQ(sweep().status, 0);
  const fs::path file = files_in("results")[0];
  const std::string text = content_of(file);
  const auto plan_id =
      nlohmann::json::parse(content_of(fs::path(job()) / "plan.json")).at("id").get<std::string>();
  for (const auto& [part, other, why] :
       std::vector<std::array<std::string, 3>>{{plan_id, std::string(32, 'b'), "not for the job"},
                                               {"\"M\": 16", "\"M\": 17", "problem"},
                                               {"\"epoch\": 1", "\"epoch\": 9", "than was planned"},
                                               {"\"sweeps\"", "\"swept\"", "sweeps"}}) {
    std::string edited = text;
    ASSERT_NE(edited.find(part), std::string::npos) << part;
    write_text(file, edited.replace(edited.find(part), part.size(), other));
    const Finished merged = merge();
    EXPECT_EQ(merged.status, 1) << merged.out;
    EXPECT_NE(merged.out.find("missing: gemm M=N=K=16: finished, but "), std::string::npos)
        << merged.out;
    EXPECT_NE(merged.out.find(why), std::string::npos) << merged.out;
    EXPECT_TRUE(Store(best(), Store::Mode::read_only).sweeps({}).empty());
  }
  fs::remove(file);
  const Finished merged = merge();
  EXPECT_EQ(merged.status, 1);
  EXPECT_NE(merged.out.find("missing: gemm M=N=K=16: finished, but "), std::string::npos)
      << merged.out;
}

}  // namespace
}  // namespace tilewright::test
