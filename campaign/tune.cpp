#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "campaign/campaign.hpp"
#include "definition/library/hook.hpp"
#include "definition/problem.hpp"
#include "definition/text/errors.hpp"
#include "definition/text/hash.hpp"
#include "definition/text/suggest.hpp"
#include "tilewright/tune.hpp"
#include "tuner/machine/machine.hpp"
#include "tuner/plan/launch_plan.hpp"
#include "tuner/search/strategy.hpp"
#include "tuner/sweep/prepare/session_plan.hpp"
#include "tuner/toolchain/scratch_folder.hpp"
#include "tuner/verify/fill.hpp"
#include "tuner/worker/process.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint8_t kUnwritten = 0xFF;  // NaN as a float

std::size_t bytes_of(const PlannedBuffer& buffer) {
  const std::int64_t count = buffer.kind == ArgumentKind::scalar ? 1 : buffer.count;
  return static_cast<std::size_t>(count) * size_of(buffer.type);
}

bool is_read(const PlannedBuffer& buffer) {
  return buffer.role != ArgumentRole::output;
}

bool is_written(const PlannedBuffer& buffer) {
  return buffer.kind == ArgumentKind::buffer && buffer.role != ArgumentRole::input;
}

bool is_compared(const PlannedBuffer& buffer, const Comparison& comparison) {
  return is_written(buffer) && !is_among(buffer.name, comparison.ignored);
}

// The array's position among the operation's arguments.
std::size_t index_of(const TuneArray& array, const Operation& operation) {
  const std::vector<std::string> names = names_of(operation.arguments, &Argument::name);
  const auto found = std::ranges::find(names, array.argument);
  if (found == names.end())
    throw bad_input("array '{}': operation '{}' has no such argument{}", array.argument,
                    operation.name, suggestion(array.argument, names));
  return static_cast<std::size_t>(found - names.begin());
}

void check_array(const TuneArray& array, const Argument& argument, const PlannedBuffer& buffer) {
  const auto refuse = [&](const std::string& why) {
    throw bad_input("array '{}': {}", array.argument, why);
  };
  if (argument.role == ArgumentRole::output)
    refuse("it is an output; kernels write it to memory that the sweep allocates");
  if (buffer.has_value) refuse("its value follows from the problem");
  if (array.data == nullptr) refuse("it has no data");
  if (array.bytes != bytes_of(buffer))
    refuse(fmt::format("it has {} bytes; the problem needs {} ({} of {})", array.bytes,
                       bytes_of(buffer), bytes_of(buffer) / size_of(buffer.type),
                       to_text(buffer.type)));
}

// By argument; null if the caller gave none.
std::vector<const TuneArray*> checked_arrays(const TuneRequest& request, const Operation& operation,
                                             const std::vector<PlannedBuffer>& buffers) {
  std::vector<const TuneArray*> arrays(buffers.size(), nullptr);
  for (const TuneArray& array : request.arrays) {
    const std::size_t index = index_of(array, operation);
    if (arrays[index] != nullptr) throw bad_input("array '{}': it is given twice", array.argument);
    check_array(array, operation.arguments[index], buffers[index]);
    arrays[index] = &array;
  }
  return arrays;
}

Bytes read(const TuneArray& array) {
  const bool is_here = array.memory == TuneMemory::host;
  Bytes bytes(array.bytes);
  backend_of(is_here ? DeviceKind::host : DeviceKind::cuda)
      .read_memory(array.data, bytes, array.argument);
  return bytes;
}

fs::path write(const fs::path& folder, const std::string& name, const Bytes& bytes) {
  fs::path file = folder / name;
  std::ofstream stream(file, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream)
    throw broken_machine("cannot write the data of '{}' to {}: {}", name, file.string(),
                         std::strerror(errno));
  return file;
}

void add_data(ByteHash& hash, const std::string& name, const Bytes& bytes) {
  hash.add(fmt::format("{}:{};", name, bytes.size()));
  hash.add(bytes);
}

template <class T>
void check_written(const std::string& name, const Bytes& bytes) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    if (value != value)  // NaN
      throw bad_input("the reference left element {} of '{}' unwritten, or wrote NaN", i, name);
  }
}

std::vector<Bytes> ask_reference(const TuneReference& reference, const Problem& problem,
                                 const std::vector<PlannedBuffer>& buffers,
                                 const std::vector<Bytes>& inputs, const Comparison& comparison) {
  std::vector<Bytes> outputs(buffers.size());
  std::map<std::string, ReferenceCall::Argument> arguments;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    ReferenceCall::Argument& argument = arguments[buffers[i].name];
    argument.type = to_text(buffers[i].type);
    if (is_read(buffers[i])) argument.before = std::as_bytes(std::span(inputs[i]));
    if (!is_written(buffers[i])) continue;
    outputs[i].assign(bytes_of(buffers[i]), kUnwritten);
    argument.after = std::as_writable_bytes(std::span(outputs[i]));
  }
  reference(ReferenceCall(problem, arguments));
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (!is_compared(buffers[i], comparison)) continue;
    visit_type(buffers[i].type, [&]<class T>(std::type_identity<T>) {
      if constexpr (!std::is_integral_v<T>) check_written<T>(buffers[i].name, outputs[i]);
    });
  }
  return outputs;
}

// Writes the request's arrays and the answers of its reference to files in the folder, which the
// sweep needs until it ends. If there is a reference, every input is written, because the reference
// is called once on exactly these data. Empty if the request has neither. Throws InputError if an
// array does not fit the problem, MachineError, and what the reference throws.
GivenData write_caller_data(const TuneRequest& request, const Operation& operation,
                            const Problem& problem, const Device& device, const fs::path& folder) {
  GivenData given;
  const bool has_reference = static_cast<bool>(request.reference);
  const std::vector<PlannedBuffer> buffers = plan_buffers(operation, full_scope(problem, device));
  const std::vector<const TuneArray*> arrays = checked_arrays(request, operation, buffers);
  std::vector<Bytes> inputs(buffers.size());
  ByteHash hash;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (!is_read(buffers[i]) || (arrays[i] == nullptr && !has_reference)) continue;
    inputs[i] = arrays[i] != nullptr ? read(*arrays[i])
                                     : fill_buffer(buffers[i], static_cast<int>(i), request.seed);
    add_data(hash, buffers[i].name, inputs[i]);
    if (!buffers[i].has_value)
      given.inputs[buffers[i].name] = write(folder, buffers[i].name, inputs[i]);
    if (!has_reference) inputs[i] = {};
  }
  if (has_reference) {
    const std::vector<Bytes> outputs =
        ask_reference(request.reference, problem, buffers, inputs, operation.comparison);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (!is_compared(buffers[i], operation.comparison)) continue;
      add_data(hash, "expected " + buffers[i].name, outputs[i]);
      given.expected[buffers[i].name] = write(folder, buffers[i].name + ".expected", outputs[i]);
    }
  }
  if (!given.empty()) given.hash = hash.hex();
  return given;
}

constexpr int kMostCompileProcesses = 1024;

const std::atomic<bool> kNeverStop = false;

void check_request(const TuneRequest& request) {
  if (request.operation.empty())
    throw InputError("operation: name one, OPERATION/IMPLEMENTATION or a manifest FILE.toml");
  if (request.database.empty()) throw InputError("database: name the file that keeps the results");
  if (!(request.time_limit_s >= 0)) throw InputError("time_limit_s: it must be 0 or more");
  if (request.compile_processes < 0 || request.compile_processes > kMostCompileProcesses)
    throw bad_input("compile_processes: {} is outside 0 to {}", request.compile_processes,
                    kMostCompileProcesses);
  const std::vector<std::string> strategies = strategy_names();
  if (!request.strategy.empty() && !is_among(request.strategy, strategies))
    throw bad_input("strategy '{}' is not known{}", request.strategy,
                    suggestion(request.strategy, strategies));
}

// By default, the worker is next to the running program.
fs::path worker_of(const TuneRequest& request) {
  std::error_code error;
  fs::path worker = request.worker;
  if (worker.empty()) worker = program_folder() / "tilewright-worker";
  if (!fs::exists(worker, error))
    throw broken_machine("{} is missing; set 'worker' to the path of tilewright-worker",
                         worker.string());
  return worker;
}

WorkerOptions workers_of(const TuneRequest& request, const Toolchain& toolchain) {
  WorkerOptions workers;
  workers.toolchain = toolchain;
  workers.cache = request.cache_folder;
  workers.compile.worker = worker_of(request);
  workers.compile.processes = request.compile_processes;
  return workers;
}

// Leaves out of the target what lacks a name in `where`.
SearchOptions options_of(const TuneRequest& request, Target& target) {
  SearchOptions options;
  options.cache = request.cache;
  if (!request.where.empty()) {
    Where where = parse_where(request.where, target);
    target.implementations = std::move(where.implementations);
    options.where = std::move(where.rule);
  }
  options.strategy = request.strategy;
  options.budget = request.budget;
  options.time_limit_s = request.time_limit_s;
  options.seed = request.seed;
  return options;
}

// Tells the caller of every trial, on the thread that called tune().
class Teller final : public CampaignObserver {
 public:
  explicit Teller(const std::function<void(const TuneProgress&)>& tell) : tell_(tell) {}

  void on_start(const SearchProgress& progress) override { search_ = progress; }
  void on_trial(const Trial& trial) override {
    search_.add(trial);
    progress_.planned = search_.planned;
    progress_.done = search_.done;
    progress_.trial = trial;
    if (trial.timing && (progress_.best_us == 0 || trial.timing->median_us < progress_.best_us))
      progress_.best_us = trial.timing->median_us;
    if (tell_) tell_(progress_);
  }

 private:
  const std::function<void(const TuneProgress&)>& tell_;
  SearchProgress search_;
  TuneProgress progress_;
};

// The commonest outcome of those that were tried, or of pruned ones if there are no others.
std::string failure_of(const std::vector<Trial>& trials) {
  std::map<Outcome, std::size_t> counts;
  for (const Trial& trial : trials) ++counts[trial.outcome];
  if (counts.size() > 1) counts.erase(Outcome::pruned);
  if (counts.empty()) return "nothing was tried";
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& item) { return item.second; });
  const auto example = std::ranges::find(trials, most->first, &Trial::outcome);
  return fmt::format("{} of {} {}: {} {}: {}{}", most->second, trials.size(), to_text(most->first),
                     example->implementation, to_text(example->configuration.values),
                     example->rule.empty() ? "" : example->rule + ": ", example->message);
}

PreparedSweep prepare(const TuneRequest& request, const Toolchain& toolchain,
                      const fs::path& folder) {
  check_request(request);
  const Library library = Library::load(request.kernels, request.manifests, request.libraries);
  Settings values = request.problem;
  Family family = find_family(request.operation, library);
  family = with_snippets(std::move(family), values, library.snippets());
  Target target = choose_target(std::move(family), request.operation);
  SearchOptions options = options_of(request, target);
  const DeviceReport device =
      request.device.empty() ? local_device({}) : find_device(request.device);
  const Problem problem = make_problem(target.operation(), values, device.device);
  options.given = write_caller_data(request, target.operation(), problem, device.device, folder);
  return prepare_sweep(std::move(target), problem, device, options, toolchain);
}

std::string end_of(const StoredSweep& sweep) {
  if (sweep.fate == StoredSweep::Fate::nothing_legal) return "nothing legal";
  if (sweep.fate == StoredSweep::Fate::not_begun) return "interrupted";
  return sweep.report.value("end", "");
}

void take_winner(const BestRow& best, TuneResult& result) {
  const Timing timing = best.trial.timing.value_or(Timing{});
  result.implementation = best.implementation;
  result.configuration = best.configuration;
  result.median_us = timing.median_us;
  result.interval_low_us = timing.interval_low_us;
  result.interval_high_us = timing.interval_high_us;
  result.default_us = best.default_median_us;
}

// Of the screening. What limits exclude before a compile is counted by the spaces, because not all
// of it is stored.
std::map<Outcome, std::size_t> outcomes_of(const PreparedSweep& setup,
                                           const std::vector<Trial>& trials) {
  std::map<Outcome, std::size_t> outcomes;
  for (const Trial& trial : trials)
    if (trial.stage == Stage::screen && (trial.outcome != Outcome::pruned || trial.resources))
      ++outcomes[trial.outcome];
  for (const Space& space : setup.spaces)
    for (const Cut& limit : space.limits)
      outcomes[Outcome::pruned] += static_cast<std::size_t>(limit.count);
  return outcomes;
}

TuneResult result_of(const PreparedSweep& setup, const StoredSweep& sweep) {
  TuneResult result;
  result.problem = setup.request.problem;
  result.device = setup.request.device;
  result.policy = setup.request.policy;
  result.legal = setup.legal;
  const std::vector<Problem> judged = problems_to_verify(setup.request);
  result.other_checks.assign(judged.begin() + 1, judged.end());
  result.end = end_of(sweep);
  if (sweep.record.uuid.empty()) return result;
  result.sweep = sweep.record.uuid;
  result.was_on_record = sweep.fate == StoredSweep::Fate::was_on_record;
  result.outcomes = outcomes_of(setup, sweep.trials);
  if (sweep.winners.empty())
    result.failure = failure_of(sweep.trials);
  else
    take_winner(sweep.winners.front(), result);
  return result;
}

}  // namespace

TuneResult tune(const TuneRequest& request) {
  const ScratchFolder folder(request.scratch);  // of the caller's data
  const bool is_named = !request.host_compiler.empty();
  const Toolchain toolchain{is_named ? request.host_compiler : usual_host_compiler(),
                            request.toolkit_folders, request.scratch};
  PreparedSweep sweep = prepare(request, toolchain, folder.path());
  const bool is_anew = request.recorded == TuneRequest::Recorded::measure_anew;
  Teller teller(request.progress);
  Campaign campaign({.database = request.database,
                     .scratch = request.scratch,
                     .lock_folder = request.lock_folder,
                     .start = is_anew ? Store::Start::fresh : Store::Start::resume,
                     .isolation = request.isolation,
                     .workers = [&] { return workers_of(request, toolchain); }},
                    teller, request.stop != nullptr ? *request.stop : kNeverStop);
  const StoredSweep done = campaign.run(sweep);
  return result_of(sweep, done);
}

}  // namespace tilewright
