#include "tests/unit/db/header/sample.hpp"

#include <random>

#include "db/ladder/ladder.hpp"
#include "definition/general.hpp"
#include "definition/library/hook.hpp"
#include "definition/problem.hpp"
#include "tests/support/folder_of_files.hpp"
#include "tests/support/h200.hpp"
#include "tilewright/error.hpp"

namespace tilewright::test {
namespace {

using Number = std::int64_t;

Device gpu(const std::string& name, int capability, int sm_count, Number l2_bytes) {
  Device device = h200();
  device.name = name;
  device.compute_capability = capability;
  device.sm_count = sm_count;
  device.l2_bytes = l2_bytes;
  return device;
}

// The general configuration that takes the fewest expected cycles, or the default.
Configuration best_general(const Implementation& one, const Problem& problem,
                           const Device& device) {
  GeneralConfigurations::Judge judge(*one.prepared_general, problem, device);
  Configuration best = default_configuration(one);
  double least = no_cost;
  for (std::size_t i = 0; i < judge.count(); ++i) {
    const double cycles = judge.cycles(i);
    if (cycles >= least || !judge.fits(i)) continue;
    least = cycles;
    best = judge.configuration(i).value();
  }
  return best;
}

// A configuration of the parameters' own values that fits, drawn at random; else the default, and
// on one device always, so that there others do no better. One of three is as good as an unmeasured
// one, so that a neighbour of it has an answer.
Configuration drawn(const Implementation& one, const Problem& problem, const Device& device,
                    std::mt19937& random) {
  const Configuration usual = default_configuration(one);
  if (device.compute_capability == 80 && fits(one, usual, problem, device)) return usual;
  if (random() % 3 == 0) return best_general(one, problem, device);
  for (int attempt = 0; attempt < 200; ++attempt) {
    Configuration configuration;
    for (const Parameter& parameter : one.parameters)
      configuration.values[parameter.name] =
          parameter.values[std::uniform_int_distribution<std::size_t>(
              0, parameter.values.size() - 1)(random)];
    if (fits(one, configuration, problem, device)) return configuration;
  }
  return usual;
}

std::vector<Settings> problems_of(const std::string& operation) {
  if (operation == "conv1d")
    return {{{"length", 1 << 20}, {"taps", 9}},
            {{"length", 1 << 22}, {"taps", 33}},
            {{"length", 5000}, {"taps", 5}, {"boundary", "wrap"}}};
  if (operation == "conv2d")
    return {{{"width", 512}, {"height", 512}, {"filter_width", 5}},
            {{"width", 4096}, {"height", 4096}, {"filter_width", 4}}};
  return {{{"M", 512}, {"N", 512}, {"K", 512}},
          {{"M", 1024}, {"N", 512}, {"K", 512}},
          {{"M", 512}, {"N", 1024}, {"K", 512}},
          {{"M", 4096}, {"N", 4096}, {"K", 4096}},
          {{"M", 513}, {"N", 511}, {"K", 77}},
          {{"M", 8}, {"N", 4096}, {"K", 4096}},
          {{"M", 256}, {"N", 256}, {"K", 256}, {"batch", 64}},
          {{"M", 512}, {"N", 512}, {"K", 512}, {"transpose_b", "yes"}},
          {{"M", 512}, {"N", 512}, {"K", 512}, {"epilogue", "bias_gelu"}}};
}

BestRow row_of(const Implementation& one, const Problem& problem, const Device& device,
               std::mt19937& random) {
  BestRow row;
  row.implementation = one.full_name();
  row.epoch = one.epoch;
  row.configuration = drawn(one, problem, device, random);
  row.problem = problem;
  row.device = device;
  row.policy.cache = static_cast<CachePolicy>(random() % 3);
  row.trial.implementation = row.implementation;
  row.trial.configuration = row.configuration;
  row.trial.outcome = Outcome::measured;
  row.trial.stage = Stage::final;
  const double us = 10 + static_cast<double>(random() % 10000) / 16;
  row.trial.timing = Timing{{us}, us, us, us, us, us, us, 1, 1, 0};
  if (row.policy.cache == CachePolicy::robust) row.trial.warm_timing = row.trial.timing;
  row.shipped = random() % 4 == 0;
  if (random() % 4 != 0) row.trial.verification = Verification{1, 1, 0, 0, 1};
  return row;
}

}  // namespace

std::vector<Device> sample_gpus() {
  return {gpu("NVIDIA Test 9000", 90, 132, 60 << 20),
          gpu("NVIDIA Test 9000 small", 90, 66, 30 << 20),
          gpu("NVIDIA Test 8000", 80, 108, 40 << 20)};
}

const Library& definitions() {
  static const Library library =
      Library::load({TILEWRIGHT_SOURCE_DIR "/kernel_templates"}, {}, Libraries::off);
  return library;
}

// A small problem that no other row is of, with what is expected to be the fastest for it on any
// number of multiprocessors: devices near this row's are served by it.
BestRow row_of_one_device(std::mt19937& random) {
  const Family& family = definitions().family("gemm");
  LadderQuestion question;
  question.operation = &family.operation;
  for (const Implementation& one : family.implementations) question.implementations.push_back(&one);
  question.device = sample_gpus().front();
  question.problem =
      make_problem(family.operation, Settings{{"M", 96}, {"N", 96}, {"K", 96}}, *question.device);
  const LadderAnswer fastest = DefaultAnswer(question).get().value();
  BestRow row = row_of(*fastest.implementation, question.problem, *question.device, random);
  row.configuration = row.trial.configuration = fastest.configuration;
  return row;
}

std::vector<BestRow> sample_rows() {
  std::mt19937 random(20260131);
  std::vector<BestRow> rows;
  for (const char* operation : {"conv1d", "conv2d", "gemm"})
    for (Settings problem : problems_of(operation)) {
      const bool is_first = problem == problems_of(operation).front();
      const Family family =
          with_snippets(definitions().family(operation), problem, definitions().snippets());
      for (const Device& device : sample_gpus())
        for (const Implementation& one : family.implementations) {
          const Problem whole = make_problem(family.operation, problem, device);
          // What is for other types has no rows.
          if (GeneralConfigurations::Judge(*one.prepared_general, whole, device).count() == 0)
            continue;
          const bool is_left_out = random() % 3 == 0;
          // The first problem always has an answer on the first device.
          if (is_left_out && !(is_first && device.sm_count == 132)) continue;
          rows.push_back(row_of(one, whole, device, random));
        }
    }
  rows.push_back(row_of_one_device(random));
  rows[3].epoch = 99;                              // of another definition
  rows[5].configuration.values["UNROLL"] = 12345;  // no longer a value
  rows[5].trial.configuration = rows[5].configuration;
  return rows;
}

void fill(Store& store, const std::vector<BestRow>& rows) {
  std::size_t count = 0;
  for (const BestRow& row : rows) {
    const std::string name = row.implementation.substr(row.implementation.find('/') + 1);
    const Configuration usual =
        default_configuration(definitions().family(row.problem.operation).implementation(name));
    SweepKey key;
    key.operation = row.problem.operation;
    key.problem = row.problem;
    key.device = row.device;
    key.policy = row.policy;
    key.implementations = {{row.implementation, row.epoch, "", "", usual}};
    key.strategy = "made up";
    const SweepRecord sweep = store.begin_sweep(key, {}, Store::Start::fresh);
    std::vector<Trial> trials = {row.trial};
    if (++count % 2 == 0 && usual != row.configuration) {
      Trial& slower = trials.emplace_back(row.trial);
      slower.configuration = usual;
      slower.timing->median_us *= 1 + static_cast<double>(1 + count % 7) / 4;
    }
    store.add_trials(sweep.id, trials);
    store.finish_sweep(sweep.id, "{}");
  }
}

void fill_with_wrong(Store& store, std::vector<BestRow> rows) {
  std::erase_if(rows, [](const BestRow& row) { return row.shipped; });
  fill(store, rows);
  const auto add = [&store](const BestRow& row, const Problem& problem, const Device& device) {
    SweepKey key;
    key.operation = problem.operation;
    key.problem = problem;
    key.device = device;
    key.policy = row.policy;
    key.implementations = {{row.implementation, row.epoch, "", "", row.configuration}};
    const SweepRecord sweep = store.begin_sweep(key, {}, Store::Start::fresh);
    Trial wrong = row.trial;
    wrong.outcome = Outcome::wrong_answer;
    wrong.timing.reset();
    wrong.warm_timing.reset();
    store.add_trial(sweep.id, wrong);
  };
  for (std::size_t i = 0; i + 7 < rows.size(); i += 5) {
    const BestRow& other = rows[i + 7];
    add(rows[i], rows[i].problem, rows[i].device);
    if (other.problem.operation == rows[i].problem.operation)
      add(rows[i], other.problem, other.device);
  }
}

std::vector<PortableRow> sample_portable(const std::vector<BestRow>& rows) {
  const FolderOfFiles folder;
  Store store(folder.path() / "portable.db");
  std::vector<BestRow> own = rows;
  std::erase_if(own, [](const BestRow& row) { return row.shipped; });
  fill(store, own);
  std::vector<PortableRow> portable;
  for (const char* operation : {"conv1d", "conv2d", "gemm"})
    for (PortableRow& row : store.portable(operation, DeviceKind::cuda))
      portable.push_back(std::move(row));
  return portable;
}

std::vector<HeaderPart> parts_for(const std::vector<BestRow>& rows,
                                  const std::vector<PortableRow>& portable) {
  std::vector<HeaderPart> parts;
  for (const char* operation : {"conv1d", "conv2d", "gemm"}) {
    HeaderPart part{definitions().family(operation), definitions().snippets(), {}, {}};
    for (const BestRow& row : rows)
      if (row.problem.operation == operation) part.rows.push_back(row);
    for (const PortableRow& row : portable)
      if (row.implementation.starts_with(std::string(operation) + '/'))
        part.portable.push_back(row);
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<HeaderPart> sample_parts() {
  const std::vector<BestRow> rows = sample_rows();
  std::vector<HeaderPart> parts = parts_for(rows, sample_portable(rows));
  const FolderOfFiles folder;
  Store store(folder.path() / "wrong.db");
  fill_with_wrong(store, rows);
  for (HeaderPart& part : parts) part.known_wrong = store.known_wrong(part.family.operation.name);
  return parts;
}

}  // namespace tilewright::test
