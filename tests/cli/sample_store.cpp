#include "tests/cli/sample_store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "db/tables/sqlite.hpp"
#include "tilewright/statistics.hpp"

namespace tilewright::test {
namespace {

Trial measured(const Configuration& configuration, double median_us, Stage stage) {
  Trial trial;
  trial.implementation = "gemm/naive";
  trial.configuration = configuration;
  trial.outcome = Outcome::measured;
  trial.stage = stage;
  trial.code_hash = "abc";
  trial.resources = Resources{32, 0, 0, 0, 512, 4, 1.0};
  trial.verification = Verification{262144, 262144, 1e-5, 0.1, 1};
  const int rounds = stage == Stage::final ? 6 : 1;
  trial.timing = summarise(std::vector<double>(6, median_us), 3, 1980, rounds);
  return trial;
}

Configuration sample_default() {
  return {{{"BLOCK_X", 16}, {"BLOCK_Y", 16}}};
}

SweepRecord begin_sample(Store& store, const Device& device,
                         const std::optional<int>& power_limit_w = {}) {
  SweepKey key;
  key.operation = "gemm";
  key.problem = sample_problem();
  key.device = device;
  key.implementations = {{"gemm/naive", 1, "", "space", sample_default()}};
  key.strategy = "exhaustive";
  return store.begin_sweep(key, {"580.1", "13.0", "NVRTC 13.0", "0.1.0", power_limit_w},
                           Store::Start::resume);
}

}  // namespace

Device sample_device(const std::string& name) {
  Device device;
  device.name = name;
  device.compute_capability = 90;
  device.sm_count = 132;
  device.l2_bytes = 50 << 20;
  device.shared_bytes_per_block = 232448;
  device.shared_bytes_per_sm = 233472;
  device.registers_per_sm = 65536;
  device.max_threads_per_sm = 2048;
  return device;
}

Problem sample_problem() {
  Problem problem{"gemm", {{"accumulate", "no"}, {"batch", 1}, {"epilogue", "none"}}};
  for (const char* size : {"M", "N", "K", "lda", "ldb", "ldc"}) problem.values[size] = 512;
  for (const char* stride : {"stride_a", "stride_b", "stride_c"})
    problem.values[stride] = 512 * 512;
  for (const char* choice : {"transpose_a", "transpose_b"}) problem.values[choice] = "no";
  return problem;
}

std::string add_sample_sweep(const std::filesystem::path& file, const Device& device) {
  const Configuration default_one = sample_default();
  const Configuration fast{{{"BLOCK_X", 128}, {"BLOCK_Y", 4}}};
  const Configuration other{{{"BLOCK_X", 32}, {"BLOCK_Y", 8}}};
  Store store(file);
  const SweepRecord record = begin_sample(store, device);
  for (const Stage stage : {Stage::screen, Stage::final}) {
    store.add_trial(record.id, measured(default_one, 200, stage));
    store.add_trial(record.id, measured(fast, 100, stage));
    store.add_trial(record.id, measured(other, 150, stage));
  }
  store.finish_sweep(record.id, R"({"outcomes": {"measured": 3}})");
  return record.uuid;
}

void add_limited_sweeps(const std::filesystem::path& file) {
  Store store(file);
  for (const auto& [limit_w, fastest] :
       {std::pair(700, kSampleUnder700), std::pair(400, kSampleUnder400)}) {
    const SweepRecord record = begin_sample(store, sample_device(), limit_w);
    store.add_trial(record.id, measured(sample_default(), 200, Stage::final));
    store.add_trial(record.id, measured(fastest, 100, Stage::final));
    store.finish_sweep(record.id, "{}");
  }
}

void execute(const std::filesystem::path& file, const std::string& sql) {
  Database database(file, Database::Mode::read_write, std::chrono::seconds(30));
  database.trust_schema();
  database.execute(sql);
}

void set_times(const std::filesystem::path& file, const std::string& condition,
               const std::vector<double>& samples_us) {
  const Timing timing = summarise(samples_us, 3, 0, static_cast<int>(samples_us.size()));
  {
    Database database(file, Database::Mode::read_write, std::chrono::seconds(30));
    database.execute(fmt::format(
        "DROP TRIGGER IF EXISTS trial_is_append_only; UPDATE trial SET samples_us = '[{}]', rounds "
        "= {}, median_us = {}, interval_low_us = {}, "
        "interval_high_us = {}, lower_us = {}, upper_us = {}, minimum_us = {} WHERE {}",
        fmt::join(samples_us, ","), timing.rounds, timing.median_us, timing.interval_low_us,
        timing.interval_high_us, timing.lower_us, timing.upper_us, timing.minimum_us, condition));
  }
  Store(file).rebuild_best();
}

std::string add_unfinished_sweep(const std::filesystem::path& file) {
  Store store(file);
  const SweepRecord record = begin_sample(store, sample_device());
  store.note_candidates(record.id, 3);
  store.add_trial(record.id, measured(sample_default(), 200, Stage::screen));
  return record.uuid;
}

}  // namespace tilewright::test
