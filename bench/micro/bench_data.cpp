#include "bench/micro/bench_data.hpp"

#include <stdlib.h>

#include <stdexcept>

#include "db/tables/sqlite.hpp"
#include "definition/problem.hpp"
#include "tilewright/statistics.hpp"

namespace tilewright::bench {

namespace fs = std::filesystem;

namespace {

const Implementation& tiled() {
  return templates().family("gemm").implementation("tiled");
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "tilewright-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path template_folder() {
  return TILEWRIGHT_KERNEL_TEMPLATES;
}

fs::path space_folder() {
  return TILEWRIGHT_BENCH_SPACES;
}

const Library& templates() {
  static const Library library = Library::load({template_folder()});
  return library;
}

Device device() {
  Device device;
  device.name = "NVIDIA H200";
  device.compute_capability = 90;
  device.sm_count = 132;
  device.l2_bytes = 62914560;
  device.shared_bytes_per_block = 232448;
  device.shared_bytes_per_sm = 233472;
  device.reserved_shared_bytes = 1024;
  device.registers_per_block = 65536;
  device.registers_per_sm = 65536;
  device.max_threads_per_sm = 2048;
  device.max_blocks_per_sm = 32;
  return device;
}

Problem square(std::int64_t size) {
  const Settings sizes = {{"M", size}, {"N", size}, {"K", size}};
  return make_problem(templates().family("gemm").operation, sizes, device());
}

SweepKey sweep_of(std::int64_t size) {
  SweepKey key;
  key.operation = "gemm";
  key.problem = square(size);
  key.device = device();
  key.implementations = {{"gemm/tiled", 1, "source", "space", default_configuration(tiled())}};
  key.strategy = "random";
  return key;
}

Trial trial(std::int64_t index) {
  Trial trial;
  trial.implementation = "gemm/tiled";
  trial.configuration = default_configuration(tiled());
  // Trial 0 is the default. Trial 1 is legal and the fastest, so that look-ups find it.
  if (index == 1) trial.configuration.values["UNROLL"] = 4;
  if (index > 1) trial.configuration.values["TILE_WIDTH"] = 1000 + index;
  trial.outcome = Outcome::measured;
  trial.code_hash = "0123456789abcdef0123456789abcdef";
  trial.compile_ms = 250;
  trial.resources = Resources{64, 8192, 0, 0, 256, 4, 0.5};
  trial.verification = Verification{1 << 20, 1 << 24, 1e-6, 0.25, 1};
  const double us = index == 1 ? 90.0 : 100.0 + 10.0 * static_cast<double>(index);
  trial.timing = summarise(std::vector<double>(20, us), 20, 1980);
  return trial;
}

void fill(Store& store, std::int64_t first, int sweeps, int trials_each) {
  for (int i = 1; i <= sweeps; ++i) {
    const SweepRecord sweep = store.begin_sweep(sweep_of(first * i), {}, Store::Start::fresh);
    std::vector<Trial> trials;
    for (int j = 0; j < trials_each; ++j) trials.push_back(trial(j));
    store.add_trials(sweep.id, trials);
    store.finish_sweep(sweep.id, "{}");
  }
}

void fill_in_bulk(const fs::path& file, int sweeps, int trials_each) {
  Store store(file);
  fill(store, 16, 1, trials_each);
  {
    Database database(file, Database::Mode::read_write, std::chrono::seconds(30));
    database.execute("CREATE TEMP TABLE sample AS SELECT * FROM trial");
    Transaction transaction(database);
    for (std::int64_t i = 2; i <= sweeps; ++i) {
      Statement(database, "INSERT INTO problem (operation, settings) VALUES ('gemm', ?)",
                {canonical_json(square(16 * i).values)})
          .run();
      const std::int64_t problem = database.last_insert_id();
      Statement(database,
                "INSERT INTO sweep SELECT NULL, uuid || ?1, request_hash || ?1, operation, ?2, "
                "device, policy, environment, filter, strategy, budget, seed, started, finished, "
                "rigour, origin, report, store FROM sweep WHERE id = 1",
                {i, problem})
          .run();
      const std::int64_t sweep = database.last_insert_id();
      Statement(database,
                "INSERT INTO sweep_implementation SELECT ?, position, implementation, source_hash, "
                "space_hash, default_configuration FROM sweep_implementation WHERE sweep = 1",
                {sweep})
          .run();
      Statement(database, "UPDATE sample SET id = NULL, sweep = ?", {sweep}).run();
      database.execute("INSERT INTO trial SELECT * FROM sample");
    }
    transaction.commit();
  }
  store.rebuild_best();
}

}  // namespace tilewright::bench
